// SPDX-License-Identifier: Apache-2.0
// The page: reads what the tool put into it and makes its parts.
import {matrixFigure} from "./charts/matrix.js";
import {timesFigure} from "./charts/times.js";
import {chooser, element} from "./dom.js";
import {section} from "./figure.js";
import {
  allCasesSection,
  comparisonSection,
  machineSection,
  overviewSection,
  placementSection,
  rivalsSection,
  scalingSection,
  timeSection,
} from "./sections.js";
import {casesOf, settingsOf} from "./sweep.js";

const report = JSON.parse(document.getElementById("report-data").textContent);
const ofKind = (kind) => report.documents.filter((one) => one.kind === kind);

/** {processors, clusters}: of the sweep, else of a topology beside it. */
function machineOf(sweep) {
  const candidates = [
    sweep?.content.context.pleat,
    ...ofKind("topology").map((one) => one.content.topology),
  ];
  return candidates.find((one) => one?.processors && one?.clusters) ?? null;
}

const matrices = () =>
  ofKind("matrix").flatMap((one, i) =>
    one.content.matrices.map((matrix, j) => matrixFigure(`matrix-${i}-${j}`, matrix)),
  );
const runs = () => ofKind("timeline").map((one, i) => timesFigure(`times-${i}`, one.content));

/** All sections for a sweep (none: what the other files say) and a setting of it. */
function sectionsOf(sweep, setting) {
  const cases = sweep ? casesOf(sweep.content) : [];
  const chosen = cases.filter((one) => one.setting === setting);
  const measured = matrices();
  const timelines = runs();
  return [
    sweep && overviewSection(sweep, cases),
    report.comparison && comparisonSection(report.comparison),
    cases.length > 0 && scalingSection(chosen),
    cases.length > 0 && timeSection(chosen),
    sweep && rivalsSection(chosen, sweep.ratios ?? []),
    placementSection(cases),
    measured.length > 0 &&
      section("matrices", "Distances", element("div", {class: "grid"}, measured)),
    timelines.length > 0 &&
      section("times", "Where the time went", element("div", {class: "grid"}, timelines)),
    machineSection(machineOf(sweep), cases),
    cases.length > 0 && allCasesSection(cases),
  ].filter(Boolean);
}

const sweeps = ofKind("sweep");
const content = document.getElementById("content");
const navigation = element("nav", {"aria-label": "Parts of the report"});
const choosers = element("div", {class: "choosers"});

function show(file, setting) {
  const sweep = sweeps[file];
  const settings = sweep ? settingsOf(casesOf(sweep.content)) : [];
  const current = setting ?? settings[0]?.value;
  const made = sectionsOf(sweep, current);
  content.replaceChildren(...made);
  navigation.replaceChildren(
    element(
      "ul",
      {},
      made.map((part) =>
        element(
          "li",
          {},
          element("a", {href: `#${part.id}`}, part.querySelector("h2").textContent),
        ),
      ),
    ),
  );
  const focused = document.activeElement?.id;
  choosers.replaceChildren(
    ...(sweeps.length > 1
      ? [
          chooser(
            "file",
            "Sweep",
            sweeps.map((one, i) => ({value: String(i), text: one.file})),
            String(file),
            (value) => show(Number(value)),
          ),
        ]
      : []),
    ...(settings.length > 1
      ? [chooser("setting", "Charts of", settings, current, (value) => show(file, value))]
      : []),
  );
  if (focused === "file" || focused === "setting") document.getElementById(focused)?.focus();
}

document
  .getElementById("header")
  .append(
    element("h1", {}, "Pleat"),
    element("p", {class: "files"}, report.documents.map((one) => one.file).join(", ")),
    navigation,
    choosers,
  );
show(Math.max(0, sweeps.length - 1));
