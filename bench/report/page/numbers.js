// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them; the tool writes them the same way (bench/tool/printable.cpp).

export function readableNumber(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  const size = Math.abs(value);
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

function inUnits(value, units) {
  const [unit, factor] = units.find(([, , below]) => Math.abs(value) < below) ?? units.at(-1);
  return `${readableNumber(value * factor)} ${unit}`;
}

export function readableTime(seconds) {
  if (seconds === null || seconds === undefined) return "";
  return inUnits(seconds, [
    ["ns", 1e9, 999.5e-9],
    ["µs", 1e6, 999.5e-6],
    ["ms", 1e3, 999.5e-3],
    ["s", 1, Infinity],
  ]);
}

/** Writes values in the unit that fits the middle one of these, so that figures compare. `unit` is
 * theirs where `readable` writes none. */
export function inUnitOf(values, readable = readableTime, unit = "") {
  const middle = values.slice().sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const fitting = readable(middle).split(" ")[1] ?? unit;
  const factors = {ns: 1e9, µs: 1e6, ms: 1e3, "GB/s": 1e-9, "MB/s": 1e-6, "kB/s": 1e-3};
  return (value) =>
    value === null ? "" : `${readableNumber(value * (factors[fitting] ?? 1))} ${fitting}`;
}

/** The mark of an axis of times: at powers of ten no decimals. */
export function timeMark(seconds) {
  if (seconds === 0) return "0";
  return readableTime(seconds)
    .replace(/(\.\d*?)0+ /, "$1 ")
    .replace(". ", " ");
}

export function readableRate(bytes) {
  return inUnits(bytes, [
    ["B/s", 1, 999.5],
    ["kB/s", 1e-3, 999.5e3],
    ["MB/s", 1e-6, 999.5e6],
    ["GB/s", 1e-9, Infinity],
  ]);
}

const raised = {0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"};

/** 2²⁰ for powers of two from 1,024 on, else the digits in groups. */
export function readableCount(count) {
  const exponent = Math.log2(count);
  if (count >= 1024 && Number.isInteger(exponent)) {
    return "2" + [...String(exponent)].map((digit) => raised[digit]).join("");
  }
  return count.toLocaleString("en");
}

export function readableShare(share) {
  return `${readableNumber(100 * share)} %`;
}

/** As many of the sorted values as have room, evenly chosen, always with the last one. */
export function thinned(values, most) {
  const step = Math.max(1, Math.ceil(values.length / Math.max(1, most)));
  return values.filter((_, index) => (values.length - 1 - index) % step === 0);
}

/** Marks for an axis of ratios from low to high, those nearest to 1 if there is no room for all. */
export function ratioMarks(low, high, most) {
  const all = [
    0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.3, 1.5, 2, 3, 5, 7, 10, 20, 50,
    100,
  ].filter((mark) => low <= mark && mark <= high);
  const room = (0.9 * Math.log(high / low)) / Math.max(2, most);
  const chosen = [1];
  for (const mark of all.sort((a, b) => Math.abs(Math.log(b)) - Math.abs(Math.log(a)))) {
    if (chosen.every((one) => Math.abs(Math.log(mark / one)) >= room)) chosen.push(mark);
  }
  return chosen.sort((a, b) => a - b);
}

export function processorsText(count) {
  return count === 1 ? "1 processor" : `${count} processors`;
}

export function distinct(values) {
  return [...new Set(values)];
}

export function inOrder(values) {
  return distinct(values).sort((a, b) => a - b);
}
