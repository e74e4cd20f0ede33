// SPDX-License-Identifier: Apache-2.0
// The machine as nested boxes: the cluster tree, the processors in it, and the pages on its nodes.
import {chooser, element} from "./dom.js";
import {foldedTable} from "./figure.js";
import {processorsText, readableCount, readableShare} from "./numbers.js";

function inside(cluster, other) {
  return other.first >= cluster.first && other.first + other.size <= cluster.first + cluster.size;
}

/** Clusters as a tree; those that hold the same processors as their parent are one box with it. */
function treeOf(clusters) {
  const byLevel = [...clusters].sort((a, b) => a.level - b.level || a.index - b.index);
  const boxes = byLevel.map((cluster) => ({...cluster, children: []}));
  const roots = [];
  boxes.forEach((box, place) => {
    const parents = boxes
      .slice(0, place)
      .filter((other) => other.level < box.level && inside(other, box));
    const parent = parents.at(-1);
    if (parent && parent.size === box.size) parent.object ||= box.object;
    else (parent ? parent.children : roots).push(box);
    if (parent && parent.size === box.size) box.merged = true;
  });
  return roots.filter((box) => !box.merged);
}

function nodeOf(box, processors) {
  const nodes = new Set(processors.slice(box.first, box.first + box.size).map((one) => one.numa));
  return nodes.size === 1 ? [...nodes][0] : null;
}

function pagesLine(node, pages) {
  const total = Object.values(pages.on_node).reduce((a, b) => a + b, 0);
  const count = pages.on_node[node] ?? 0;
  const share = total > 0 ? count / total : 0;
  return element(
    "span",
    {class: "pages", "data-node": node, "data-value": count},
    element(
      "span",
      {class: "gauge", "aria-hidden": "true"},
      element("span", {style: `inline-size: ${100 * share}%`}),
    ),
    `node ${node}: ${count.toLocaleString("en")} pages (${readableShare(share)})`,
  );
}

function boxOf(box, processors, pages, outerNode) {
  const node = nodeOf(box, processors);
  const isNode = node !== null && outerNode === null;
  if (box.size === 1) {
    const one = processors[box.first];
    return element(
      "li",
      {class: "processor"},
      element("b", {}, `${one.rank}`),
      element("span", {}, `core ${one.core}`),
      element("span", {}, `PU ${one.pu}`),
      isNode && pages ? pagesLine(node, pages) : null,
    );
  }
  return element(
    "li",
    {class: isNode ? "box node" : "box"},
    element(
      "span",
      {class: "box-title"},
      `${box.object} `,
      element("span", {class: "level"}, `level ${box.level}, ${processorsText(box.size)}`),
    ),
    isNode && pages ? pagesLine(node, pages) : null,
    element(
      "ul",
      {},
      box.children.map((child) => boxOf(child, processors, pages, isNode ? node : outerNode)),
    ),
  );
}

/** The boxes, a choice of the case whose pages they show, and tables of both. `cases` are those of
 * a sweep that say where their memory was; there may be none. */
export function machineBoxes(id, {processors, clusters}, cases) {
  const place = element("div", {class: "machine"});
  const roots = treeOf(clusters);
  const show = (name) => {
    const chosen = cases.find((one) => one.name === name);
    place.replaceChildren(
      element(
        "ul",
        {class: "boxes", "aria-label": "The machine's clusters"},
        roots.map((root) => boxOf(root, processors, chosen?.memoryPages ?? null, null)),
      ),
    );
  };
  const largest = cases.reduce(
    (a, b) => (a && a.n * a.processors >= b.n * b.processors ? a : b),
    null,
  );
  show(largest?.name);
  const nodes = [...new Set(processors.map((one) => one.numa))].sort((a, b) => a - b);
  return element(
    "div",
    {id, class: "figure"},
    element(
      "p",
      {},
      "A box is a cluster: processors that meet without those outside it. The innermost " +
        "boxes are processors, in the order of their ranks.",
    ),
    cases.length > 0
      ? chooser(
          `${id}-case`,
          "Pages of",
          cases.map((one) => ({
            value: one.name,
            text: `${one.work}, n = ${readableCount(one.n)}, ${processorsText(one.processors)}, ${one.place}, ${one.memory}`,
          })),
          largest.name,
          show,
        )
      : null,
    place,
    foldedTable(
      "Values: processors",
      "Processors",
      [
        {label: "rank", value: (one) => one.rank},
        {label: "core", value: (one) => one.core},
        {label: "PU", value: (one) => one.pu},
        {label: "node", value: (one) => one.numa},
        {label: "package", value: (one) => one.package},
      ],
      processors,
    ),
    cases.length > 0
      ? foldedTable(
          "Values: pages on each node",
          "Pages on each node",
          [
            {label: "case", value: (one) => one.name},
            ...nodes.map((node) => ({
              label: `node ${node}`,
              value: (one) => one.memoryPages.on_node[node] ?? 0,
              text: (count) => count.toLocaleString("en"),
            })),
            {
              label: "page",
              value: (one) => one.memoryPages.page_bytes ?? null,
              text: (bytes) => `${bytes / 1024} KiB`,
            },
            {label: "absent", value: (one) => one.memoryPages.absent ?? null},
            {label: "not where the policy puts them", value: (one) => one.memoryPages.astray ?? null},
          ],
          cases,
        )
      : null,
  );
}
