// SPDX-License-Identifier: Apache-2.0

/** An HTML element with these attributes and children; attributes that are false or null are left
 * out, functions are listeners. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") made.addEventListener(key, value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A label and a list to choose from. `choices` are {value, text}. */
export function chooser(id, label, choices, chosen, change) {
  const list = element(
    "select",
    {id, change: () => change(list.value)},
    choices.map(({value, text}) => element("option", {value, selected: value === chosen}, text)),
  );
  return element("p", {class: "chooser"}, element("label", {for: id}, label), " ", list);
}
