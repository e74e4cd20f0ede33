// SPDX-License-Identifier: Apache-2.0
// Two sweeps: the ratio of each case with its interval, and the verdict.
import {element} from "../dom.js";
import {figure} from "../figure.js";
import {readableNumber, readableTime} from "../numbers.js";
import {ratioPlot} from "./ratios.js";

const verdicts = ["faster", "slower", "same", "undecided"];
const three = (value) => (value === null ? "" : value.toFixed(3));

const plotted = (rows, band, width) =>
  ratioPlot(rows, width, {
    line: (row) => row.name,
    kind: "verdict",
    low: "ratio_low",
    high: "ratio_high",
    kinds: verdicts,
    colours: ["var(--series-3)", "var(--series-2)", "var(--muted)", "var(--series-4)"],
    title: (row) => `${row.name}\n${three(row.ratio)}: ${row.verdict}`,
    band,
  });

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
