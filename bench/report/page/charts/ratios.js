// SPDX-License-Identifier: Apache-2.0
// Ratios with their intervals, a line for each, on a logarithmic axis around 1.
import * as Plot from "@observablehq/plot";
import {distinct, ratioMarks} from "../numbers.js";

/** A plot of the `ratio` of each row. `line(row)` names its line, the keys `kind`, `low` and `high`
 * its kind and the ends of its interval, `title(row)` is its tip; `kinds` have the `colours`. Ratios
 * up to `band` from 1 are shaded. */
export function ratioPlot(rows, width, {line, kind, low, high, kinds, colours, title, band}) {
  const ends = rows.flatMap((row) => [row.ratio, row[low] ?? row.ratio, row[high] ?? row.ratio]);
  const domain = [Math.min(0.92, ...ends) * 0.98, Math.max(1.08, ...ends) * 1.02];
  const lines = distinct(rows.map(line));
  const letter = 6.2; // pixels
  const longest = Math.max(...lines.map((one) => one.length));
  const left = Math.min(width * 0.45, 16 + letter * longest);
  const ticks = ratioMarks(...domain, (width - left) / 60);
  return Plot.plot({
    width,
    height: 80 + 18 * lines.length,
    marginLeft: left,
    marginRight: 16,
    marginTop: 8,
    marginBottom: 42,
    x: {type: "log", domain, label: "ratio"},
    y: {domain: lines},
    color: {domain: kinds, range: colours},
    symbol: {domain: kinds, legend: true},
    marks: [
      Plot.gridX(ticks),
      Plot.axisY({
        label: null,
        tickSize: 0,
        fontSize: 11,
        lineWidth: (left - 12) / 11,
        textOverflow: "ellipsis-middle",
      }),
      // Of a logarithmic scale Plot would label only the marks near powers of its base.
      Plot.axisX(ticks, {text: String, labelOffset: 38}),
      band ? Plot.rectX([band], {x1: 1 / (1 + band), x2: 1 + band, fill: "var(--band)"}) : null,
      Plot.ruleX([1], {stroke: "currentColor"}),
      Plot.ruleY(
        rows.filter((row) => row[low] !== null),
        {y: line, x1: low, x2: high, stroke: kind, strokeWidth: 2},
      ),
      Plot.dot(rows, {
        x: "ratio",
        y: line,
        stroke: kind,
        fill: kind,
        symbol: kind,
        r: 3.5,
        ariaLabel: "name",
      }),
      Plot.tip(rows, Plot.pointerY({x: "ratio", y: line, title})),
    ],
  });
}
