// SPDX-License-Identifier: Apache-2.0
// Where the time of each processor of a run went, from the file of `pleat run --trace`.
import * as Plot from "@observablehq/plot";
import {series} from "../colours.js";
import {figure} from "../figure.js";
import {readableShare, readableTime, timeMark} from "../numbers.js";

const activities = ["computation", "communication", "waiting"];

/** {program, rows[{processor, name, activity, seconds, share}]} */
export function timesOf(content) {
  const names = new Map();
  const seconds = new Map();
  let program = "";
  for (const event of content.traceEvents) {
    if (event.name === "process_name") program = event.args.name.replace("pleat: ", "");
    if (event.name === "thread_name") names.set(event.tid, event.args.name);
    if (event.ph !== "X" || !activities.includes(event.name)) continue;
    const key = `${event.tid} ${event.name}`;
    seconds.set(key, (seconds.get(key) ?? 0) + event.dur / 1e6);
  }
  const rows = [...names.entries()]
    .sort((a, b) => a[0] - b[0])
    .flatMap(([processor, name]) => {
      const spent = activities.map((activity) => seconds.get(`${processor} ${activity}`) ?? 0);
      const sum = spent.reduce((a, b) => a + b, 0);
      return activities.map((activity, i) => ({
        processor,
        name,
        activity,
        seconds: spent[i],
        share: sum > 0 ? spent[i] / sum : 0,
      }));
    });
  return {program, rows};
}

function plotted(rows, width) {
  const processors = [...new Set(rows.map((row) => row.processor))];
  return Plot.plot({
    width,
    height: 60 + 30 * processors.length,
    marginLeft: 40,
    marginRight: 20,
    marginTop: 8,
    marginBottom: 42,
    x: {
      label: "time",
      labelOffset: 38,
      tickFormat: timeMark,
      ticks: Math.max(2, width / 110),
      grid: true,
    },
    y: {domain: processors, label: "processor"},
    color: {domain: activities, range: series, legend: true},
    marks: [
      Plot.barX(rows, {
        x: "seconds",
        y: "processor",
        fill: "activity",
        order: activities,
        ariaLabel: (row) => `processor ${row.processor}, ${row.activity}`,
      }),
      Plot.ruleX([0], {stroke: "currentColor"}),
    ],
  });
}

/** One figure of a run. */
export function timesFigure(id, content) {
  const {program, rows} = timesOf(content);
  const total = rows.reduce((sum, row) => sum + row.seconds, 0);
  const waited = rows
    .filter((row) => row.activity === "waiting")
    .reduce((sum, row) => sum + row.seconds, 0);
  return figure({
    id,
    title: `Where each processor's time went: ${program}`,
    note: "Waiting is at barriers and channels. Waits of less than about 100 ns count as computation.",
    legend: "activity",
    label:
      `Time of each processor in a run of ${program}; ${readableShare(total > 0 ? waited / total : 0)} ` +
      "of it is waiting. The values are in the table below.",
    draw: (width) => plotted(rows, width),
    columns: [
      {label: "processor", value: (row) => row.processor},
      {label: "bound to", value: (row) => row.name.split(", ").slice(1).join(", ")},
      {label: "activity", value: (row) => row.activity},
      {label: "time", value: (row) => row.seconds, text: readableTime},
      {label: "share", value: (row) => row.share, text: readableShare},
    ],
    rows,
  });
}
