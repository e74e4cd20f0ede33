// SPDX-License-Identifier: Apache-2.0
// Chromium without a window, over its DevTools protocol: two pipes, messages of JSON that end in a
// zero byte. Needs nothing but Node and Chromium.
import {spawn} from "node:child_process";
import {mkdtemp, rm} from "node:fs/promises";
import {tmpdir} from "node:os";
import {join} from "node:path";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--hide-scrollbars",
  "--force-device-scale-factor=1",
  "--remote-debugging-pipe",
];

/** A page in a browser of its own. */
export class Chromium {
  static async start(program) {
    const profile = await mkdtemp(join(tmpdir(), "pleat_chromium_"));
    const process = spawn(program, [...flags, `--user-data-dir=${profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    const browser = new Chromium(process, profile);
    const {targetId} = await browser.send("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await browser.send("Target.attachToTarget", {targetId, flatten: true});
    browser.session = sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"])
      await browser.send(`${domain}.enable`);
    return browser;
  }

  constructor(process, profile) {
    this.process = process;
    this.profile = profile;
    this.next = 1;
    this.answers = new Map();
    this.listeners = [];
    this.ended = new Promise((resolve) => process.once("exit", resolve));
    this.ended.then(() => {
      for (const {reject} of this.answers.values()) reject(new Error("Chromium has ended"));
    });
    let text = "";
    process.stdio[4].setEncoding("utf8").on("data", (part) => {
      const messages = (text + part).split("\0");
      text = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }

  receive(message) {
    if (message.id === undefined) {
      for (const listener of this.listeners) listener(message.method, message.params);
      return;
    }
    const {resolve, reject} = this.answers.get(message.id);
    this.answers.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}) {
    const id = this.next++;
    const session = this.session ? {sessionId: this.session} : {};
    return new Promise((resolve, reject) => {
      this.answers.set(id, {resolve, reject});
      this.process.stdio[3].write(JSON.stringify({id, method, params, ...session}) + "\0");
    });
  }

  /** Calls listener(method, params) for every event. */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** What the expression or the function, called in the page with `argument`, returns. */
  async evaluate(what, argument) {
    const expression = typeof what === "function" ? `(${what})(${JSON.stringify(argument)})` : what;
    const {result, exceptionDetails} = await this.send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async open(url) {
    const loaded = new Promise((resolve) => {
      this.listen((method) => method === "Page.loadEventFired" && resolve());
    });
    await this.send("Page.navigate", {url});
    await loaded;
  }

  /** The size of the window in CSS pixels, the colour scheme the user prefers, and "print" for
   * paper. */
  async look(width, height, scheme, media = "") {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await this.send("Emulation.setEmulatedMedia", {
      media,
      features: [{name: "prefers-color-scheme", value: scheme}],
    });
    // Observers of sizes are called, and what they change is drawn and laid out, within some frames.
    await this.evaluate(
      () =>
        new Promise((done) => {
          const wait = (frames) =>
            frames > 0 ? requestAnimationFrame(() => wait(frames - 1)) : done();
          wait(6);
        }),
    );
  }

  async press(key) {
    const codes = {Tab: 9, Enter: 13};
    const common = {
      key,
      code: key,
      windowsVirtualKeyCode: codes[key],
      ...(key === "Enter" ? {text: "\r"} : {}),
    };
    await this.send("Input.dispatchKeyEvent", {type: "keyDown", ...common});
    await this.send("Input.dispatchKeyEvent", {type: "keyUp", ...common});
  }

  /** The whole page as a PNG. */
  async screenshot() {
    const {data} = await this.send("Page.captureScreenshot", {
      captureBeyondViewport: true,
      format: "png",
    });
    return Buffer.from(data, "base64");
  }

  async stop() {
    this.session = undefined;
    this.send("Browser.close").catch(() => {});
    await this.ended;
    await rm(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}
