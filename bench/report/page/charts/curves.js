// SPDX-License-Identifier: Apache-2.0
// Curves over a logarithmic axis of counts, one for each line, with the intervals of their points.
import * as Plot from "@observablehq/plot";
import {ordered} from "../colours.js";

/** A plot of rows with `low` and `high`. The keys `x`, `y` and `line` say what stands where; `lines`
 * are in their order, `name` and `title` of a row are its label and its tip. `xAxis`, `yAxis` and
 * `legend` are options of Plot; the marks `behind` are drawn first. */
export function curvePlot(
  rows,
  width,
  {x, y, line, lines, xAxis, yAxis, legend, name, title, behind = []},
) {
  const common = {x, stroke: line};
  return Plot.plot({
    width,
    height: Math.max(270, Math.min(370, width * 0.72)),
    marginLeft: 56,
    marginRight: 20,
    marginTop: 30,
    marginBottom: 42,
    x: {type: "log", base: 2, labelOffset: 38, inset: 10, ...xAxis},
    y: {grid: true, ...yAxis},
    color: {type: "ordinal", domain: lines, range: ordered(lines.length)},
    symbol: {type: "ordinal", domain: lines, legend: true, ...legend},
    marks: [
      ...behind,
      Plot.line(rows, {...common, y, z: line, strokeWidth: 2}),
      Plot.ruleX(
        rows.filter((row) => row.low !== null),
        {...common, y1: "low", y2: "high", strokeWidth: 1.5},
      ),
      Plot.dot(rows, {...common, y, symbol: line, fill: line, r: 4, ariaLabel: name}),
      Plot.tip(rows, Plot.pointer({x, y, title})),
    ],
  });
}
