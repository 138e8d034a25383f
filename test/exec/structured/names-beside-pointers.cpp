//===- names-beside-pointers.cpp - strings among what leads to numbers ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The characters of a short string lie in the string: a copy of some of them
// within an array of records could reach the pointers of the next, for all that
// is known of addresses. Functions that change strings stay calls. And what is
// stored as one type is not read as another: the bucket that a hash table has
// in itself, at a computed index, leaves the members behind it alone.
//
// LEVELS: O1 O2g O3
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Device {
  virtual ~Device() = default;
  virtual double current(double v) const = 0;
};
struct Resistor : Device {
  double conductance;
  explicit Resistor(double r) : conductance(1 / r) {}
  double current(double v) const override { return conductance * v; }
};
struct Varistor : Device {
  double k;
  explicit Varistor(double k) : k(k) {}
  double current(double v) const override { return k * v * v * v; }
};

struct Circuit {
  std::unordered_map<std::string, int> names;
  std::vector<std::unique_ptr<Device>> devices;
  int count = 0;
  int node(const std::string &name) {
    auto [it, fresh] = names.try_emplace(name, count);
    if (fresh)
      ++count;
    return it->second;
  }
};

CHECK_NOINLINE static double circuit(double *x) {
  Circuit c;
  double v = 0;
  for (int i = 0; i < 6; ++i) {
    v += c.node(i % 2 ? "in" : "a node with quite a long name");
    if (i % 3)
      c.devices.push_back(std::make_unique<Resistor>(x[i]));
    else
      c.devices.push_back(std::make_unique<Varistor>(x[i]));
  }
  for (const auto &d : c.devices)
    v += 0.1 * d->current(0.1 * v);
  return v;
}

struct Agent {
  std::string name;
  double *state = nullptr;
  std::vector<double> memory;
};

CHECK_NOINLINE static double agents(double *x) {
  std::vector<double> states(x, x + 6);
  std::vector<Agent> all;
  for (int i = 0; i < 6; ++i) {
    std::string name = "agent ";
    name += char('a' + (i * 5) % 6);
    if (i % 2)
      name += ", who has a name that is longer than the others";
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return char(c == 'a' ? 'A' : c); });
    all.push_back({name, &states[i], {x[i], 1}});
  }
  std::sort(all.begin(), all.end(),
            [](const Agent &a, const Agent &b) { return a.name < b.name; });
  for (size_t i = 0; i + 1 < all.size(); ++i)
    *all[i + 1].state += *all[i].state * all[i].memory[0];
  return *all.back().state;
}

int main() {
  double x[6] = {1.5, 2, 0.5, 3, 1.25, 0.75}, dx[6] = {};
  for (auto *f : {circuit, agents}) {
    std::fill(dx, dx + 6, 0);
    if (f == circuit)
      __verso_grad_void((void *)circuit, verso_dup, x, dx);
    else
      __verso_grad_void((void *)agents, verso_dup, x, dx);
    CHECK_GRADIENT(f, 6, x, dx, 1e-7);
  }
  return check_status();
}
