//===- names-and-pointers.cpp - members that numbers stand beside ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What made programs of C++'s usual style go to the tape: a hash table that is
// a member, whose first bucket lies behind the other members; names beside
// numbers; parameters in a map by name; an empty map that is searched and an
// empty std::function; static data beside blocks that the function releases;
// pointers of a std::unique_ptr that LLVM moves as integers while it sorts.
// Compared with forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

enum { N = 6 };

class Grid {
public:
  explicit Grid(double Width) : Width(Width) {}
  void add(int Cell, int Index) { Cells[Cell].push_back(Index); }
  double sum(const double *X, int Cell) const {
    auto It = Cells.find(Cell);
    double S = Width;
    if (It != Cells.end())
      for (int I : It->second)
        S += Width * X[I] * X[I];
    return S;
  }

private:
  double Width;
  std::vector<double> Unused;
  std::unordered_map<int, std::vector<int>> Cells;
};

CHECK_NOINLINE static double hashed(const double *X, int) {
  Grid G(X[0]);
  for (int I = 0; I < N; ++I)
    G.add(I % 3, I);
  return G.sum(X, 0) * G.sum(X, 1) + G.sum(X, 7);
}

struct Joint {
  std::string Name;
  double Angle;
};

CHECK_NOINLINE static double named(const double *X, int) {
  std::vector<Joint> Joints;
  for (int I = 0; I < N; ++I)
    Joints.push_back({"joint " + std::to_string(100 * I), X[I]});
  double S = 1;
  for (const Joint &J : Joints)
    S *= J.Angle + double(J.Name.size());
  return S / 1e4;
}

CHECK_NOINLINE static double byName(const double *X, int) {
  std::map<std::string, double> P;
  P["threshold"] = X[0];
  P["strength of the wind"] = X[1];
  P["k"] = X[2];
  return P.at("threshold") * P.at("strength of the wind") + P.at("k");
}

CHECK_NOINLINE static double nothing(const double *X, int) {
  std::unordered_map<int, double> Extra;
  std::function<double(double)> Filter;
  double S = 0;
  for (int I = 0; I < N; ++I) {
    auto It = Extra.find(I);
    double Y = X[I] * X[I] + (It != Extra.end() ? It->second : 0.0);
    S += Filter ? Filter(Y) : Y;
  }
  return S;
}

static std::vector<double> load() { return {1, 2, 3, 4, 5, 6}; }

CHECK_NOINLINE static double overData(const double *X, int) {
  static const std::vector<double> Data = load();
  std::vector<double> Own;
  double S = 0;
  for (size_t I = 0; I < Data.size(); ++I) {
    Own.push_back(X[I] * Data[I]);
    S += Own.back() * Own[I / 2];
  }
  return S;
}

/// What the pointer of static data leads to is what was stored there.
CHECK_NOINLINE static double throughData(const double *X, int) {
  static double *Kept = nullptr;
  std::unique_ptr<double[]> Own(new double[N]);
  for (int I = 0; I < N; ++I)
    Own[I] = X[I] * X[I];
  Kept = Own.get() + 1;
  double S = 0;
  for (int I = 0; I + 1 < N; ++I)
    S += Kept[I] * X[I];
  Kept = nullptr;
  return S;
}

struct Shape {
  virtual ~Shape() = default;
  virtual double key() const = 0;
  virtual double area() const = 0;
};
struct Square : Shape {
  explicit Square(double A) : A(A) {}
  double key() const override { return A; }
  double area() const override { return A * A; }
  double A;
};
struct Box : Shape {
  Box(double A, double B) : A(A), B(B) {}
  double key() const override { return A + B; }
  double area() const override { return A * B; }
  double A, B;
};

CHECK_NOINLINE static double sorted(const double *X, int) {
  std::vector<std::unique_ptr<Shape>> Shapes;
  for (int I = 0; I < N; ++I)
    if (I % 2)
      Shapes.push_back(std::make_unique<Square>(X[I]));
    else
      Shapes.push_back(std::make_unique<Box>(X[I], X[(I + 1) % N]));
  std::sort(Shapes.begin(), Shapes.end(),
            [](const auto &P, const auto &Q) { return P->key() < Q->key(); });
  double S = 0;
  for (int I = 0; I < N; ++I)
    S += (I + 1) * Shapes[I]->area();
  return S;
}

template <double (*Function)(const double *, int)> static void check() {
  double X[N] = {1.25, -0.5, 2, 0.75, 3, -1.5}, D[N] = {};
  __verso_grad_void((void *)Function, verso_dup, X, D, N);
  for (int I = 0; I < N; ++I) {
    double V[N] = {};
    V[I] = 1;
    CHECK_CLOSE(D[I], __verso_jvp((void *)Function, verso_dup, X, V, N), 1e-13);
  }
}

int main() {
  check<hashed>();
  check<named>();
  check<byName>();
  check<nothing>();
  check<overData>();
  check<throughData>();
  check<sorted>();
  return check_status();
}
