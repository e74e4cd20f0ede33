// SPDX-License-Identifier: Apache-2.0
import {element} from "./dom.js";

/** A table of values: `columns` are {label, value(row), text(value)}; the first heads the row. The
 * exact value of each cell is in its data-value. */
export function table(caption, columns, rows) {
  const cell = (row, column, index) => {
    const value = column.value(row);
    const text = column.text && value !== null && value !== undefined ? column.text(value) : value;
    const exact = typeof value === "number" ? {"data-value": value, class: "number"} : {};
    return index === 0
      ? element("th", {scope: "row", ...exact}, String(text ?? ""))
      : element("td", exact, String(text ?? ""));
  };
  return element(
    "div",
    {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    element(
      "table",
      {},
      element("caption", {}, caption),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          columns.map((column) =>
            element(
              "th",
              {
                scope: "col",
                class: rows.some((row) => typeof column.value(row) === "number") && "number",
              },
              column.label,
            ),
          ),
        ),
      ),
      element(
        "tbody",
        {},
        rows.map((row) =>
          element("tr", {}, columns.map((column, index) => cell(row, column, index))),
        ),
      ),
    ),
  );
}

/** A table that is shown when its title is chosen. */
export function foldedTable(summary, caption, columns, rows) {
  return element("details", {}, element("summary", {}, summary), table(caption, columns, rows));
}

/** A sentence in the place of what could not be drawn. */
export function failureNote(failure) {
  return element(
    "p",
    {class: "failed", role: "alert"},
    `This part cannot be drawn from the file: ${failure.message}. Measure again, or report it ` +
      "with the file.",
  );
}

/** A chart under its title, with what there is to see in it and the table of its values.
 *
 * `draw(width)` returns the chart, an SVG of Observable Plot's; it is drawn again where its width
 * changes. `legend` is the title of its legend. `label` says in a sentence what a reader who does not see the chart should know. */
export function figure({id, title, note, label, legend, draw, columns, rows}) {
  const place = element("div", {class: "chart"});
  let drawn = 0;
  const redraw = () => {
    const width = Math.floor(place.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    let chart;
    try {
      chart = draw(width);
    } catch (failure) {
      place.replaceChildren(failureNote(failure));
      return;
    }
    const svg = chart.matches("svg") ? chart : chart.querySelector(":scope > svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    const swatches = chart.querySelector('[class*="-swatches"]');
    if (legend && swatches)
      swatches.prepend(element("span", {class: "legend-title"}, `${legend}:`));
    // Swatches stand before their names.
    for (const swatch of chart.querySelectorAll("svg"))
      if (swatch !== svg) swatch.setAttribute("aria-hidden", "true");
    place.replaceChildren(chart);
  };
  // In the next frame: a chart that is drawn while sizes are reported changes sizes.
  new ResizeObserver(() => requestAnimationFrame(redraw)).observe(place);
  return element(
    "figure",
    {id, class: "figure"},
    element("figcaption", {}, element("h3", {}, title), note ? element("p", {}, note) : null),
    place,
    foldedTable(`Values: ${title}`, title, columns, rows),
  );
}

/** A part of the page that the navigation leads to. */
export function section(id, title, ...children) {
  return element(
    "section",
    {id, "aria-labelledby": `${id}-title`},
    element("h2", {id: `${id}-title`}, title),
    ...children,
  );
}
