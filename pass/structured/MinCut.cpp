//===- MinCut.cpp - a minimal cut of vertices -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/MinCut.h"

#include <algorithm>

using namespace verso;

void MinCut::addArc(unsigned From, unsigned To, uint64_t Capacity) {
  Leaving[From].push_back(Arcs.size());
  Arcs.push_back({To, Capacity});
  Leaving[To].push_back(Arcs.size());
  Arcs.push_back({From, 0});
}

unsigned MinCut::addVertex(uint64_t Cost) {
  unsigned V = (Leaving.size() - 2) / 2;
  Leaving.resize(Leaving.size() + 2);
  addArc(in(V), out(V), Cost);
  return V;
}

void MinCut::addEdge(unsigned From, unsigned To) {
  addArc(out(From), in(To), Unlimited);
}
void MinCut::markSource(unsigned V) { addArc(Source, in(V), Unlimited); }
void MinCut::markSink(unsigned V) { addArc(out(V), Sink, Unlimited); }

bool MinCut::findLevels() {
  Levels.assign(Leaving.size(), ~0u);
  std::vector<unsigned> Queue{Source};
  Levels[Source] = 0;
  for (size_t K = 0; K != Queue.size(); ++K)
    for (unsigned A : Leaving[Queue[K]])
      if (Arcs[A].Left && Levels[Arcs[A].To] == ~0u) {
        Levels[Arcs[A].To] = Levels[Queue[K]] + 1;
        Queue.push_back(Arcs[A].To);
      }
  return Levels[Sink] != ~0u;
}

/// One augmenting path, iteratively: chains may be long.
bool MinCut::augment() {
  std::vector<unsigned> Path;
  unsigned Node = Source;
  while (Node != Sink) {
    if (Next[Node] == Leaving[Node].size()) {
      if (Path.empty())
        return false;
      Node = Arcs[Path.back() ^ 1].To;
      Path.pop_back();
      ++Next[Node];
      continue;
    }
    unsigned A = Leaving[Node][Next[Node]];
    if (!Arcs[A].Left || Levels[Arcs[A].To] != Levels[Node] + 1) {
      ++Next[Node];
      continue;
    }
    Path.push_back(A);
    Node = Arcs[A].To;
  }
  uint64_t Flow = Unlimited;
  for (unsigned A : Path)
    Flow = std::min(Flow, Arcs[A].Left);
  for (unsigned A : Path) {
    Arcs[A].Left -= Flow;
    Arcs[A ^ 1].Left += Flow;
  }
  return true;
}

std::vector<bool> MinCut::solve() {
  while (findLevels()) {
    Next.assign(Leaving.size(), 0);
    while (augment()) {
    }
  }
  // What still reaches the sink lies behind the cut.
  std::vector<bool> ReachesSink(Leaving.size(), false);
  std::vector<unsigned> Work{Sink};
  ReachesSink[Sink] = true;
  while (!Work.empty()) {
    unsigned Node = Work.back();
    Work.pop_back();
    for (unsigned A : Leaving[Node])
      if (unsigned From = Arcs[A].To; Arcs[A ^ 1].Left && !ReachesSink[From]) {
        ReachesSink[From] = true;
        Work.push_back(From);
      }
  }
  unsigned N = (Leaving.size() - 2) / 2;
  std::vector<bool> Cut(N);
  for (unsigned V = 0; V != N; ++V)
    Cut[V] = ReachesSink[out(V)] && !ReachesSink[in(V)];
  return Cut;
}
