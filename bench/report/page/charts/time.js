// SPDX-License-Identifier: Apache-2.0
// Time against n on logarithmic axes, and the exponents of the powers that fit.
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
import {caseColumns} from "../sweep.js";
import {fittedExponent, theoremOf} from "../theorem.js";
import {curvePlot} from "./curves.js";

function plotted(cases, width) {
  return curvePlot(cases, width, {
    x: "n",
    y: "median",
    line: "processors",
    lines: inOrder(cases.map((one) => one.processors)),
    xAxis: {
      ticks: thinned(inOrder(cases.map((one) => one.n)), width / 64),
      tickFormat: readableCount,
      label: "n",
    },
    yAxis: {type: "log", ticks: 5, tickFormat: timeMark, label: "time", inset: 6},
    legend: {tickFormat: String, label: "processors"},
    name: "name",
    title: (one) =>
      `n = ${readableCount(one.n)}, ${processorsText(one.processors)}\n${readableTime(one.median)}`,
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
    columns: caseColumns(cases),
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
