// SPDX-License-Identifier: Apache-2.0
// Rivals beside Pleat: ratios of times with intervals.
import * as Plot from "@observablehq/plot";
import {series} from "../colours.js";
import {figure} from "../figure.js";
import {distinct, ratioMarks, readableCount, readableNumber, readableTime} from "../numbers.js";

const label = (row) => `${readableCount(row.n)}, ${row.processors} p`;

function plotted(rows, width) {
  const names = distinct(rows.map((row) => row.rival));
  const lines = distinct(rows.map(label));
  const ends = rows.flatMap((row) => [row.ratio, row.low ?? row.ratio, row.high ?? row.ratio]);
  const [low, high] = [Math.min(0.9, ...ends) * 0.97, Math.max(1.1, ...ends) * 1.04];
  const ticks = ratioMarks(low, high, width / 60);
  return Plot.plot({
    width,
    height: 60 + 24 * lines.length,
    marginLeft: 14 + 7 * Math.max(...lines.map((line) => line.length)),
    marginRight: 16,
    marginTop: 8,
    marginBottom: 42,
    x: {type: "log", domain: [low, high], label: "ratio"},
    y: {domain: lines, label: null, tickSize: 0},
    color: {domain: names, range: series},
    symbol: {domain: names, legend: true},
    marks: [
      Plot.gridX(ticks),
      // Of a logarithmic scale Plot would label only the marks near powers of its base.
      Plot.axisX(ticks, {text: String, labelOffset: 38}),
      Plot.ruleX([1], {stroke: "currentColor", strokeWidth: 1.5}),
      Plot.ruleY(
        rows.filter((row) => row.low !== null),
        {y: label, x1: "low", x2: "high", stroke: "rival", strokeWidth: 2},
      ),
      Plot.dot(rows, {
        x: "ratio",
        y: label,
        stroke: "rival",
        fill: "rival",
        symbol: "rival",
        r: 4.5,
        ariaLabel: "name",
      }),
    ],
  });
}

const columns = [
  {label: "rival", value: (row) => row.rival},
  {label: "n", value: (row) => row.n, text: readableCount},
  {label: "processors", value: (row) => row.processors},
  {label: "Pleat", value: (row) => row.ours_s, text: readableTime},
  {label: "rival's time", value: (row) => row.rival_s, text: readableTime},
  {label: "ratio", value: (row) => row.ratio, text: readableNumber},
  {label: "from", value: (row) => row.low, text: readableNumber},
  {label: "to", value: (row) => row.high, text: readableNumber},
];

/** The figure of one work: `rows` are ratios, as the tool computed them from all repetitions. */
export function rivalsFigure(id, work, rows) {
  const slower = rows.filter((row) => row.ratio < 1);
  return figure({
    id,
    title: `Rivals: ${work}`,
    note:
      "The rival's time over Pleat's, with the 95 % interval: above 1 Pleat is faster. Rows: n and the " +
      "number of processors (p).",
    legend: "rival",
    label:
      `Times of rivals over Pleat's for ${work}: Pleat is faster in ${rows.length - slower.length} ` +
      `of ${rows.length} cases. The values are in the table below.`,
    draw: (width) => plotted(rows, width),
    columns,
    rows,
  });
}
