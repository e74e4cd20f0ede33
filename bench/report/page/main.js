// SPDX-License-Identifier: Apache-2.0
// The page: reads what the tool put into it and makes its parts.
import {matrixFigure} from "./charts/matrix.js";
import {timesFigure} from "./charts/times.js";
import {chooser, element} from "./dom.js";
import {failureNote, section} from "./figure.js";
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

/** What `make` returns, or in its place a section that says why it could not be drawn: the rest of
 * the page is shown all the same. */
function attempt(id, title, make) {
  try {
    return make();
  } catch (failure) {
    return section(id, title, failureNote(failure));
  }
}
const ofKind = (kind) => report.documents.filter((one) => one.kind === kind);

/** {processors, clusters}: of the sweep, else of a topology beside it. */
function machineOf(sweep) {
  const candidates = [
    sweep?.content.context.pleat,
    ...ofKind("topology").map((one) => one.content.topology),
  ];
  return candidates.find((one) => one?.processors && one?.clusters) ?? null;
}

/** A section of the figures of all documents of a kind; nothing if there are none. */
function figuresOf(kind, id, title, figures) {
  const made = ofKind(kind).flatMap((one, i) => {
    try {
      return figures(one.content, i);
    } catch (failure) {
      return [failureNote(failure)];
    }
  });
  return made.length > 0 && section(id, title, element("div", {class: "grid"}, made));
}

const matricesSection = () =>
  figuresOf("matrix", "matrices", "Distances", ({matrices}, i) =>
    matrices.map((matrix, j) => matrixFigure(`matrix-${i}-${j}`, matrix)),
  );
const timesSection = () =>
  figuresOf("timeline", "times", "Where the time went", (content, i) => [
    timesFigure(`times-${i}`, content),
  ]);

/** All sections for a sweep (none: what the other files say), its cases and a setting of it. */
function sectionsOf(sweep, cases, setting) {
  const chosen = cases.filter((one) => one.setting === setting);
  return [
    ["overview", "Overview", () => sweep && overviewSection(sweep, cases)],
    ["comparison", "Comparison", () => report.comparison && comparisonSection(report.comparison)],
    ["scaling", "Speed-up and efficiency", () => cases.length > 0 && scalingSection(chosen)],
    ["time", "Time by n", () => cases.length > 0 && timeSection(chosen)],
    ["rivals", "Rivals", () => sweep && rivalsSection(chosen, sweep.ratios ?? [])],
    ["placement", "Placement and memory", () => placementSection(cases)],
    ["matrices", "Distances", matricesSection],
    ["times", "Where the time went", timesSection],
    ["machine", "The machine", () => machineSection(machineOf(sweep), cases)],
    ["cases", "All cases", () => cases.length > 0 && allCasesSection(cases)],
  ]
    .map(([id, title, make]) => attempt(id, title, make))
    .filter(Boolean);
}

const sweeps = ofKind("sweep");
const content = document.getElementById("content");
const navigation = element("nav", {"aria-label": "Parts of the report"});
const choosers = element("div", {class: "choosers"});

function show(file, setting) {
  const sweep = sweeps[file];
  let cases = [];
  let settings = [];
  const unread = attempt("sweep", "The sweep", () => {
    if (!sweep) return null;
    cases = casesOf(sweep.content);
    settings = settingsOf(cases);
    return null;
  });
  const current = setting ?? settings[0]?.value;
  const made = [unread, ...sectionsOf(sweep, cases, current)].filter(Boolean);
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
