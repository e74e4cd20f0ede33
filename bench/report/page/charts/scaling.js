// SPDX-License-Identifier: Apache-2.0
// Speed-up and efficiency by processors: measured, ideal, and as D-BSP predicts.
import * as Plot from "@observablehq/plot";
import {figure} from "../figure.js";
import {
  distinct,
  inOrder,
  processorsText,
  readableCount,
  readableNumber,
  readableTime,
} from "../numbers.js";
import {predictedSpeedup, ranksColumn} from "../sweep.js";
import {curvePlot} from "./curves.js";

const kinds = {
  speedup: {
    name: "Speed-up",
    of: (one, speedup) => speedup,
    ideal: (processors) => processors,
    note: "One line for each n. Solid: measured, with 95 % intervals; dashed: predicted by D-BSP; dotted: ideal.",
  },
  efficiency: {
    name: "Efficiency",
    of: (one, speedup) => speedup / one.processors,
    ideal: () => 1,
    note:
      "Speed-up over processors, one line for each n. Solid: measured, with 95 % intervals; dashed: predicted by " +
      "D-BSP; dotted: ideal.",
  },
};

function rowsOf(cases, kind) {
  const weak = cases[0].scaling === "weak";
  return cases
    .filter((one) => one.speedup !== null)
    .map((one) => {
      const predicted = predictedSpeedup(one);
      return {
        one,
        line: weak
          ? `${readableCount(one.perProcessor ?? one.n)} per processor`
          : readableCount(one.n),
        n: one.n,
        processors: one.processors,
        value: kind.of(one, one.speedup),
        low: one.high === null ? null : kind.of(one, (one.speedup * one.median) / one.high),
        high: one.low === null ? null : kind.of(one, (one.speedup * one.median) / one.low),
        predicted: predicted === null ? null : kind.of(one, predicted),
      };
    });
}

function plotted(rows, kind, isLog, width) {
  const counts = inOrder(rows.map((row) => row.processors));
  const values = rows.flatMap((row) => [
    row.value,
    row.low ?? row.value,
    row.high ?? row.value,
    row.predicted ?? row.value,
  ]);
  const [low, high] = [Math.min(1, ...values), Math.max(kind.ideal(counts.at(-1)), ...values)];
  const marked = {ticks: counts, tickFormat: String};
  const predicted = rows.filter((row) => row.predicted !== null);
  return curvePlot(rows, width, {
    x: "processors",
    y: "value",
    line: "line",
    lines: distinct(rows.map((row) => row.line)),
    xAxis: {
      ...marked,
      label: rows.every((row) => row.one.ranks) ? "processors of all ranks" : "processors",
    },
    yAxis: {
      label: kind.name,
      ...(isLog
        ? {type: "log", base: 2, domain: [low * 0.95, high * 1.05], ...marked}
        : {domain: [0, high * 1.05], ticks: 5}),
    },
    legend: {label: "n"},
    name: (row) => row.one.name,
    title: (row) =>
      `n = ${readableCount(row.n)}, ${processorsText(row.processors)}\n` +
      `${kind.name} ${readableNumber(row.value)}\n${readableTime(row.one.median)}`,
    behind: [
      Plot.line(counts, {
        x: (count) => count,
        y: kind.ideal,
        stroke: "currentColor",
        strokeDasharray: "1 4",
        strokeLinecap: "round",
        strokeWidth: 2,
      }),
      Plot.line(predicted, {
        x: "processors",
        y: "predicted",
        z: "line",
        stroke: "line",
        strokeDasharray: "6 4",
        strokeWidth: 1.5,
      }),
    ],
  });
}

const columnsOf = (rows) => [
  {label: "n", value: (row) => row.n, text: readableCount},
  ...ranksColumn(rows, (row) => row.one),
  {label: "processors", value: (row) => row.processors},
  {label: "measured", value: (row) => row.value, text: readableNumber},
  {label: "from", value: (row) => row.low, text: readableNumber},
  {label: "to", value: (row) => row.high, text: readableNumber},
  {label: "predicted", value: (row) => row.predicted, text: readableNumber},
  {label: "ideal", value: (row) => row.ideal, text: readableNumber},
];

/** The figure of one work: `cases` of Pleat that differ in n and processors only; nothing if all are
 * of one number of processors. */
export function scalingFigure(id, cases, name) {
  const kind = kinds[name];
  const rows = rowsOf(cases, kind).map((row) => ({...row, ideal: kind.ideal(row.processors)}));
  if (distinct(rows.map((row) => row.processors)).length < 2) return null;
  const weak = cases[0].scaling === "weak";
  const isLog = name === "speedup" && rows.every((row) => row.value > 0.5);
  const last = rows.reduce((a, b) => (b.processors * b.n >= a.processors * a.n ? b : a));
  return figure({
    id,
    title: `${kind.name}: ${cases[0].work}${weak ? ", weak scaling" : ""}`,
    note: kind.note,
    legend: "n",
    label:
      `${kind.name} of ${cases[0].work} by processors: ${readableNumber(last.value)} on ` +
      `${processorsText(last.processors)} with n = ${readableCount(last.n)}. The values are in the table below.`,
    draw: (width) => plotted(rows, kind, isLog, width),
    columns: columnsOf(rows),
    rows,
  });
}
