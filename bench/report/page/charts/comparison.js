// SPDX-License-Identifier: Apache-2.0
// Two sweeps: the ratio of each case with its interval, and the verdict.
import * as Plot from "@observablehq/plot";
import {element} from "../dom.js";
import {figure} from "../figure.js";
import {ratioMarks, readableNumber, readableTime} from "../numbers.js";

const verdicts = ["faster", "slower", "same", "undecided"];
const three = (value) => (value === null ? "" : value.toFixed(3));

function plotted(rows, band, width) {
  const ends = rows.flatMap((row) => [
    row.ratio,
    row.ratio_low ?? row.ratio,
    row.ratio_high ?? row.ratio,
  ]);
  const [low, high] = [Math.min(0.93, ...ends) * 0.99, Math.max(1.07, ...ends) * 1.01];
  const letter = 6.2; // pixels
  const longest = Math.max(...rows.map((row) => row.name.length));
  const left = Math.min(width * 0.45, 16 + letter * longest);
  const ticks = ratioMarks(low, high, (width - left) / 60);
  return Plot.plot({
    width,
    height: 80 + 16 * rows.length,
    marginLeft: left,
    marginRight: 16,
    marginTop: 8,
    marginBottom: 42,
    x: {type: "log", domain: [low, high], label: "ratio"},
    y: {domain: rows.map((row) => row.name)},
    color: {
      domain: verdicts,
      range: ["var(--series-3)", "var(--series-2)", "var(--muted)", "var(--series-4)"],
    },
    symbol: {domain: verdicts, legend: true},
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
      Plot.rectX([band], {x1: 1 / (1 + band), x2: 1 + band, fill: "var(--band)"}),
      Plot.ruleX([1], {stroke: "currentColor"}),
      Plot.ruleY(
        rows.filter((row) => row.ratio_low !== null),
        {y: "name", x1: "ratio_low", x2: "ratio_high", stroke: "verdict", strokeWidth: 2},
      ),
      Plot.dot(rows, {
        x: "ratio",
        y: "name",
        stroke: "verdict",
        fill: "verdict",
        symbol: "verdict",
        r: 3,
        ariaLabel: "name",
      }),
      Plot.tip(
        rows,
        Plot.pointerY({
          x: "ratio",
          y: "name",
          title: (row) => `${row.name}\n${three(row.ratio)}: ${row.verdict}`,
        }),
      ),
    ],
  });
}

/** The figure of a comparison, in the order of the ratios: of all cases, or of those that became
 * faster or slower. */
export function comparisonFigure(id, comparison, onlyChanged = false) {
  const all = comparison.cases.slice().sort((a, b) => a.ratio - b.ratio);
  const rows = all.filter(
    ({verdict}) => !onlyChanged || verdict === "faster" || verdict === "slower",
  );
  const count = (verdict) => all.filter((row) => row.verdict === verdict).length;
  const summary = verdicts.map((verdict) => `${count(verdict)} ${verdict}`).join(", ");
  const {band, before, after} = comparison.context;
  if (rows.length === 0) return element("p", {id}, "No case became faster or slower.");
  return figure({
    id,
    legend: "verdict",
    title: `Compared: ${summary}`,
    note:
      `Times of ${after} over those of ${before}, case by case, with 95 % intervals: above 1 slower. The shaded band of ` +
      `${readableNumber(100 * band)} % counts as the same.`,
    label: `Ratios of the times of two sweeps: ${summary}. The values are in the table below.`,
    draw: (width) => plotted(rows, band, width),
    columns: [
      {label: "case", value: (row) => row.name},
      {label: "before", value: (row) => row.before_s, text: readableTime},
      {label: "after", value: (row) => row.after_s, text: readableTime},
      {label: "ratio", value: (row) => row.ratio, text: three},
      {label: "from", value: (row) => row.ratio_low, text: three},
      {label: "to", value: (row) => row.ratio_high, text: three},
      {label: "p, different", value: (row) => row.p_different, text: three},
      {label: "p, same", value: (row) => row.p_same, text: three},
      {label: "verdict", value: (row) => row.verdict},
    ],
    rows,
  });
}
