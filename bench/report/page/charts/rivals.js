// SPDX-License-Identifier: Apache-2.0
// Rivals beside Pleat: ratios of times with intervals.
import {series} from "../colours.js";
import {figure} from "../figure.js";
import {distinct, readableCount, readableNumber, readableTime} from "../numbers.js";
import {ratioPlot} from "./ratios.js";

const plotted = (rows, width) =>
  ratioPlot(rows, width, {
    line: (row) => `${readableCount(row.n)}, ${row.processors} p`,
    kind: "rival",
    low: "low",
    high: "high",
    kinds: distinct(rows.map((row) => row.rival)),
    colours: series,
    title: (row) => `${row.rival}\n${readableNumber(row.ratio)}`,
  });

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
