// SPDX-License-Identifier: Apache-2.0
// Time against n on logarithmic axes, and the exponents of the powers that fit.
import * as Plot from "@observablehq/plot";
import {ordered} from "../colours.js";
import {figure, table} from "../figure.js";
import {element} from "../dom.js";
import {
  inOrder,
  processorsText,
  readableCount,
  readableNumber,
  readableTime,
  thinned,
  timeMark,
} from "../numbers.js";
import {ranksColumn} from "../sweep.js";
import {fittedExponent, theoremOf} from "../theorem.js";

function plotted(cases, width) {
  const sizes = inOrder(cases.map((one) => one.n));
  const counts = inOrder(cases.map((one) => one.processors));
  const common = {x: "n", stroke: "processors"};
  return Plot.plot({
    width,
    height: Math.max(280, Math.min(380, width * 0.75)),
    marginLeft: 56,
    marginRight: 20,
    marginTop: 30,
    marginBottom: 42,
    x: {
      type: "log",
      base: 2,
      ticks: thinned(sizes, width / 64),
      tickFormat: readableCount,
      label: "n",
      labelOffset: 38,
      inset: 10,
    },
    y: {type: "log", ticks: 5, tickFormat: timeMark, label: "time", grid: true, inset: 6},
    color: {type: "ordinal", domain: counts, range: ordered(counts.length)},
    symbol: {
      type: "ordinal",
      domain: counts,
      legend: true,
      tickFormat: String,
      label: "processors",
    },
    marks: [
      Plot.line(cases, {...common, y: "median", z: "processors", strokeWidth: 2}),
      Plot.ruleX(cases.filter((one) => one.low !== null), {...common, y1: "low", y2: "high"}),
      Plot.dot(cases, {
        ...common,
        y: "median",
        symbol: "processors",
        fill: "processors",
        r: 4,
        ariaLabel: "name",
      }),
      Plot.tip(
        cases,
        Plot.pointer({
          x: "n",
          y: "median",
          title: (one) =>
            `n = ${readableCount(one.n)}, ${processorsText(one.processors)}\n${readableTime(one.median)}`,
        }),
      ),
    ],
  });
}

/** {processors, fitted, theorem} for each number of processors with at least two sizes. */
function exponentsOf(cases) {
  const theorem = theoremOf(cases[0].program);
  return inOrder(cases.map((one) => one.processors)).flatMap((processors) => {
    const chosen = cases.filter((one) => one.processors === processors);
    const sizes = chosen.map((one) => one.n);
    if (inOrder(sizes).length < 2) return [];
    return [
      {
        processors,
        fitted: fittedExponent(sizes, chosen.map((one) => one.median)),
        theorem: theorem ? fittedExponent(sizes, sizes.map(theorem.work)) : null,
      },
    ];
  });
}

const columnsOf = (cases) => [
  {label: "n", value: (one) => one.n, text: readableCount},
  ...ranksColumn(cases, (one) => one),
  {label: "processors", value: (one) => one.processors},
  {label: "median", value: (one) => one.median, text: readableTime},
  {label: "from", value: (one) => one.low, text: readableTime},
  {label: "to", value: (one) => one.high, text: readableTime},
  {label: "predicted", value: (one) => one.predicted, text: readableTime},
  {label: "repetitions", value: (one) => one.repetitions},
  {label: "stopped by", value: (one) => one.stopped},
];

/** The figure of one work: `cases` of Pleat that differ in n and processors only; nothing if all
 * are of one n. */
export function timeFigure(id, cases) {
  if (inOrder(cases.map((one) => one.n)).length < 2) return null;
  const theorem = theoremOf(cases[0].program);
  const exponents = exponentsOf(cases);
  const made = figure({
    id,
    title: `Time by n: ${cases[0].work}`,
    note: `Medians${cases[0].operation ? ` of ${cases[0].operation}` : ""} with 95 % intervals, one line for each number of processors.`,
    legend: "processors",
    label: `Time of ${cases[0].work} by n, on logarithmic axes. The values are in the table below.`,
    draw: (width) => plotted(cases, width),
    columns: columnsOf(cases),
    rows: cases,
  });
  if (exponents.length > 0) {
    made.querySelector(".chart").after(
      element(
        "div",
        {class: "exponents"},
        table(
          `Exponents: time grows as n to this power${theorem ? `; by the theorem, as ${theorem.text}` : ""}`,
          [
            {label: "processors", value: (one) => one.processors},
            {label: "fitted", value: (one) => one.fitted, text: readableNumber},
            {label: "theorem, over these n", value: (one) => one.theorem, text: readableNumber},
          ],
          exponents,
        ),
      ),
    );
  }
  return made;
}
