#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// bench/report/picture.mjs PAGE CHART PICTURE.png   what Chromium shows of one chart or section of
// a page of `pleat report --html`, by its id: the pictures of the guides. $PLEAT_CHROMIUM or chromium.
import {writeFileSync} from "node:fs";
import {resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {Chromium} from "../../tests/browser/chromium.mjs";

const [page, chart, picture] = process.argv.slice(2);
if (!picture) {
  console.error("usage: bench/report/picture.mjs PAGE CHART PICTURE.png");
  process.exit(2);
}
const browser = await Chromium.start(process.env.PLEAT_CHROMIUM ?? "chromium");
try {
  await browser.open(pathToFileURL(resolve(page)).href);
  await browser.look(900, 1200, "light");
  const charts = await browser.evaluate(() => {
    const all = [...document.querySelectorAll("section[id], figure[id]")];
    return Object.fromEntries(
      all.map((one) => {
        const {x, y, width, height} = one.getBoundingClientRect();
        return [one.id, {x: x + scrollX, y: y + scrollY, width, height}];
      }),
    );
  });
  if (!charts[chart]) {
    console.error(`${page} has no chart ${chart}; it has ${Object.keys(charts).join(", ")}`);
    process.exit(2);
  }
  const {data} = await browser.send("Page.captureScreenshot", {
    format: "png",
    captureBeyondViewport: true,
    clip: {...charts[chart], scale: 1},
  });
  writeFileSync(picture, Buffer.from(data, "base64"));
} finally {
  await browser.stop();
}
