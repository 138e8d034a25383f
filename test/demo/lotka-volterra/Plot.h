//===- Plot.h - the plot of data and fit ------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes an SVG file that needs no font or script of its own. No knowledge of
// the model: it draws points and curves of two populations over years.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_DEMO_LOTKA_VOLTERRA_PLOT_H
#define VERSO_DEMO_LOTKA_VOLTERRA_PLOT_H

#include <array>
#include <string>
#include <vector>

struct PlotPoint {
  double Year;
  std::array<double, 2> Population; ///< Hares, lynxes.
};

struct Plot {
  std::string Title, Subtitle;
  std::vector<PlotPoint> Data;
  std::vector<PlotPoint> Curve;
};

/// Returns whether the file could be written.
bool writePlot(const Plot &P, const std::string &File);

#endif // VERSO_DEMO_LOTKA_VOLTERRA_PLOT_H
