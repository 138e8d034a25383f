//===- containers.cpp - watched elements of containers --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters live in a std::map, a std::list and objects behind a base class;
// each cell is watched where the container keeps it.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

extern "C" void verso_watch(void *, std::size_t);
extern "C" void *verso_adjoint_of(const void *);

struct Layer {
  virtual ~Layer() = default;
  virtual double apply(double x) const = 0;
  virtual double *parameter() = 0;
};
struct Scale : Layer {
  double factor = 1.5;
  double apply(double x) const override { return x * factor; }
  double *parameter() override { return &factor; }
};
struct Shift : Layer {
  double offset = 0.25;
  double apply(double x) const override { return x * x + offset; }
  double *parameter() override { return &offset; }
};
struct Model {
  std::map<std::string, double> named;
  std::list<double> terms;
  std::vector<std::unique_ptr<Layer>> layers;
};

CHECK_NOINLINE static double evaluate(const Model &model, double x) {
  for (const auto &layer : model.layers)
    x = layer->apply(x);
  for (double term : model.terms)
    x = x * 0.5 + term * term;
  return x * model.named.at("gain") + model.named.at("bias");
}

int main() {
  Model model;
  model.named = {{"gain", 2}, {"bias", -1}, {"unused", 7}};
  model.terms = {0.5, 1.5, 2.5};
  model.layers.push_back(std::make_unique<Scale>());
  model.layers.push_back(std::make_unique<Shift>());
  model.layers.push_back(std::make_unique<Scale>());

  std::vector<double *> cells;
  for (auto &entry : model.named)
    cells.push_back(&entry.second);
  for (double &term : model.terms)
    cells.push_back(&term);
  for (auto &layer : model.layers)
    cells.push_back(layer->parameter());
  for (double *cell : cells)
    verso_watch(cell, sizeof *cell);
  double x = 0.8;
  double dx = __verso_grad((void *)evaluate, verso_const, &model, x);

  std::vector<double> adjoints;
  for (double *cell : cells)
    adjoints.push_back(*static_cast<double *>(verso_adjoint_of(cell)));
  const double h = 1e-5;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double old = *cells[i];
    *cells[i] = old + h;
    double above = evaluate(model, x);
    *cells[i] = old - h;
    double below = evaluate(model, x);
    *cells[i] = old;
    CHECK_CLOSE(adjoints[i], (above - below) / (2 * h), 1e-8);
  }
  CHECK_CLOSE(dx, (evaluate(model, x + h) - evaluate(model, x - h)) / (2 * h),
              1e-8);
  return check_status();
}
