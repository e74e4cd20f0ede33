// SPDX-License-Identifier: Apache-2.0
//
// Documents in which a value was replaced by something else: `pleat report` refuses them in one
// line, or every part of their page is drawn. And if a page gets wrong documents all the same, it
// says so where they would be, and shows the rest.
//
// PLEAT_TOOL, PLEAT_CHROMIUM: programs; PLEAT_DOCUMENTS: a folder of one document of each kind.
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {pathToFileURL} from "node:url";
import {Chromium} from "./chromium.mjs";

const {PLEAT_TOOL: tool, PLEAT_CHROMIUM: program, PLEAT_DOCUMENTS: documents} = process.env;
const folder = mkdtempSync(join(tmpdir(), "pleat_changed_"));
const page = join(folder, "page.html");
const read = (kind) => JSON.parse(readFileSync(join(documents, `${kind}.json`), "utf8"));

let browser;
const exceptions = [];

before(
  async () => {
    browser = await Chromium.start(program);
    browser.listen((method, {exceptionDetails}) => {
      if (method === "Runtime.exceptionThrown")
        exceptions.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
    });
  },
  {timeout: 60000},
);

after(async () => {
  await browser?.stop();
  rmSync(folder, {recursive: true, force: true});
});

/** The places of all values of a document but itself, as lists of keys. */
function placesIn(value, place = []) {
  if (value === null || typeof value !== "object") return [place];
  const inner = Object.entries(value).flatMap(([key, one]) => placesIn(one, [...place, key]));
  return place.length > 0 ? [place, ...inner] : inner;
}

/** Copies of a document, each with one value replaced or left out: {document, change}. */
function changed(original) {
  return placesIn(original).flatMap((place) =>
    [null, 7, "x", [], undefined].map((value) => {
      const document = structuredClone(original);
      const inside = place.slice(0, -1).reduce((one, key) => one[key], document);
      inside[place.at(-1)] = value;
      return {document, change: `${place.join(".")} = ${JSON.stringify(value)}`};
    }),
  );
}

/** Writes the documents that the tool takes, and says where; the others are refused in one line. */
function taken(kind) {
  return changed(read(kind)).flatMap(({document, change}, i) => {
    const name = join(folder, `${kind}-${i}.json`);
    writeFileSync(name, JSON.stringify(document));
    const {status, stderr} = spawnSync(tool, ["report", name, "--html", page], {encoding: "utf8"});
    if (status === 0) return [name];
    assert.equal(status, 2, `${change}: ${stderr}`);
    assert.match(stderr, /^pleat: [^\n]*\n$/, change);
    assert.ok(stderr.includes(name), `${change}: ${stderr}`);
    return [];
  });
}

/** What is on the page: {sections, figures, failed}. */
async function shown(files) {
  if (files) {
    const {status, stderr} = spawnSync(tool, ["report", ...files, "--html", page]);
    assert.equal(status, 0, String(stderr));
  }
  await browser.open(pathToFileURL(page).href);
  await browser.look(1000, 800, "light");
  return browser.evaluate(onPage);
}

function onPage() {
  return {
    sections: [...document.querySelectorAll("main section")].map((one) => one.id),
    figures: [...document.querySelectorAll("figure.figure")].map((one) => ({
      id: one.id,
      drawn: one.querySelector(".chart svg") !== null,
    })),
    failed: [...document.querySelectorAll(".failed")].map((one) => one.textContent),
  };
}

function assertWhole({figures, failed}, what) {
  assert.deepEqual(failed, [], what);
  assert.deepEqual(exceptions, [], what);
  assert.deepEqual(
    figures.filter((one) => !one.drawn),
    [],
    what,
  );
}

for (const [kind, section] of [
  ["matrix", "matrices"],
  ["timeline", "times"],
])
  test(`what is taken of a changed ${kind} is drawn`, async () => {
    const files = taken(kind);
    const found = await shown(files);
    assertWhole(found, kind);
    assert.deepEqual(found.sections, [section]);
    assert.equal(found.figures.length, files.length);
  });

test("what is taken of a changed topology is drawn", async () => {
  for (const file of taken("topology")) {
    const found = await shown([file]);
    assertWhole(found, file);
    assert.deepEqual(found.sections, ["machine"]);
  }
});

test("what is taken of a changed sweep is drawn", async () => {
  const files = taken("sweep");
  // The first is there twice: two sweeps alone would be compared.
  assertWhole(await shown([files[0], ...files]), "sweep");
  for (let i = 0; i <= files.length; ++i) {
    await browser.evaluate((index) => {
      const list = document.getElementById("file");
      list.selectedIndex = index;
      list.dispatchEvent(new Event("change"));
    }, i);
    const found = await browser.evaluate(onPage);
    assert.deepEqual([found.failed, exceptions], [[], []], files[i - 1]);
    assert.ok(found.sections.includes("overview"), files[i - 1]);
  }
});

test("a page of wrong documents says so and shows the others", async () => {
  const files = ["sweep", "matrix", "timeline", "topology"].map((kind) =>
    join(documents, `${kind}.json`),
  );
  const whole = await shown(files);
  assertWhole(whole, "unchanged");
  const html = readFileSync(page, "utf8");
  const [, data] = html.match(/id="report-data">(.*)<\/script>/);
  for (const [index, key, value, lost] of [
    [0, "benchmarks", [null], "sweep"],
    [0, "context", {pleat: null}, "overview"],
    [1, "matrices", [1, null], "matrices"],
    [2, "traceEvents", [null], "times"],
    [0, "context", {pleat: {processors: [null], clusters: [null]}}, "machine"],
  ]) {
    const report = JSON.parse(data);
    report.documents[index].content[key] = value;
    writeFileSync(page, html.replace(data, () => JSON.stringify(report)));
    const found = await shown();
    assert.ok(found.failed.length > 0, lost);
    assert.match(found.failed[0], /cannot be drawn/);
    assert.ok(found.sections.includes(lost), `${lost} in ${found.sections}`);
    assert.ok(found.sections.length >= 3, lost);
    assert.deepEqual(exceptions, [], lost);
  }
});
