// SPDX-License-Identifier: Apache-2.0
// What the sections of the page show of one sweep; nothing where there is nothing to show.
import {comparisonFigure} from "./charts/comparison.js";
import {placementFigure} from "./charts/placement.js";
import {rivalsFigure} from "./charts/rivals.js";
import {scalingFigure} from "./charts/scaling.js";
import {timeFigure} from "./charts/time.js";
import {chooser, element} from "./dom.js";
import {foldedTable} from "./figure.js";
import {machineBoxes} from "./machine.js";
import {distinct} from "./numbers.js";
import {caseColumns} from "./sweep.js";

const ours = (cases) => cases.filter((one) => one.library === "pleat");
const idOf = (text) => text.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase();

/** The figures that there are, side by side. */
export function grid(figures) {
  return figures.some(Boolean) ? element("div", {class: "grid"}, figures) : null;
}

/** Calls `make` with the cases of each work and of each kind of scaling. */
function forEachWork(cases, make) {
  return ["strong", "weak"].flatMap((scaling) => {
    const chosen = cases.filter((one) => one.scaling === scaling);
    return distinct(chosen.map((one) => one.work)).flatMap((work) =>
      make(chosen.filter((one) => one.work === work), `${idOf(work)}-${scaling}`),
    );
  });
}

export function comparedCases(comparison) {
  const place = element("div", {});
  const show = (which) =>
    place.replaceChildren(
      chooser(
        "compared",
        "Cases",
        [
          {value: "all", text: `all ${comparison.cases.length}`},
          {value: "changed", text: "faster or slower"},
        ],
        which,
        (chosen) => {
          show(chosen);
          document.getElementById("compared").focus();
        },
      ),
      comparisonFigure("comparison-ratios", comparison, which === "changed"),
    );
  show("all");
  return place;
}

export const scalingFigures = (cases) =>
  grid(
    forEachWork(ours(cases), (chosen, id) => [
      scalingFigure(`speedup-${id}`, chosen, "speedup"),
      scalingFigure(`efficiency-${id}`, chosen, "efficiency"),
    ]),
  );

export const timeFigures = (cases) =>
  grid(
    forEachWork(ours(cases), (chosen, id) =>
      chosen[0].scaling === "strong" ? [timeFigure(`time-${id}`, chosen)] : [],
    ),
  );

export function rivalsFigures(cases, ratios) {
  const byName = new Map(cases.map((one) => [one.name, one]));
  const rows = ratios.flatMap((row) => {
    const rival = byName.get(row.name);
    return rival
      ? [{...row, work: rival.work, rival: rival.library, n: rival.n, processors: rival.processors}]
      : [];
  });
  return grid(
    distinct(rows.map((row) => row.work)).map((work) =>
      rivalsFigure(`rivals-${idOf(work)}`, work, rows.filter((row) => row.work === work)),
    ),
  );
}

export function placementFigures(cases) {
  const chosen = ours(cases).filter((one) => one.scaling === "strong");
  const rest = (one) => [one.work, one.pages, one.wait, one.hardware_threads].join("\n");
  return grid(
    distinct(chosen.map(rest)).map((key) =>
      placementFigure(`placement-${idOf(key)}`, chosen.filter((one) => rest(one) === key)),
    ),
  );
}

export function machine(known, cases) {
  const paged = ours(cases).filter((one) => one.memoryPages);
  return known && machineBoxes("machine-boxes", known, paged);
}

export const allCases = (cases) =>
  cases.length > 0 &&
  foldedTable(
    `Values: all ${cases.length} cases`,
    "All cases",
    [{label: "case", value: (one) => one.name}, ...caseColumns(cases)],
    cases,
  );
