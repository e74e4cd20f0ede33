// SPDX-License-Identifier: Apache-2.0
// The cases of a sweep, from its file in Google Benchmark's schema.
import {distinct, readableCount, readableNumber, readableTime} from "./numbers.js";

const units = {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1};
const settingKeys = [
  "place",
  "memory",
  "pages",
  "wait",
  "hardware_threads",
  "mpi",
  "processors_of_each_rank",
];

/** Ranks are no setting: they are on the axis of processors, as what share them are. */
function keysOf(entry) {
  return entry.ranks ? {...entry, processors_of_each_rank: entry.processors / entry.ranks} : entry;
}

function caseOf(entry, repetitions, operations) {
  return {
    name: entry.run_name,
    program: entry.program,
    work: [entry.program, entry.type, entry.distribution].filter(Boolean).join(" "),
    operation: operations?.[entry.program]?.time_of ?? "",
    library: entry.library || "pleat",
    n: entry.n,
    processors: entry.processors,
    ranks: entry.ranks ?? null,
    ...Object.fromEntries(settingKeys.map((key) => [key, keysOf(entry)[key] ?? ""])),
    setting: settingKeys.map((key) => keysOf(entry)[key] ?? "").join("\n"),
    scaling: entry.scaling || "strong",
    perProcessor: entry.per_processor || null,
    median: entry.real_time * units[entry.time_unit],
    low: entry.interval_low_s || null,
    high: entry.interval_high_s || null,
    repetitions,
    speedup: entry.speedup || null,
    efficiency: entry.efficiency || null,
    predicted: entry.predicted_s || null,
    ratio: entry.ratio ?? null,
    stopped: entry.stopped ?? "",
    memoryPages: entry.memory_pages?.on_node ? entry.memory_pages : null,
  };
}

/** The measured cases, each from the entry of its median. */
export function casesOf(content) {
  const repetitions = new Map();
  for (const one of content.benchmarks) {
    if (one.run_type !== "iteration" || one.error_occurred) continue;
    repetitions.set(one.run_name, (repetitions.get(one.run_name) ?? 0) + 1);
  }
  return content.benchmarks
    .filter((one) => one.run_type === "aggregate" && one.aggregate_name === "median")
    .map((one) => caseOf(one, repetitions.get(one.run_name) ?? 0, content.context.pleat.operations));
}

/** {name, message} of each case that failed. */
export function failuresOf(content) {
  return content.benchmarks
    .filter((one) => one.error_occurred)
    .map((one) => ({name: one.run_name, message: one.error_message ?? "failed"}));
}

/** The placements, memory policies and so on that occur together: {value, text}, those of most
 * cases first. What is the same in all of them is not in the text. */
export function settingsOf(cases) {
  const count = new Map();
  for (const one of cases) count.set(one.setting, (count.get(one.setting) ?? 0) + 1);
  const differing = settingKeys.filter((key) => distinct(cases.map((one) => one[key])).length > 1);
  const shown = differing.length > 0 ? differing : ["place"];
  const text = (one) => shown.map((key) => `${key.replaceAll("_", " ")} ${one[key]}`).join(", ");
  return [...count.entries()]
    .sort((a, b) => b[1] - a[1])
    .map(([value]) => ({value, text: text(cases.find((one) => one.setting === value))}));
}

/** Speed-up in the model: what was measured, had the run taken the time that D-BSP predicts. */
export function predictedSpeedup(one) {
  return one.predicted === null || one.speedup === null
    ? null
    : (one.speedup * one.median) / one.predicted;
}

/** The column of ranks in a table of `rows`, of which `of` is the case; none where no case has
 * ranks. */
export function ranksColumn(rows, of) {
  return rows.some((row) => of(row).ranks) ? [{label: "ranks", value: (row) => of(row).ranks}] : [];
}

/** The columns of a table of cases. */
export const caseColumns = (cases) => [
  {label: "n", value: (one) => one.n, text: readableCount},
  ...ranksColumn(cases, (one) => one),
  {label: "processors", value: (one) => one.processors},
  {label: "median", value: (one) => one.median, text: readableTime},
  {label: "from", value: (one) => one.low, text: readableTime},
  {label: "to", value: (one) => one.high, text: readableTime},
  {label: "speed-up", value: (one) => one.speedup, text: readableNumber},
  {label: "efficiency", value: (one) => one.efficiency, text: readableNumber},
  {label: "predicted", value: (one) => one.predicted, text: readableTime},
  {label: "repetitions", value: (one) => one.repetitions},
  {label: "stopped by", value: (one) => one.stopped},
];
