//===- Main.cpp - fits Lotka-Volterra to lynx and hare pelts --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lotka_volterra_demo [table.csv [plot.svg]]
//
// Checks Verso's gradient against central differences, finds the mode of the
// posterior (Posterior.h) by NLopt's L-BFGS with that gradient, prints the
// parameters beside the published posterior means and draws the fit.
//
// Exit status: 0 if the gradients agree and the optimiser converged, 1 if not,
// 2 if a file cannot be read or written.
//
//===----------------------------------------------------------------------===//

#include "Plot.h"
#include "Posterior.h"

#include <nlopt.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

constexpr double Pi = 3.14159265358979323846;

/// What the gradients may differ by, relative to the largest component: the
/// integrator's tolerance of 1e-9 over the differences' step of 1e-3.
constexpr double GradientTolerance = 1e-5;

struct ParameterText {
  const char *Name, *Meaning, *Published;
};

/// Published: posterior means as the case study states them.
constexpr ParameterText Texts[ParameterCount] = {
    {"alpha", "growth of the hares", "0.55"},
    {"beta", "hares lost to a lynx", "0.028"},
    {"gamma", "decline of the lynxes", "0.80"},
    {"delta", "lynxes gained by a hare", "0.024"},
    {"u(1900)", "hares at first, thousands", ""},
    {"v(1900)", "lynxes at first, thousands", ""},
    {"sigma_u", "noise of the hares", ""},
    {"sigma_v", "noise of the lynxes", ""},
};

struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Year,Lynx,Hare after comments and a line of titles.
std::vector<Observation> readTable(const std::string &File) {
  std::ifstream In(File);
  std::vector<Observation> Rows;
  for (std::string Line; std::getline(In, Line);) {
    Observation Row;
    if (std::sscanf(Line.c_str(), "%lf,%lf,%lf", &Row.Year, &Row.Lynx,
                    &Row.Hare) == 3)
      Rows.push_back(Row);
  }
  if (Rows.size() < 2)
    throw FileError("no table of years, lynxes and hares in " + File);
  return Rows;
}

/// Where to start: the rates of a small oscillation about the mean populations
/// with the observed period of about ten years.
Parameters firstGuess(const std::vector<Observation> &Rows) {
  double Hare = 0, Lynx = 0;
  for (const Observation &Row : Rows) {
    Hare += Row.Hare / (double)Rows.size();
    Lynx += Row.Lynx / (double)Rows.size();
  }
  const double Rate = 2 * Pi / 10;
  Parameters P = {Rate,         Rate / Lynx,  Rate, Rate / Hare,
                  Rows[0].Hare, Rows[0].Lynx, 0.5,  0.5};
  for (double &X : P)
    X = std::log(X);
  return P;
}

double norm(const Parameters &X) {
  double Sum = 0;
  for (double Component : X)
    Sum += Component * Component;
  return std::sqrt(Sum);
}

/// Prints both gradients; returns whether they agree.
bool checkGradient(const Parameters &LogP,
                   const std::vector<Observation> &Rows) {
  Parameters Gradient;
  valueAndGradient(LogP, Rows, Gradient);
  const Parameters Differences = centralDifferences(LogP, Rows);
  double Largest = 0, Worst = 0;
  for (double X : Differences)
    Largest = std::max(Largest, std::fabs(X));
  std::printf("Gradient at the starting point, by log parameter\n"
              "            %16s %20s %12s\n",
#ifdef LV_FINITE_DIFFERENCES
              "differences",
#else
              "Verso",
#endif
              "central differences", "difference");
  for (size_t I = 0; I != LogP.size(); ++I) {
    const double Difference = Gradient[I] - Differences[I];
    std::printf("  %-9s %16.8f %20.8f %12.1e\n", Texts[I].Name, Gradient[I],
                Differences[I], Difference);
    Worst = std::isfinite(Difference) ? std::max(Worst, std::fabs(Difference))
                                      : HUGE_VAL;
  }
  const bool Agree = Worst <= GradientTolerance * Largest;
  std::printf("  %s: largest difference %.1e of the largest component\n\n",
              Agree ? "They agree" : "THEY DIFFER", Worst / Largest);
  return Agree;
}

/// NLopt's objective, which reports its progress.
struct Objective {
  const std::vector<Observation> &Rows;
  int Evaluations = 0;
  double Seconds = 0;

  static double call(const std::vector<double> &X, std::vector<double> &G,
                     void *Data) {
    return ((Objective *)Data)->evaluate(X, G);
  }

  double evaluate(const std::vector<double> &X, std::vector<double> &G) {
    Parameters LogP, Gradient;
    std::copy(X.begin(), X.end(), LogP.begin());
    const auto Start = std::chrono::steady_clock::now();
    const double Value = valueAndGradient(LogP, Rows, Gradient);
    const std::chrono::duration<double> Time =
        std::chrono::steady_clock::now() - Start;
    Seconds += Time.count();
    std::copy(Gradient.begin(), Gradient.end(), G.begin());
    std::printf("  %9d %16.8f %12.3e", ++Evaluations, Value, norm(Gradient));
    for (int I : {Alpha, Beta, Gamma, Delta})
      std::printf(" %8.5f", std::exp(X[I]));
    std::printf("\n");
    std::fflush(stdout);
    return Value;
  }
};

/// Moves LogP to the mode. Returns whether the optimiser converged.
bool fit(Parameters &LogP, const std::vector<Observation> &Rows) {
  Objective Target = {Rows};
  nlopt::opt Optimiser(nlopt::LD_LBFGS, ParameterCount);
  std::vector<double> X(LogP.begin(), LogP.end()), Low = X, High = X;
  for (size_t I = 0; I != X.size(); ++I) {
    Low[I] -= 3; // A factor of twenty either way.
    High[I] += 3;
  }
  Optimiser.set_lower_bounds(Low);
  Optimiser.set_upper_bounds(High);
  Optimiser.set_min_objective(Objective::call, &Target);
  Optimiser.set_ftol_rel(1e-10);
  Optimiser.set_maxeval(500);
  std::printf("L-BFGS, a line an evaluation\n evaluation   -log posterior   "
              "|gradient|    alpha"
              "     beta    gamma    delta\n");
  double Value = 0;
  const nlopt::result Result = Optimiser.optimize(X, Value);
  std::copy(X.begin(), X.end(), LogP.begin());
  const bool Converged = Result > 0 && Result != nlopt::MAXEVAL_REACHED;
  std::printf("  %s after %d evaluations, %.2f ms a value and gradient\n\n",
              Converged ? "Converged" : "NOT CONVERGED", Target.Evaluations,
              1e3 * Target.Seconds / Target.Evaluations);
  return Converged;
}

void printFit(const Parameters &LogP) {
  std::printf("%-40s %8s   %s\n", "Parameter", "fitted",
              "published posterior mean");
  for (size_t I = 0; I != LogP.size(); ++I)
    std::printf("  %-9s %-28s %8.4f   %s\n", Texts[I].Name, Texts[I].Meaning,
                std::exp(LogP[I]), Texts[I].Published);
  std::printf("\n");
}

Plot makePlot(const Parameters &LogP, const std::vector<Observation> &Rows) {
  Plot P;
  P.Title = "Hares and lynxes, 1900-1920: pelts and the Lotka-Volterra fit";
  char Subtitle[160];
  std::snprintf(Subtitle, sizeof(Subtitle),
                "\u03b1 = %.3f, \u03b2 = %.4f, \u03b3 = %.3f, \u03b4 = %.4f; "
                "mode of the posterior",
                std::exp(LogP[Alpha]), std::exp(LogP[Beta]),
                std::exp(LogP[Gamma]), std::exp(LogP[Delta]));
  P.Subtitle = Subtitle;
  for (const Observation &Row : Rows)
    P.Data.push_back({Row.Year, {Row.Hare, Row.Lynx}});
  constexpr int PointsAYear = 20;
  const double Years = Rows.back().Year - Rows.front().Year;
  std::vector<double> Times;
  for (int I = 0; I <= PointsAYear * Years; ++I)
    Times.push_back((double)I / PointsAYear);
  const std::vector<State> Path = simulate(LogP.data(), Times);
  for (size_t I = 0; I != Path.size(); ++I)
    P.Curve.push_back({Rows[0].Year + Times[I], Path[I]});
  return P;
}

int run(const std::string &TableFile, const std::string &PlotFile) {
  const std::vector<Observation> Rows = readTable(TableFile);
  Parameters LogP = firstGuess(Rows);
  const bool Agree = checkGradient(LogP, Rows);
  const bool Converged = fit(LogP, Rows);
  printFit(LogP);
  if (!writePlot(makePlot(LogP, Rows), PlotFile))
    throw FileError("cannot write " + PlotFile);
  std::printf("Plot of data and fit: %s\n", PlotFile.c_str());
  return Agree && Converged ? 0 : 1;
}

} // namespace

int main(int ArgC, char **ArgV) {
  try {
    return run(ArgC > 1 ? ArgV[1] : LV_TABLE,
               ArgC > 2 ? ArgV[2] : "lotka-volterra.svg");
  } catch (const FileError &Error) {
    std::fprintf(stderr, "lotka_volterra_demo: %s\n", Error.what());
    return 2;
  } catch (const std::exception &Error) {
    std::fprintf(stderr, "lotka_volterra_demo: %s\n", Error.what());
    return 1;
  }
}
