// SPDX-License-Identifier: Apache-2.0
// The page: reads what the tool put into it and makes its parts.
import {matrixFigure} from "./charts/matrix.js";
import {timesFigure} from "./charts/times.js";
import {chooser, element} from "./dom.js";
import {failureNote, section} from "./figure.js";
import {overview} from "./overview.js";
import {
  allCases,
  comparedCases,
  grid,
  machine,
  placementFigures,
  rivalsFigures,
  scalingFigures,
  timeFigures,
} from "./sections.js";
import {casesOf, settingsOf} from "./sweep.js";

const report = JSON.parse(document.getElementById("report-data").textContent);

/** What `make` returns, or in its place why it could not be drawn: the rest of the page is shown all
 * the same. */
function attempt(make) {
  try {
    return make();
  } catch (failure) {
    return failureNote(failure);
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

/** The figures of all documents of a kind. */
const figuresOf = (kind, figures) =>
  grid(ofKind(kind).flatMap((one, i) => attempt(() => figures(one.content, i))));

/** All sections for a sweep (none: what the other files say), its cases and a setting of it. */
function sectionsOf(sweep, cases, setting) {
  const chosen = cases.filter((one) => one.setting === setting);
  return [
    ["overview", "Overview", () => sweep && overview(sweep, cases)],
    ["comparison", "Comparison", () => report.comparison && comparedCases(report.comparison)],
    ["scaling", "Speed-up and efficiency", () => scalingFigures(chosen)],
    ["time", "Time by n", () => timeFigures(chosen)],
    ["rivals", "Rivals", () => sweep && rivalsFigures(chosen, sweep.ratios ?? [])],
    ["placement", "Placement and memory", () => placementFigures(cases)],
    [
      "matrices",
      "Distances",
      () =>
        figuresOf("matrix", ({matrices}, i) =>
          matrices.map((matrix, j) => matrixFigure(`matrix-${i}-${j}`, matrix)),
        ),
    ],
    [
      "times",
      "Where the time went",
      () => figuresOf("timeline", (content, i) => timesFigure(`times-${i}`, content)),
    ],
    ["machine", "The machine", () => machine(machineOf(sweep), cases)],
    ["cases", "All cases", () => allCases(cases)],
  ].flatMap(([id, title, make]) => {
    const shown = attempt(make);
    return shown ? [section(id, title, shown)] : [];
  });
}

const sweeps = ofKind("sweep");
const content = document.getElementById("content");
const navigation = element("nav", {"aria-label": "Parts of the report"});
const choosers = element("div", {class: "choosers"});

function show(file, setting) {
  const sweep = sweeps[file];
  let cases = [];
  let settings = [];
  const unread = attempt(() => {
    if (!sweep) return;
    cases = casesOf(sweep.content);
    settings = settingsOf(cases);
  });
  const current = setting ?? settings[0]?.value;
  const made = sectionsOf(sweep, cases, current);
  if (unread) made.unshift(section("sweep", "The sweep", unread));
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
