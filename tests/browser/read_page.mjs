// SPDX-License-Identifier: Apache-2.0
// Functions that run in the page and say what is to be seen in it. Each stands alone: its source is
// sent to the browser.

/** Every chart: {id, drawn, label, tables: [{caption, header, rows}]}. Cells are exact values. */
export function figures() {
  const cell = (one) =>
    one.dataset.value === undefined ? one.textContent : Number(one.dataset.value);
  return [...document.querySelectorAll("figure.figure")].map((figure) => {
    const svg = figure.querySelector(".chart > svg, .chart > figure > svg");
    return {
      id: figure.id,
      drawn: svg !== null && svg.querySelectorAll("path, rect, circle").length > 0,
      role: svg?.getAttribute("role"),
      label: svg?.getAttribute("aria-label") ?? "",
      tables: [...figure.querySelectorAll("table")].map((table) => ({
        caption: table.caption?.textContent ?? "",
        header: [...table.tHead.rows[0].cells].map((one) => one.textContent),
        rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map(cell)),
      })),
    };
  });
}

/** The marks of a chart that have a name, and the marks of its axes, in pixels: {dots: [{name, x,
 * y}], cells: [{name, x, y, width, fill}], x: [{text, at}], y: […]}. */
export function marks(id) {
  const svg = document.querySelector(`[id="${id}"] .chart svg[role=img]`);
  const middle = (one) => {
    const box = one.getBoundingClientRect();
    return {x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width};
  };
  const axis = (name, side) =>
    [...svg.querySelectorAll(`[aria-label="${name}-axis tick"] path`)].map((tick, i) => ({
      text:
        svg.querySelectorAll(`[aria-label="${name}-axis tick label"] text`)[i]?.textContent ?? "",
      at: middle(tick)[side],
    }));
  const named = (kind) =>
    [...svg.querySelectorAll(`${kind}[aria-label]`)].map((one) => ({
      name: one.getAttribute("aria-label"),
      ...middle(one),
      fill: getComputedStyle(one).fill,
    }));
  return {
    dots: named("path").concat(named("circle")),
    cells: named("rect"),
    x: axis("x", "x"),
    y: axis("y", "y"),
  };
}

/** The texts that cannot be told from their background (WCAG 2, 1.4.3: 4.5 to 1), and the marks of
 * charts (1.4.11: 3 to 1): {what, ratio}. Everything has to be in the window. */
export function poorContrast() {
  const parsed = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const over = (top, under) => {
    const alpha = top[3] ?? 1;
    return [0, 1, 2].map((i) => top[i] * alpha + under[i] * (1 - alpha));
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  // What is painted under an element, from its ancestors.
  const ground = (one) => {
    if (!one) return [255, 255, 255];
    const own = parsed(getComputedStyle(one).backgroundColor);
    return (own[3] ?? 1) === 1 ? own : over(own, ground(one.parentElement));
  };
  const cellUnder = (one) => {
    const box = one.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return [...one.ownerSVGElement.querySelectorAll("[aria-label=cell] rect")].find((rect) => {
      const around = rect.getBoundingClientRect();
      return around.left <= x && x <= around.right && around.top <= y && y <= around.bottom;
    });
  };
  const poor = [];
  const check = (what, colour, under, least) => {
    const found = ratio(over(parsed(colour), under), under);
    if (found < least) poor.push({what, ratio: Math.round(100 * found) / 100, colour, under});
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (
      !texts.currentNode.textContent.trim() ||
      one.closest("script, style, noscript, option, .skip")
    )
      continue;
    if (one.getClientRects().length === 0) continue;
    const isSvg = one instanceof SVGElement;
    const cell = isSvg ? cellUnder(one) : undefined;
    const under = cell
      ? parsed(getComputedStyle(cell).fill)
      : ground(isSvg ? one.ownerSVGElement : one);
    check(
      texts.currentNode.textContent,
      isSvg ? getComputedStyle(one).fill : getComputedStyle(one).color,
      under,
      4.5,
    );
  }
  for (const dot of document.querySelectorAll(".chart [aria-label=dot] > *")) {
    check(
      `dot of ${dot.closest("figure.figure").id}`,
      getComputedStyle(dot).fill,
      ground(dot.closest("svg")),
      3,
    );
  }
  return poor;
}

/** What is wider than the window: names of elements; empty if one need not scroll sideways. */
export function tooWide() {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) {
    return [...document.querySelectorAll(".chart svg[role=img]")]
      .filter((svg) => svg.getBoundingClientRect().right > width)
      .map((svg) => svg.getAttribute("aria-label"));
  }
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > width && !one.closest(".scroll"))
    .map((one) => `${one.tagName} ${one.className?.baseVal ?? one.className} ${one.id}`);
}
