// SPDX-License-Identifier: Apache-2.0
// The parts of the page that show one sweep.
import {comparisonFigure} from "./charts/comparison.js";
import {placementFigure} from "./charts/placement.js";
import {rivalsFigure} from "./charts/rivals.js";
import {scalingFigure} from "./charts/scaling.js";
import {timeFigure} from "./charts/time.js";
import {chooser, element} from "./dom.js";
import {foldedTable, section} from "./figure.js";
import {machineBoxes} from "./machine.js";
import {distinct} from "./numbers.js";
import {overview} from "./overview.js";
import {caseColumns} from "./sweep.js";

const ours = (cases) => cases.filter((one) => one.library === "pleat");
const idOf = (text) => text.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase();
const grid = (figures) => element("div", {class: "grid"}, figures.filter(Boolean));

/** Calls `make` with the cases of each work and of each kind of scaling. */
function forEachWork(cases, make) {
  return ["strong", "weak"].flatMap((scaling) => {
    const chosen = cases.filter((one) => one.scaling === scaling);
    return distinct(chosen.map((one) => one.work)).flatMap((work) =>
      make(chosen.filter((one) => one.work === work), `${idOf(work)}-${scaling}`),
    );
  });
}

export function overviewSection(sweep, cases) {
  return section("overview", "Overview", ...overview(sweep, cases));
}

export function comparisonSection(comparison) {
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
  return section("comparison", "Comparison", place);
}

export function scalingSection(cases) {
  const figures = forEachWork(ours(cases), (chosen, id) => [
    scalingFigure(`speedup-${id}`, chosen, "speedup"),
    scalingFigure(`efficiency-${id}`, chosen, "efficiency"),
  ]);
  if (figures.every((one) => one === null)) return null;
  return section("scaling", "Speed-up and efficiency", grid(figures));
}

export function timeSection(cases) {
  const figures = forEachWork(ours(cases), (chosen, id) =>
    chosen[0].scaling === "strong" ? [timeFigure(`time-${id}`, chosen)] : [],
  );
  if (figures.every((one) => one === null)) return null;
  return section("time", "Time by n", grid(figures));
}

export function rivalsSection(cases, ratios) {
  const byName = new Map(cases.map((one) => [one.name, one]));
  const rows = ratios.flatMap((row) => {
    const rival = byName.get(row.name);
    return rival
      ? [{...row, work: rival.work, rival: rival.library, n: rival.n, processors: rival.processors}]
      : [];
  });
  if (rows.length === 0) return null;
  const figures = distinct(rows.map((row) => row.work)).map((work) =>
    rivalsFigure(`rivals-${idOf(work)}`, work, rows.filter((row) => row.work === work)),
  );
  return section("rivals", "Rivals", grid(figures));
}

export function placementSection(cases) {
  const chosen = ours(cases).filter((one) => one.scaling === "strong");
  const rest = (one) => [one.work, one.pages, one.wait, one.hardware_threads].join("\n");
  const figures = distinct(chosen.map(rest)).map((key) =>
    placementFigure(`placement-${idOf(key)}`, chosen.filter((one) => rest(one) === key)),
  );
  if (figures.every((one) => one === null)) return null;
  return section("placement", "Placement and memory", grid(figures));
}

export function machineSection(machine, cases) {
  if (!machine) return null;
  const known = ours(cases).filter((one) => one.memoryPages);
  return section("machine", "The machine", machineBoxes("machine-boxes", machine, known));
}

export function allCasesSection(cases) {
  return section(
    "cases",
    "All cases",
    foldedTable(
      `Values: all ${cases.length} cases`,
      "All cases",
      [{label: "case", value: (one) => one.name}, ...caseColumns(cases)],
      cases,
    ),
  );
}
