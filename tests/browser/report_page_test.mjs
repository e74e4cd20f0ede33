// SPDX-License-Identifier: Apache-2.0
//
// The page of `pleat report --html` in Chromium: every chart is there, shows what is in the JSON,
// and can be read in both colour schemes, on a phone, by keyboard and by a screen reader.
//
// PLEAT_TOOL, PLEAT_CHROMIUM: programs; PLEAT_SAMPLE: makes a sweep; PLEAT_SCREENSHOTS: a folder.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {pathToFileURL} from "node:url";
import {Chromium} from "./chromium.mjs";
import {fittedExponent, theoremOf} from "../../bench/report/page/theorem.js";
import {figures, marks, poorContrast, tooWide} from "./read_page.mjs";

const {
  PLEAT_TOOL: tool,
  PLEAT_CHROMIUM: program,
  PLEAT_PYTHON: python,
  PLEAT_SAMPLE: sample,
  PLEAT_SCREENSHOTS: screenshots,
} = process.env;
const folder = mkdtempSync(join(tmpdir(), "pleat_page_"));
const page = join(folder, "index.html");

const sweep = JSON.parse(execFileSync(python, ["-B", sample], {maxBuffer: 1 << 26}));
sweep.context.pleat.during = {seconds: 100, stolen_s: 24, others_s: null, throttled_s: 0};
const medians = sweep.benchmarks.filter((one) => one.aggregate_name === "median");
const usual = (one) => one.place === "compact" && one.memory === "first-touch";

// As `pleat matrix --json` and `pleat run --trace` write them.
const square = (size, value) =>
  Array.from({length: size}, (_, i) => Array.from({length: size}, (_, j) => value(i, j)));
const latency = square(8, (i, j) =>
  i === j ? null : (i >> 2 === j >> 2 ? 45e-9 : 130e-9) + i * 1e-10,
);
const bandwidth = square(2, (i, j) => (i === j ? 41e9 : 17e9));
const matrix = {
  context: {pleat: "0.1.0"},
  matrices: [
    ["line_latency", "Latency of a line between processors", "s", latency, 8],
    ["node_bandwidth", "Bandwidth from nodes to nodes' memory", "B/s", bandwidth, 2],
  ].map(([name, title, unit, median, size]) => ({
    name,
    title,
    unit,
    symmetric: false,
    median,
    rows: Array.from({length: size}, (_, i) => String(i)),
    columns: Array.from({length: size}, (_, i) => String(i)),
    interval_low: median.map((row) => row.map((one) => one && one * 0.99)),
    interval_high: median.map((row) => row.map((one) => one && one * 1.02)),
  })),
};
const spent = square(8, (i, j) => [3000 + 10 * i, 400 - 20 * i, 100 + 10 * i][j] ?? 0);
const activities = ["computation", "waiting", "communication"];
const trace = {
  traceEvents: [
    {ph: "M", pid: 1, tid: 0, name: "process_name", args: {name: "pleat: sort"}},
    ...spent.flatMap((row, tid) => [
      {ph: "M", pid: 1, tid, name: "thread_name", args: {name: `processor ${tid}, PU ${tid}`}},
      ...activities.flatMap((name, i) =>
        [0, 1].map((half) => ({ph: "X", pid: 1, tid, name, ts: 10 * i + half, dur: row[i] / 2})),
      ),
    ]),
  ],
};

let browser;
const console_ = [];
const requests = [];

before(
  async () => {
    const names = Object.entries({
      "sweep.json": sweep,
      "matrix.json": matrix,
      "trace.json": trace,
    }).map(([name, document]) => {
      writeFileSync(join(folder, name), JSON.stringify(document));
      return join(folder, name);
    });
    execFileSync(tool, ["report", ...names, "--html", page]);
    browser = await Chromium.start(program);
    browser.listen((method, params) => {
      if (
        ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"].includes(method)
      )
        console_.push(params);
      if (method === "Network.requestWillBeSent") requests.push(params.request.url);
    });
    await browser.open(pathToFileURL(page).href);
    await browser.look(1200, 900, "light");
  },
  {timeout: 60000},
);

after(async () => {
  await browser?.stop();
  rmSync(folder, {recursive: true, force: true});
});

// Chooses what has this value, or place, in a list of the page.
const choose = (id, value) =>
  browser.evaluate(
    ([of, chosen]) => {
      const list = document.getElementById(of);
      list[typeof chosen === "number" ? "selectedIndex" : "value"] = chosen;
      list.dispatchEvent(new Event("change"));
    },
    [id, value],
  );
const openTables = (open) =>
  browser.evaluate((to) => {
    for (const one of document.querySelectorAll("details")) one.open = to;
  }, open);

const works = ["sort-u64-random", "fft-c64-random", "matmul-f64-random"];
const expectedCharts = [
  ...works.flatMap((work) => [
    `speedup-${work}-strong`,
    `efficiency-${work}-strong`,
    `time-${work}-strong`,
    `rivals-${work}`,
  ]),
  "speedup-sort-u64-random-weak",
  "efficiency-sort-u64-random-weak",
  "matrix-0-0",
  "matrix-0-1",
  "times-0",
];

test("every chart is there, with a sentence and a table for who does not see it", async () => {
  const found = await browser.evaluate(figures);
  const ids = found.map((one) => one.id);
  for (const id of expectedCharts) assert.ok(ids.includes(id), id);
  assert.equal(ids.length, expectedCharts.length + 1); // and the heat map
  for (const one of found) {
    assert.ok(one.drawn, one.id);
    assert.equal(one.role, "img", one.id);
    assert.ok(one.label.length > 20, one.id);
    assert.ok(
      one.tables.length > 0 && one.tables.every((table) => table.rows.length > 0 && table.caption),
      one.id,
    );
  }
});

// What is said of each case in a chart, by the columns of its table.
const values = {
  speedup: (one) => ({
    measured: one.speedup,
    ideal: one.processors,
    predicted: (one.speedup * one.real_time) / 1e3 / one.predicted_s,
  }),
  efficiency: (one) => ({
    measured: one.efficiency,
    ideal: 1,
    predicted: (one.efficiency * one.real_time) / 1e3 / one.predicted_s,
  }),
  time: (one) => ({
    median: one.real_time / 1e3,
    from: one.interval_low_s,
    to: one.interval_high_s,
    predicted: one.predicted_s,
    repetitions: one.repetitions,
  }),
};
const casesOf = (id, setting) => {
  const [, kind, program_, scaling] = id.match(/^([a-z]+)-([a-z]+)-.*-(strong|weak)$/) ?? [];
  return (
    kind &&
    medians.filter(
      (one) =>
        one.library === "pleat" &&
        one.program === program_ &&
        one.scaling === scaling &&
        (scaling === "weak" || setting(one)) &&
        (scaling === "weak") === one.per_processor > 0,
    )
  );
};
const close = (a, b, what) =>
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.abs(b), `${what}: ${a}, not ${b}`);

function checkTables(found, setting) {
  for (const {id, tables} of found) {
    const cases = casesOf(id, setting);
    if (!cases) continue;
    const table = tables.find((one) => one.header.includes("n"));
    assert.equal(table.rows.length, cases.length, id);
    for (const one of cases) {
      const row = table.rows.find((cells) => cells[0] === one.n && cells[1] === one.processors);
      assert.ok(row, `${id} lacks ${one.name}`);
      for (const [column, value] of Object.entries(values[id.split("-")[0]](one)))
        close(row[table.header.indexOf(column)], value, `${id}, ${column} of ${one.name}`);
    }
  }
}

test("tables have the values of the JSON, in every setting that can be chosen", async () => {
  const choices = await browser.evaluate(() =>
    [...document.querySelectorAll("#setting option")].map((one) => one.textContent),
  );
  assert.equal(choices.length, 8);
  for (const [index, text] of choices.entries()) {
    await choose("setting", index);
    const [, place, memory] = text.match(/^place (.*), memory (.*)$/);
    checkTables(
      await browser.evaluate(figures),
      (one) => one.place === place && one.memory === memory,
    );
  }
  await choose("setting", 0);
  await browser.look(1200, 900, "light");
});

test("exponents are those of the line that fits, and of the theorem", async () => {
  for (const {id, tables} of (await browser.evaluate(figures)).filter((one) =>
    one.id.startsWith("time-"),
  )) {
    const cases = casesOf(id, usual);
    const fitted = tables.find((one) => one.header.includes("fitted"));
    assert.equal(fitted.rows.length, 4);
    for (const [processors, exponent, theorem] of fitted.rows) {
      // The formula behind the sample is n log n or n³ with a little more for each processor.
      assert.ok(
        Math.abs(exponent - theorem) < 0.15,
        `${id}, ${processors}: ${exponent}, ${theorem}`,
      );
      const chosen = cases.filter((one) => one.processors === processors);
      const [small, large] = [chosen[0], chosen.at(-1)];
      const between = Math.log(large.real_time / small.real_time) / Math.log(large.n / small.n);
      assert.ok(
        Math.abs(exponent - between) < 0.02,
        `${id}: ${exponent}, between the ends ${between}`,
      );
    }
    assert.ok(Math.abs(fitted.rows[0][2] - (id.startsWith("time-matmul") ? 3 : 1.07)) < 0.02, id);
  }
});

const seconds = (text) => {
  const [number, unit] = text.split(/\s+/);
  return Number(number) * {ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1}[unit];
};

// The value at a place of an axis, between the first and the last of its marks.
function reader(axis, parse, logarithmic) {
  const known = axis.filter((one) => one.text).map((one) => ({at: one.at, value: parse(one.text)}));
  const [a, b] = [known[0], known.at(-1)];
  assert.ok(known.length >= 2 && a.value !== b.value, JSON.stringify(axis));
  return (at) => {
    const share = (at - a.at) / (b.at - a.at);
    return logarithmic
      ? a.value * (b.value / a.value) ** share
      : a.value + (b.value - a.value) * share;
  };
}

test("marks stand where the axes say", async () => {
  const read = {
    speedup: [Number, true, (one) => one.speedup],
    efficiency: [Number, false, (one) => one.efficiency],
    time: [seconds, true, (one) => one.real_time / 1e3],
  };
  for (const id of expectedCharts.filter((one) => /^(speedup|efficiency|time)-/.test(one))) {
    const [parse, logarithmic, value] = read[id.split("-")[0]];
    const shown = await browser.evaluate(marks, id);
    const at = reader(shown.y, parse, logarithmic);
    const cases = casesOf(id, usual);
    assert.equal(shown.dots.length, cases.length, id);
    for (const one of cases) {
      const {y} = shown.dots.find((dot) => dot.name === one.run_name);
      assert.ok(
        Math.abs(at(y) / value(one) - 1) < 0.03,
        `${one.name} at ${at(y)}, not ${value(one)}`,
      );
    }
  }
  for (const id of works.map((work) => `rivals-${work}`)) {
    const shown = await browser.evaluate(marks, id);
    const at = reader(shown.x, Number, true);
    const cases = medians.filter(
      (one) => one.library !== "pleat" && id.startsWith(`rivals-${one.program}-`),
    );
    assert.equal(shown.dots.length, cases.length);
    for (const one of cases) {
      const {x} = shown.dots.find((dot) => dot.name === one.run_name);
      assert.ok(
        Math.abs(at(x) / one.ratio - 1) < 0.04,
        `${one.name} at ${at(x)}, not ${one.ratio}`,
      );
    }
  }
});

test("the heat map has every placement and memory, and the slower the darker", async () => {
  const id = (await browser.evaluate(figures)).find((one) => one.id.startsWith("placement-")).id;
  const {cells} = await browser.evaluate(marks, id);
  const largest = medians.filter(
    (one) => one.library === "pleat" && one.program === "sort" && one.n === 2 ** 24,
  );
  for (const processors of [2, 8]) {
    const group = largest
      .filter((one) => one.processors === processors)
      .sort((a, b) => a.real_time - b.real_time);
    assert.equal(group.length, 8);
    const light = group.map((one) => {
      const fill = cells
        .find((cell) => cell.name === one.run_name)
        .fill.match(/\d+/g)
        .map(Number);
      return fill[0] * 0.2126 + fill[1] * 0.7152 + fill[2] * 0.0722;
    });
    assert.ok(
      light.every((one, i) => i === 0 || one <= light[i - 1]),
      JSON.stringify(light),
    );
    assert.ok(light[0] > light.at(-1));
  }
});

test("matrices and the times of processors are those of their files", async () => {
  const found = await browser.evaluate(figures);
  for (const [index, one] of matrix.matrices.entries()) {
    const {rows} = found.find(({id}) => id === `matrix-0-${index}`).tables[0];
    assert.equal(rows.length, one.median.flat().filter((value) => value !== null).length);
    for (const [row, column, median, low, high] of rows) {
      assert.equal(median, one.median[row][column]);
      assert.equal(low, one.interval_low[row][column]);
      assert.equal(high, one.interval_high[row][column]);
    }
  }
  const {rows} = found.find(({id}) => id === "times-0").tables[0];
  assert.equal(rows.length, 24);
  for (const [processor, bound, activity, time] of rows) {
    close(time, spent[processor][activities.indexOf(activity)] / 1e6, `${processor} ${activity}`);
    assert.equal(bound, `PU ${processor}`);
  }
  const {cells} = await browser.evaluate(marks, "times-0");
  const width = (processor, activity) =>
    cells.find((one) => one.name === `processor ${processor}, ${activity}`).width;
  for (let i = 0; i < 8; ++i) {
    const measured = width(i, "waiting") / width(i, "computation");
    assert.ok(Math.abs(measured - spent[i][1] / spent[i][0]) < 0.02, `processor ${i}: ${measured}`);
  }
});

test("the machine is drawn as its clusters, with the pages of the case that is chosen", async () => {
  const read = () => ({
    boxes: document.querySelectorAll(".machine .box").length,
    processors: [...document.querySelectorAll(".machine .processor b")].map((one) =>
      Number(one.textContent),
    ),
    pages: [...document.querySelectorAll(".machine .pages")].map((one) =>
      Number(one.dataset.value),
    ),
    choices: [...document.querySelectorAll("#machine-boxes-case option")].map((one) => one.value),
  });
  const {boxes, processors, choices} = await browser.evaluate(read);
  assert.equal(boxes, 1 + 2 + 4);
  assert.deepEqual(processors, [0, 1, 2, 3, 4, 5, 6, 7]);
  for (const name of [choices[0], choices.at(-1), choices.find((one) => one.includes("master"))]) {
    await choose("machine-boxes-case", choices.indexOf(name));
    const expected = medians.find((one) => one.run_name === name).memory_pages.on_node;
    assert.deepEqual((await browser.evaluate(read)).pages, [expected[0], expected[1]], name);
  }
});

test("texts and marks can be told from their background in both colour schemes", async () => {
  await openTables(true);
  const grounds = new Set();
  for (const scheme of ["light", "dark"]) {
    await browser.look(1200, 900, scheme);
    assert.deepEqual(await browser.evaluate(poorContrast), [], scheme);
    grounds.add(await browser.evaluate(() => getComputedStyle(document.body).backgroundColor));
  }
  assert.equal(grounds.size, 2);
  await openTables(false);
});

test("nothing is wider than a phone, and screenshots are kept", async () => {
  mkdirSync(screenshots, {recursive: true});
  for (const [name, width] of [
    ["wide", 1200],
    ["phone", 360],
  ]) {
    for (const scheme of ["light", "dark"]) {
      await browser.look(width, 800, scheme);
      assert.deepEqual(await browser.evaluate(tooWide), [], `${name}, ${scheme}`);
      writeFileSync(join(screenshots, `report-${name}-${scheme}.png`), await browser.screenshot());
    }
  }
  await openTables(true);
  await browser.look(360, 800, "light");
  assert.deepEqual(await browser.evaluate(tooWide), [], "with tables");
  await openTables(false);
});

test("a printed page has dark ink on white, no tools, and nothing cut off", async () => {
  await browser.look(700, 1000, "dark", "print");
  assert.deepEqual(await browser.evaluate(tooWide), []);
  assert.deepEqual(await browser.evaluate(poorContrast), []);
  const shown = await browser.evaluate(() => ({
    tools: [...document.querySelectorAll("nav, select, summary")].filter((one) =>
      one.checkVisibility(),
    ).length,
    text: getComputedStyle(document.body).color,
    cut: [...document.querySelectorAll(".scroll")].filter(
      (one) => one.checkVisibility() && one.scrollHeight > one.clientHeight + 1,
    ).length,
    small: [...document.querySelectorAll(".chart svg")].filter(
      (one) => one.checkVisibility() && one.getBoundingClientRect().width < 0.8 * one.width.baseVal.value,
    ).length,
  }));
  assert.deepEqual(shown, {tools: 0, text: "rgb(26, 29, 33)", cut: 0, small: 0});
  writeFileSync(join(screenshots, "report-print.png"), await browser.screenshot());
  await browser.look(1200, 900, "light");
});

test("the keyboard reaches everything that can be used", async () => {
  await browser.look(1200, 900, "light");
  const expected = await browser.evaluate(() => {
    const all = [...document.querySelectorAll("a, select, summary, [tabindex='0']")].filter(
      (one) =>
        one.checkVisibility() && !(one.closest("details:not([open])") && one.tagName !== "SUMMARY"),
    );
    all.forEach((one, i) => {
      one.dataset.stop = i;
    });
    document.activeElement?.blur();
    window.scrollTo(0, 0);
    return all.length;
  });
  const reached = new Set();
  for (let i = 0; i < expected + 2; ++i) {
    await browser.press("Tab");
    reached.add(await browser.evaluate(() => document.activeElement.dataset.stop ?? ""));
  }
  reached.delete("");
  assert.equal(reached.size, expected);
  const opened = await browser.evaluate(() => {
    const summary = document.querySelector("figure.figure summary");
    summary.focus();
    return summary.parentElement.open;
  });
  assert.equal(opened, false);
  await browser.press("Enter");
  assert.ok(await browser.evaluate(() => document.querySelector("figure.figure details").open));
});

test("a screen reader is told the parts, the charts and the tables", async () => {
  const {nodes} = await browser.send("Accessibility.getFullAXTree");
  const names = (role) =>
    nodes
      .filter((one) => !one.ignored && one.role?.value === role)
      .map((one) => one.name?.value ?? "");
  assert.ok(names("main").length === 1 && names("navigation").length === 1);
  assert.ok(names("heading").includes("Speed-up and efficiency"));
  const images = names("image").concat(names("img"));
  assert.ok(images.length >= expectedCharts.length + 1, `${images.length} images`);
  assert.ok(
    images.every((name) => name.length > 20),
    JSON.stringify(images),
  );
  for (const role of ["combobox", "link", "DisclosureTriangle"])
    assert.ok(
      names(role).every((name) => name !== ""),
      role,
    );
});

test("two sweeps are compared, and either can be shown", async () => {
  const later = structuredClone(sweep);
  for (const one of later.benchmarks) {
    if (one.program === "fft") one.real_time *= 1.08;
  }
  writeFileSync(join(folder, "later.json"), JSON.stringify(later));
  const names = ["sweep.json", "later.json"].map((name) => join(folder, name));
  const second = join(folder, "two.html");
  execFileSync(tool, ["report", ...names, "--html", second]);
  const compared = JSON.parse(execFileSync(tool, ["report", ...names, "--json"]));
  await browser.open(pathToFileURL(second).href);
  await browser.look(1200, 900, "light");
  const id = "comparison-ratios";
  const {drawn, tables} = (await browser.evaluate(figures)).find((one) => one.id === id);
  assert.ok(drawn);
  assert.equal(tables[0].rows.length, compared.cases.length);
  const named = await browser.evaluate(
    (chart) => document.querySelectorAll(`#${chart} g[aria-label="y-axis tick label"] text`).length,
    id,
  );
  assert.equal(named, compared.cases.length);
  await choose("compared", "changed");
  const changed = (await browser.evaluate(figures)).find((one) => one.id === id);
  assert.deepEqual(
    new Set(changed.tables[0].rows.map((row) => row.at(-1))),
    new Set(compared.cases.map((one) => one.verdict).filter((one) => /er$/.test(one))),
  );
  await choose("compared", "all");
  await browser.look(1200, 900, "light");
  const shown = await browser.evaluate(marks, id);
  const at = reader(shown.x, Number, true);
  for (const one of compared.cases) {
    const [, before, after, ratio, low, high, different, same, verdict] = tables[0].rows.find(
      (row) => row[0] === one.name,
    );
    assert.deepEqual(
      [before, after, ratio, low, high, different, same, verdict],
      [one.before_s, one.after_s, one.ratio, one.ratio_low, one.ratio_high].concat([
        one.p_different,
        one.p_same,
        one.verdict,
      ]),
    );
    const {x} = shown.dots.find((dot) => dot.name === one.name);
    assert.ok(Math.abs(at(x) / one.ratio - 1) < 0.01, `${one.name} at ${at(x)}, not ${one.ratio}`);
  }
  const medianOfFft = () =>
    browser.evaluate(() =>
      Number(
        document.querySelector("#time-fft-c64-random-strong details td.number + td").dataset.value,
      ),
    );
  const newer = await medianOfFft();
  await choose("file", 0);
  await browser.look(1200, 900, "dark");
  close(newer, 1.08 * (await medianOfFft()), "fft in the later sweep");
  assert.deepEqual(await browser.evaluate(poorContrast), []);
  writeFileSync(join(screenshots, "report-comparison.png"), await browser.screenshot());
});

test("ranks stand on the axis of processors, and in the tables", async () => {
  const ranked = structuredClone(sweep);
  ranked.benchmarks = ranked.benchmarks.filter((one) => one.program === "fft" && usual(one));
  for (const one of ranked.benchmarks) {
    one.ranks = one.processors;
    one.mpi = "openmpi";
  }
  writeFileSync(join(folder, "ranked.json"), JSON.stringify(ranked));
  const third = join(folder, "ranked.html");
  execFileSync(tool, ["report", join(folder, "ranked.json"), "--html", third]);
  await browser.open(pathToFileURL(third).href);
  await browser.look(1200, 900, "light");
  const shown = await browser.evaluate(figures);
  for (const id of ["speedup-fft-c64-random-strong", "time-fft-c64-random-strong"]) {
    const {drawn, tables} = shown.find((one) => one.id === id);
    assert.ok(drawn, id);
    const {rows} = tables.find((one) => one.header.includes("ranks"));
    assert.ok(rows.length > 1);
    for (const [, ranks, processors] of rows) assert.equal(ranks, processors);
  }
  const text = await browser.evaluate(
    () => document.getElementById("speedup-fft-c64-random-strong").textContent,
  );
  assert.match(text, /processors of all ranks/);
});

test("nothing was said on the console and nothing requested but the pages", () => {
  assert.deepEqual(console_, []);
  const asked = new Set(requests.filter((url) => !url.startsWith("data:")));
  assert.deepEqual(
    [...asked],
    [page, join(folder, "two.html"), join(folder, "ranked.html")].map((file) => pathToFileURL(file).href),
  );
});
