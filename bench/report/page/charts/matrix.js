// SPDX-License-Identifier: Apache-2.0
// A measured matrix: processor × processor latency, node × node bandwidth and latency.
import * as Plot from "@observablehq/plot";
import {heatColour} from "../colours.js";
import {element} from "../dom.js";
import {figure} from "../figure.js";
import {inUnitOf, readableNumber, readableRate, readableTime} from "../numbers.js";

function cellsOf(matrix) {
  return matrix.rows.flatMap((row, i) =>
    matrix.columns.flatMap((column, j) => {
      const median = matrix.median[i][j];
      return median === null
        ? []
        : [
            {
              row,
              column,
              median,
              low: matrix.interval_low?.[i]?.[j] ?? null,
              high: matrix.interval_high?.[i]?.[j] ?? null,
            },
          ];
    }),
  );
}

function plotted(matrix, cells, text, width) {
  const logs = cells.map((cell) => Math.log(cell.median));
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  // Light is fast, as in every map of the page: the least time, the most bytes in a second.
  const share = (cell) =>
    most === least ? 1 : (Math.log(cell.median) - least) / (most - least);
  const shade = (cell) => heatColour(matrix.unit === "s" ? 1 - share(cell) : share(cell));
  const left = 16 + 6.5 * Math.max(...matrix.rows.map((row) => String(row).length));
  const side = Math.min(64, (width - left - 8) / matrix.columns.length);
  return Plot.plot({
    width: Math.min(width, left + 8 + Math.max(side, 30) * matrix.columns.length),
    height: 44 + Math.max(26, Math.min(44, side)) * matrix.rows.length,
    marginLeft: left,
    marginTop: 36,
    marginRight: 8,
    marginBottom: 8,
    x: {
      domain: matrix.columns,
      axis: "top",
      label: null,
      padding: 0.04,
      tickRotate: side < 7 * Math.max(...matrix.columns.map((one) => String(one).length)) ? -40 : 0,
    },
    y: {domain: matrix.rows, label: null, padding: 0.04},
    marks: [
      Plot.cell(cells, {x: "column", y: "row", fill: (cell) => shade(cell).fill}),
      side < 30
        ? null
        : Plot.text(cells, {
            x: "column",
            y: "row",
            fill: (cell) => shade(cell).text,
            text: (cell) => text(cell.median).split(" ")[0],
            fontSize: 11.5,
          }),
    ],
  });
}

/** One figure of a matrix of `pleat matrix --json`. */
export function matrixFigure(id, matrix) {
  const cells = cellsOf(matrix);
  if (cells.length === 0) return element("p", {id}, `${matrix.title}: nothing was measured.`);
  const text =
    matrix.unit === "s" ? readableTime : matrix.unit === "B/s" ? readableRate : readableNumber;
  const medians = cells.map((cell) => cell.median);
  const inUnit = inUnitOf(medians, text, matrix.unit);
  return figure({
    id,
    title: matrix.title,
    note: `Medians in ${inUnit(0).split(" ")[1]}; the lighter, the faster.`,
    label:
      `${matrix.title}: from ${inUnit(Math.min(...medians))} to ${inUnit(Math.max(...medians))}. The values are in the ` +
      "table below.",
    draw: (width) => plotted(matrix, cells, inUnit, width),
    columns: [
      {label: "row", value: (cell) => cell.row},
      {label: "column", value: (cell) => cell.column},
      {label: "median", value: (cell) => cell.median, text: inUnit},
      {label: "from", value: (cell) => cell.low, text: inUnit},
      {label: "to", value: (cell) => cell.high, text: inUnit},
    ],
    rows: cells,
  });
}
