// SPDX-License-Identifier: Apache-2.0
//
// node bundle.js [FILE]   makes the page without data: page.html with style and program inside.
import {readFile, readdir, rename, writeFile} from "node:fs/promises";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {build} from "esbuild";

const folder = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(folder, "report.html");

// The licences of all packages a bundle has parts of: whoever gets the page gets them with it.
async function licencesOf(inputs) {
  const packages = new Set(
    Object.keys(inputs).flatMap(
      (input) => input.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? [],
    ),
  );
  const texts = new Map();
  for (const name of [...packages].sort()) {
    const place = join(folder, "node_modules", name);
    const file = (await readdir(place)).find((one) => /^licen[cs]e/i.test(one));
    if (!file) throw new Error(`${name} has no licence`);
    const text = (await readFile(join(place, file), "utf8")).trim();
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
  return [...texts].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n\n");
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

async function bundled(name) {
  const result = await build({
    absWorkingDir: folder,
    entryPoints: [name],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  return {text: result.outputFiles[0].text.trimEnd(), inputs: result.metafile.inputs};
}

// A script of a page ends at "</script", wherever that stands.
const main = await bundled("main.js");
const program = main.text.replaceAll("</script", "<\\/script");
const style = (await bundled("style.css")).text;
const licences = escaped(await licencesOf(main.inputs));
const page = (await readFile(join(folder, "page.html"), "utf8"))
  .replace("/* style */", () => style)
  .replace("the licences", () => licences)
  .replace("/* program */", () => program);
await writeFile(`${target}.new`, page);
await rename(`${target}.new`, target);
