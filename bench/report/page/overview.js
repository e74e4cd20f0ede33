// SPDX-License-Identifier: Apache-2.0
// What was measured, where and how: the context of a sweep, and the cases that failed.
import {element} from "./dom.js";
import {table} from "./figure.js";
import {failuresOf} from "./sweep.js";

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

export function overview({content, warnings: spoilers}, cases) {
  const pleat = content.context.pleat;
  const failures = failuresOf(content);
  const facts = [
    ["Machine", pleat.host_name ?? content.context.host_name],
    ["Measured", pleat.date ?? content.context.date],
    ["Pleat", pleat.pleat],
    [
      "Cases",
      `${cases.length} measured${failures.length > 0 ? `, ${failures.length} failed` : ""}`,
    ],
  ];
  const warnings = [...(spoilers ?? []), ...warningsIn(pleat)];
  return [
    element(
      "dl",
      {class: "facts"},
      facts
        .filter(([, value]) => value)
        .map(([name, value]) =>
          element("div", {}, element("dt", {}, name), element("dd", {}, value)),
        ),
    ),
    warnings.length > 0
      ? element(
          "div",
          {class: "warnings"},
          element("h3", {}, "Warnings"),
          element(
            "ul",
            {},
            warnings.map((one) => element("li", {}, one)),
          ),
        )
      : null,
    failures.length > 0
      ? element(
          "div",
          {class: "warnings"},
          element("h3", {}, "Failed"),
          element(
            "ul",
            {class: "failures"},
            failures.map((one) =>
              element("li", {}, element("code", {}, one.name), ` ${one.message}`),
            ),
          ),
        )
      : null,
    element(
      "details",
      {},
      element("summary", {}, "All that is known of the machine and the build"),
      table(
        "Machine and build",
        [
          {label: "what", value: ([name]) => name},
          {label: "value", value: ([, text]) => text},
        ],
        flattened(pleat),
      ),
    ),
  ];
}
