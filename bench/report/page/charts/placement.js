// SPDX-License-Identifier: Apache-2.0
// A heat map: placement of threads × placement of memory × processors.
import * as Plot from "@observablehq/plot";
import {heatColour} from "../colours.js";
import {figure} from "../figure.js";
import {
  distinct,
  inOrder,
  inUnitOf,
  readableCount,
  readableNumber,
  readableTime,
} from "../numbers.js";

// Light is fast: the best of a number of processors is 1, what takes three times as long is dark.
const shade = (ratio) => heatColour(1 - Math.log(ratio) / Math.log(3));

function plotted(rows, inUnit, width) {
  const places = distinct(rows.map((row) => row.place));
  const counts = inOrder(rows.map((row) => row.processors));
  const policies = distinct(rows.map((row) => row.memory));
  const left = 24 + 7 * Math.max(...places.map((place) => place.length));
  const side = (width - left - 56) / policies.length;
  const turned = side < 7 * Math.max(...policies.map((policy) => policy.length));
  return Plot.plot({
    width,
    height: (turned ? 90 : 50) + counts.length * (places.length * 44 + 18),
    marginLeft: left,
    marginRight: 56,
    marginTop: turned ? 72 : 34,
    x: {domain: policies, axis: "top", label: null, padding: 0.04, tickRotate: turned ? -40 : 0},
    y: {domain: places, label: null, padding: 0.06},
    fy: {domain: counts, label: null, tickFormat: (count) => `p = ${count}`, padding: 0.12},
    marks: [
      Plot.cell(rows, {
        x: "memory",
        y: "place",
        fy: "processors",
        fill: (row) => shade(row.ratio).fill,
        ariaLabel: "name",
      }),
      Plot.text(rows, {
        x: "memory",
        y: "place",
        fy: "processors",
        fill: (row) => shade(row.ratio).text,
        text: (row) => inUnit(row.median).split(" ")[0],
      }),
    ],
  });
}

/** Of the size with most combinations, the larger where several have as many. */
function chosenSize(cases) {
  const combinations = (n) =>
    distinct(cases.filter((one) => one.n === n).map((one) => `${one.place}\n${one.memory}`)).length;
  return inOrder(cases.map((one) => one.n)).reduce((best, n) =>
    combinations(n) >= combinations(best) ? n : best,
  );
}

const columns = [
  {label: "place", value: (row) => row.place},
  {label: "memory", value: (row) => row.memory},
  {label: "processors", value: (row) => row.processors},
  {label: "median", value: (row) => row.median, text: readableTime},
  {label: "over the best", value: (row) => row.ratio, text: readableNumber},
];

/** The figure of one work, of the cases in which everything but place, memory, n and processors is
 * the same; nothing if only one combination of place and memory was measured. */
export function placementFigure(id, cases) {
  const n = chosenSize(cases);
  const chosen = cases.filter((one) => one.n === n);
  if (distinct(chosen.map((one) => `${one.place}\n${one.memory}`)).length < 2) return null;
  // A number of processors with a single combination has nothing to compare.
  const rows = inOrder(chosen.map((one) => one.processors)).flatMap((processors) => {
    const group = chosen.filter((one) => one.processors === processors);
    const best = Math.min(...group.map((one) => one.median));
    return group.length < 2 ? [] : group.map((one) => ({...one, ratio: one.median / best}));
  });
  if (rows.length === 0) return null;
  const inUnit = inUnitOf(rows.map((row) => row.median));
  const worst = rows.reduce((a, b) => (b.ratio > a.ratio ? b : a));
  return figure({
    id,
    title: `Placement and memory: ${cases[0].work}, n = ${readableCount(n)}`,
    note:
      `Medians in ${inUnit(0).split(" ")[1]}. Rows: which processors; columns: which nodes the memory is on. ` +
      "The lighter, the faster, among cells with as many processors (p).",
    label:
      `Times of ${cases[0].work} by placement, memory and processors; the worst is ${worst.place} ` +
      `with ${worst.memory} on ${worst.processors} processors, ${readableNumber(worst.ratio)} times the ` +
      "best. The values are in the table below.",
    draw: (width) => plotted(rows, inUnit, width),
    columns,
    rows,
  });
}
