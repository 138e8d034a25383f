//===- Plot.cpp - the plot of data and fit --------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plot is 960 by 560 units. Curves lie on a white halo over the grid, data
// are discs with a white border, and the legend names both.
//
//===----------------------------------------------------------------------===//

#include "Plot.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace {

constexpr double Width = 960, Height = 560;
constexpr double Left = 76, Right = 930, Top = 112, Bottom = 488;
const char *const Names[] = {"Hare", "Lynx"};
const char *const Colours[] = {"#c8553d", "#2a6f97"};

/// From years and populations to the plot's units.
class Scale {
public:
  explicit Scale(const Plot &P)
      : FirstYear(P.Data.front().Year), LastYear(P.Data.back().Year) {
    double Highest = 0;
    for (const std::vector<PlotPoint> *Points : {&P.Data, &P.Curve})
      for (const PlotPoint &Point : *Points)
        Highest = std::max({Highest, Point.Population[0], Point.Population[1]});
    Ceiling = 20 * std::ceil(Highest / 20);
  }
  double x(double Year) const {
    return Left + (Right - Left) * (Year - FirstYear + 0.5) /
                      (LastYear - FirstYear + 1);
  }
  double y(double Population) const {
    return Bottom - (Bottom - Top) * Population / Ceiling;
  }

  double FirstYear, LastYear, Ceiling;
};

class Svg {
public:
  explicit Svg(const std::string &File) : Out(std::fopen(File.c_str(), "w")) {}
  explicit operator bool() const { return Out != nullptr; }

  [[gnu::format(printf, 2, 3)]] void line(const char *Format, ...) {
    va_list Arguments;
    va_start(Arguments, Format);
    std::vfprintf(Out, Format, Arguments);
    va_end(Arguments);
    std::fputc('\n', Out);
  }
  /// Returns whether all of it reached the file.
  bool close() {
    bool Good = !std::ferror(Out);
    return std::fclose(Out) == 0 && Good;
  }

private:
  std::FILE *Out;
};

void drawHead(Svg &S, const Plot &P) {
  S.line("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" "
         "height=\"%g\" viewBox=\"0 0 %g %g\" font-family=\"Helvetica, Arial, "
         "sans-serif\" font-size=\"14\" fill=\"#22262d\">",
         Width, Height, Width, Height);
  S.line("<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>");
  S.line("<text x=\"%g\" y=\"40\" font-size=\"21\" font-weight=\"bold\">%s"
         "</text>",
         Left, P.Title.c_str());
  S.line("<text x=\"%g\" y=\"64\" fill=\"#5c6470\">%s</text>", Left,
         P.Subtitle.c_str());
}

void drawAxes(Svg &S, const Scale &At) {
  for (double Tick = 0; Tick <= At.Ceiling; Tick += 20) {
    S.line("<path d=\"M%g %.1fH%g\" stroke=\"%s\"/>", Left, At.y(Tick), Right,
           Tick == 0 ? "#8d99ae" : "#e3e7ee");
    S.line("<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\" fill=\"#5c6470\">%g"
           "</text>",
           Left - 10, At.y(Tick) + 5, Tick);
  }
  for (double Year = At.FirstYear; Year <= At.LastYear; ++Year) {
    const bool Labelled = std::fmod(Year, 5) == 0;
    S.line("<path d=\"M%.1f %gv%d\" stroke=\"#8d99ae\"/>", At.x(Year), Bottom,
           Labelled ? 8 : 4);
    if (Labelled)
      S.line("<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\" "
             "fill=\"#5c6470\">%g</text>",
             At.x(Year), Bottom + 26, Year);
  }
  S.line("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\" fill=\"#5c6470\">"
         "Year</text>",
         (Left + Right) / 2, Bottom + 52);
  S.line("<text transform=\"translate(26 %g) rotate(-90)\" "
         "text-anchor=\"middle\" fill=\"#5c6470\">Pelts (thousands)</text>",
         (Top + Bottom) / 2);
}

void drawCurve(Svg &S, const Plot &P, const Scale &At, int Species) {
  std::string Path;
  for (const PlotPoint &Point : P.Curve) {
    char Step[64];
    std::snprintf(Step, sizeof(Step), "%c%.1f %.1f", Path.empty() ? 'M' : 'L',
                  At.x(Point.Year), At.y(Point.Population[Species]));
    Path += Step;
  }
  for (const auto &[Colour, Thickness] :
       {std::pair("#fff", 6.), std::pair(Colours[Species], 2.6)})
    S.line("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" "
           "stroke-linejoin=\"round\"/>",
           Path.c_str(), Colour, Thickness);
}

void drawDisc(Svg &S, double X, double Y, int Species) {
  S.line("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" stroke=\"#fff\" "
         "stroke-width=\"1.5\"/>",
         X, Y, Colours[Species]);
}

void drawLegend(Svg &S) {
  double X = Left;
  for (int Species : {0, 1}) {
    drawDisc(S, X + 6, 90, Species);
    S.line("<text x=\"%g\" y=\"95\">%s, pelts</text>", X + 18, Names[Species]);
    S.line("<path d=\"M%g 90h28\" stroke=\"%s\" stroke-width=\"2.6\"/>",
           X + 108, Colours[Species]);
    S.line("<text x=\"%g\" y=\"95\">%s, fit</text>", X + 144, Names[Species]);
    X += 236;
  }
}

} // namespace

bool writePlot(const Plot &P, const std::string &File) {
  Svg S(File);
  if (!S)
    return false;
  const Scale At(P);
  drawHead(S, P);
  drawAxes(S, At);
  for (int Species : {0, 1})
    drawCurve(S, P, At, Species);
  for (int Species : {0, 1})
    for (const PlotPoint &Point : P.Data)
      drawDisc(S, At.x(Point.Year), At.y(Point.Population[Species]), Species);
  drawLegend(S);
  S.line("</svg>");
  return S.close();
}
