//===- MinCut.h - a minimal cut of vertices ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cheapest set of vertices that lies on every path from a source to a sink
// (which may be members themselves), by Dinic's algorithm.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MINCUT_H
#define VERSO_STRUCTURED_MINCUT_H

#include <cstdint>
#include <vector>

namespace verso {

class MinCut {
public:
  /// Returns the number of the new vertex.
  unsigned addVertex(uint64_t Cost);
  void addEdge(unsigned From, unsigned To);
  void markSource(unsigned V);
  void markSink(unsigned V);
  /// For each vertex, whether it is in the cut; of several minimal cuts the one
  /// nearest to the sinks.
  std::vector<bool> solve();

private:
  static constexpr uint64_t Unlimited = UINT64_C(1) << 60;
  struct Arc {
    unsigned To;
    uint64_t Left;
  };
  void addArc(unsigned From, unsigned To, uint64_t Capacity);
  bool findLevels();
  bool augment();
  unsigned in(unsigned V) const { return 2 + 2 * V; }
  unsigned out(unsigned V) const { return 3 + 2 * V; }

  static constexpr unsigned Source = 0, Sink = 1;
  std::vector<Arc> Arcs; ///< An arc and its reverse are neighbours.
  std::vector<std::vector<unsigned>> Leaving{2};
  std::vector<unsigned> Levels, Next;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MINCUT_H
