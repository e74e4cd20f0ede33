// SPDX-License-Identifier: Apache-2.0
// What was measured, where and how: the context of a sweep, and the cases that failed.
import {element} from "./dom.js";
import {foldedTable} from "./figure.js";
import {distinct, processorsText, readableCount, readableNumber, readableTime} from "./numbers.js";
import {failuresOf, predictedSpeedup} from "./sweep.js";

/** Name and text of each plain value, nested ones with the names of what they are in. */
function flattened(value, name = "") {
  if (value === null || value === undefined || value === "") return [];
  if (Array.isArray(value)) {
    return value.every((one) => typeof one !== "object") ? [[name, value.join(", ")]] : [];
  }
  if (typeof value !== "object") return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) =>
    flattened(inner, name ? `${name}: ${key.replaceAll("_", " ")}` : key.replaceAll("_", " ")),
  );
}

/** Every text in a list named "warnings" or under "warning", wherever it stands. */
function warningsIn(value) {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "warning" && typeof inner === "string") return inner ? [inner] : [];
    if (key === "warnings" && Array.isArray(inner))
      return inner.filter((one) => typeof one === "string");
    return warningsIn(inner);
  });
}

/** A sentence for each work: what most processors gained on the largest n that was measured on one
 * too, beside the model, and the fastest rival there. */
export function findings(cases) {
  const ours = cases.filter((one) => one.library === "pleat" && one.scaling === "strong");
  return distinct(ours.map((one) => one.work)).flatMap((work) => {
    const known = ours.filter(
      (one) => one.work === work && one.speedup !== null && one.processors > 1,
    );
    if (known.length === 0) return [];
    const n = Math.max(...known.map((one) => one.n));
    const most = Math.max(...known.filter((one) => one.n === n).map((one) => one.processors));
    const best = known
      .filter((one) => one.n === n && one.processors === most)
      .reduce((a, b) => (b.median < a.median ? b : a));
    const predicted = predictedSpeedup(best);
    const rival = cases
      .filter(
        (one) =>
          one.library !== "pleat" &&
          one.work === work &&
          one.setting === best.setting &&
          one.n === n &&
          one.processors === most,
      )
      .reduce((a, b) => (a === null || b.median < a.median ? b : a), null);
    return [
      `${work}: ${readableNumber(best.speedup)} × on ${processorsText(most)} at n = ` +
        `${readableCount(n)}, in ${readableTime(best.median)}` +
        (predicted === null ? "" : `; D-BSP predicts ${readableNumber(predicted)} ×`) +
        (rival === null
          ? ""
          : `; ${rival.library} takes ${readableNumber(rival.median / best.median)} × as long`) +
        ".",
    ];
  });
}

export function overview({content, warnings: spoilers}, cases) {
  const pleat = content.context.pleat;
  const failures = failuresOf(content);
  const facts = [
    ["Machine", pleat.host_name ?? content.context.host_name],
    ["Measured", pleat.date ?? content.context.date],
    ["Processor", pleat.state?.processor_model],
    ["Cores", pleat.machine?.allowed_cores],
    ["Compiler", [pleat.compiler, pleat.compiler_flags].filter(Boolean).join(" ")],
    ["Pleat", pleat.pleat],
    [
      "Cases",
      `${cases.length} measured${failures.length > 0 ? `, ${failures.length} failed` : ""}`,
    ],
  ];
  const found = findings(cases);
  const warnings = [...(spoilers ?? []), ...warningsIn(pleat)];
  const list = (attributes, items) =>
    element("ul", attributes, items.map((one) => element("li", {}, one)));
  const warned = (title, attributes, items) =>
    items.length > 0 &&
    element("div", {class: "warnings"}, element("h3", {}, title), list(attributes, items));
  return [
    element(
      "dl",
      {class: "facts"},
      facts
        .filter(([, value]) => value)
        .map(([name, value]) =>
          element("div", {}, element("dt", {}, name), element("dd", {}, String(value))),
        ),
    ),
    found.length > 0 && list({class: "found"}, found),
    warned("Warnings", {}, warnings),
    warned(
      "Failed",
      {class: "failures"},
      failures.map((one) => [element("code", {}, one.name), ` ${one.message}`]),
    ),
    foldedTable(
      "All that is known of the machine and the build",
      "Machine and build",
      [{label: "what", value: ([name]) => name}, {label: "value", value: ([, text]) => text}],
      flattened({...pleat, sweep: pleat.sweep?.arguments}),
    ),
  ].filter(Boolean);
}
