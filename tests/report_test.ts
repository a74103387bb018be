// The report of a training run: its data, its page as a browser shows it, and the server that shows it live.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { page, readPage, writePage } from "../examples/report/page.ts";
import { type About, Recorder, type Run, secondsOf } from "../examples/report/recorder.ts";
import { serveReport } from "../examples/report/server.ts";
import { findBrowser, type Page, withPage } from "./browser.ts";

const hostile = `</script><script>alert(1)</script><!-- & "quoted" <b>`;

function about(more: Partial<About> = {}): About {
  const plan = { model: "base", seed: 42, text: hostile }, machine = { device: "cpu", workers: 2 };
  return { title: "A run", plan, machine, steps: 300, tokensPerStep: 1000, clip: 1, ...more };
}

/** A run of plausible figures that needs no training; step s has loss 2 + 4 / (1 + s / 20). */
function recorded(done: number, { experts = 0, ...more }: Partial<About> & { experts?: number } = {}): Recorder {
  const recorder = new Recorder(about(more));
  for (let s = 0; s < done; s++) {
    if (s % Math.ceil(done / 10) === 0) {
      recorder.look(2.1 + 4 / (1 + s / 20));
      recorder.sample(`Call me ${hostile} ${s}`);
    }
    const load = Array.from({ length: experts }, (_, e) => 10 + 3 * Math.sin(s / 50 + e));
    const figures = { loss: lossOf(s), rate: 3e-3 * Math.min(1, (s + 1) / 40), norm: 0.5 + 5 / (1 + s), seconds: 0.1 + 0.01 * (s % 3) };
    recorder.step(experts > 0 ? { ...figures, load } : figures);
  }
  return recorder;
}

const lossOf = (step: number) => 2 + 4 / (1 + step / 20);
const close = (a: number | null | undefined, b: number, relative = 1e-4) =>
  assert.ok(a !== null && a !== undefined && Math.abs(a - b) <= relative * Math.abs(b), `${a} is not ${b}`);

// ── Data ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a short run is kept step by step", () => {
  const run = recorded(50, { experts: 3 }).all();
  assert.deepEqual([run.done, run.every, run.from, run.figures.loss.mean.length, run.figures.load.length], [50, 1, 0, 50, 3]);
  run.figures.loss.mean.forEach((loss, step) => close(loss, lossOf(step)));
  assert.deepEqual(run.figures.loss.min, run.figures.loss.mean);
  assert.equal(run.looks.length, 10);
  assert.equal(run.samples[1]!.step, 5);
  assert.ok(run.samples[1]!.text.endsWith(" 5"));
});

test("a long run is kept in buckets: means of all steps, and no spike is lost", () => {
  const steps = 100_000, recorder = new Recorder(about({ steps }));
  for (let s = 0; s < steps; s++) {
    recorder.step({
      loss: s === 54_321 ? 99 : lossOf(s),
      rate: 1e-3,
      norm: s === 12_345 ? 77 : 1,
      seconds: 0.1,
      load: Array(16).fill(s % 7),
    });
  }
  const run = recorder.all(), { loss, norm, rate, load } = run.figures;
  assert.equal(run.every, 128);
  assert.equal(loss.mean.length, Math.ceil(steps / 128));
  assert.equal(loss.max![Math.floor(54_321 / 128)], 99);
  assert.equal(norm.max![Math.floor(12_345 / 128)], 77);
  const bucket = 100, inside = Array.from({ length: 128 }, (_, i) => lossOf(bucket * 128 + i));
  close(loss.mean[bucket], inside.reduce((a, b) => a + b) / 128);
  close(loss.min![bucket], Math.min(...inside));
  assert.ok(rate.mean.every((value) => value === 0.001) && rate.max === undefined);
  assert.equal(load.length, 16);
  close(secondsOf(run, 99_999), 0.1);
  assert.ok(Number.isNaN(secondsOf(run, 200_000)));
  const { length } = page(run);
  assert.ok(length < 500_000, `a page of ${length} characters`);
});

test("the number of buckets never passes its limit and stays above its half", () => {
  const recorder = new Recorder(about());
  for (let s = 1; s <= 9000; s++) {
    recorder.step({ loss: 1, rate: 1, norm: 1, seconds: 1 });
    const { every, figures: { loss: { mean } } } = s % 64 < 2 ? recorder.all() : { every: 0, figures: { loss: { mean: [] } } };
    if (every > 0) {
      assert.ok(mean.length <= 1024 && (every === 1 || mean.length >= 512) && mean.length === Math.ceil(s / every), `${s}: ${mean.length}`);
    }
  }
});

test("what is not finite counts nowhere and is null in the page", () => {
  const recorder = new Recorder(about());
  for (let s = 0; s < 4; s++) recorder.step({ loss: [1, NaN, Infinity, 3][s]!, rate: 1, norm: NaN, seconds: 1 });
  recorder.look(NaN);
  const { figures, looks } = recorder.all();
  assert.deepEqual(figures.loss.mean, [1, null, null, 3]);
  assert.deepEqual(figures.norm.mean, [null, null, null, null]);
  assert.deepEqual(looks, []);
  for (let s = 4; s < 1025; s++) recorder.step({ loss: s === 5 ? NaN : 5, rate: 1, norm: 1, seconds: 1 });
  assert.deepEqual(recorder.all().figures.loss.mean.slice(0, 4), [1, 3, 5, 5], "a bucket's mean is of the steps that are known");
});

test("since() tells what is new: from the bucket and the step of the mark on, and all of it where buckets have changed", () => {
  const recorder = recorded(30), { mark } = recorder.all();
  recorder.look(1.5);
  recorder.step({ loss: 7, rate: 1, norm: 1, seconds: 1 });
  const news = recorder.since(mark);
  assert.deepEqual([news.from, news.since, news.done, news.figures.loss.mean], [30, 30, 31, [7]]);
  assert.deepEqual([news.looks, news.samples], [[{ step: 30, loss: 1.5 }], []]);
  assert.deepEqual(recorder.since(news.mark).figures.loss.mean, []);
  for (const foreign of ["", "x/1/5", mark.replace("/30", "/999"), recorded(30).all().mark]) {
    assert.equal(recorder.since(foreign).from, 0, foreign);
  }
  for (let s = 31; s < 1025; s++) recorder.step({ loss: 7, rate: 1, norm: 1, seconds: 1 });
  const [all, again] = [recorder.since(news.mark), recorder.all()];
  assert.equal(all.every, 2);
  assert.deepEqual(all, again);
  recorder.step({ loss: 9, rate: 1, norm: 1, seconds: 1 });
  assert.deepEqual(recorder.since(again.mark).figures.loss.mean, [8], "a bucket that was half full is sent again: 7 and 9");
});

// ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a page holds its run, needs nothing else, and no text of the run is taken for HTML", async () => {
  const run = recorded(50, { title: hostile, experts: 2 }).all();
  const html = page(run);
  assert.deepEqual(readPage(html), run);
  assert.equal(html.match(/<script/g)!.length, 2);
  assert.equal(html.match(/<\/script/g)!.length, 2);
  assert.ok(!html.includes("<b>") && !html.includes("<!--"));
  const addresses = html.match(/(?:https?:)?\/\/[\w.-]+\.\w+[^\s"'`]*/g) ?? [];
  assert.deepEqual(addresses, ["http://www.w3.org/2000/svg"], "a name, which nobody fetches");
  assert.equal(readPage("<html></html>"), undefined);

  const folder = await mkdtemp(join(tmpdir(), "tilework-report-"));
  try {
    await writePage(join(folder, "report.html"), run);
    await writePage(join(folder, "report.html"), recorded(60).all()); // over one that is there
    assert.equal(readPage(await readFile(join(folder, "report.html"), "utf8"))!.done, 60);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const command = await findBrowser();
const inBrowser = { skip: command === undefined && "no chromium or chromium-headless-shell is installed" };

/** Opens a run's page as a file. */
async function asFile(run: Run, body: (open: string, page: Page) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tilework-report-"));
  try {
    await writeFile(join(folder, "report.html"), page(run));
    await withPage(command!, (browser) => body(pathToFileURL(join(folder, "report.html")).href, browser));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The lowest contrast of any text with what is behind it, after WCAG 2, and that text. */
const lowestContrast = `(() => {
  const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number); return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
  let lowest = [99, ""];
  for (const e of document.querySelectorAll("main *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "") || e.getClientRects().length === 0) continue;
    const style = getComputedStyle(e), a = light(e instanceof SVGElement ? style.fill : style.color), b = light(ground(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < lowest[0]) lowest = [contrast, e.textContent];
  }
  return lowest;
})()`;

/** What is wider than the window or its own box. A table of many columns scrolls in a box of its own. */
const overflowing = `[document.documentElement, ...document.querySelectorAll("main *:not(table, table *, .scroll, svg, svg *)")]
  .filter((e) => e.scrollWidth > e.clientWidth && getComputedStyle(e).display !== "inline").map((e) => e.outerHTML.slice(0, 200))`;

/** Texts of the charts that stick out of their drawing or cover each other. */
const misplaced = `[...document.querySelectorAll("figure > svg")].flatMap((view) => {
  const box = view.getBoundingClientRect(), texts = [...view.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
  const out = texts.filter(([, r]) => r.left < box.left - 0.5 || r.right > box.right + 0.5 || r.top < box.top - 0.5 || r.bottom > box.bottom + 0.5);
  const over = texts.filter(([, r], i) => texts.some(([, s], j) => j < i && r.left < s.right && s.left < r.right && r.top + 2 < s.bottom && s.top + 2 < r.bottom));
  return [...out, ...over].map(([text]) => text);
})`;

test("a browser shows the report on a phone and on a wide screen, light, dark and printed", inBrowser, async () => {
  const runs: Record<string, Run> = {
    dense: recorded(300).all(),
    experts: recorded(5000, { experts: 4, steps: 5000 }).all(),
    young: recorded(1, { experts: 4 }).all(),
    unborn: recorded(0).all(),
    long: recorded(120_000, { experts: 12, steps: 120_000 }).all(),
  };
  for (const [name, run] of Object.entries(runs)) {
    await asFile(run, async (url, browser) => {
      const views = [{ width: 375, height: 700 }, { width: 1280, height: 800 }].flatMap((size) =>
        [false, true].map((dark) => ({ ...size, dark }))
      );
      for (const view of [...views, { width: 800, height: 1100, dark: true, print: true }]) {
        const where = `${name} at ${JSON.stringify(view)}`;
        await browser.open(url, view);
        assert.deepEqual(browser.complaints, [], where);
        assert.deepEqual(await browser.evaluate(overflowing), [], where);
        assert.deepEqual(await browser.evaluate(misplaced), [], `${where}: texts of charts`);
        const [contrast, text] = await browser.evaluate<[number, string]>(lowestContrast);
        assert.ok(contrast >= 4.5, `${where}: "${text}" has a contrast of ${contrast}`);
        const light = await browser.evaluate<string>("getComputedStyle(document.body).backgroundColor") === "rgb(255, 255, 255)";
        assert.equal(light, !view.dark || "print" in view, where);
      }
      assert.equal(
        await browser.evaluate(`document.querySelectorAll("figure > svg:not([hidden] svg)").length`),
        run.figures.load.length > 0 ? 5 : 4,
      );
      assert.equal(await browser.evaluate(`document.querySelectorAll("#load .expert").length`), run.figures.load.length);
      assert.equal(await browser.evaluate(`document.querySelectorAll("#loss > svg .dot").length`), run.looks.length);
      assert.equal(await browser.evaluate(`document.querySelectorAll(".samples pre").length`), run.samples.length);
      // One point a bucket: the curve is there, and all of it.
      const points = await browser.evaluate<number>(
        `(document.querySelector("#loss > svg .main").getAttribute("d").match(/[ML]/g) ?? []).length`,
      );
      assert.equal(points, run.figures.loss.mean.length, name);
    });
  }
});

test(
  "the report reads values out under pointer and keys, and gives text as text",
  inBrowser,
  () =>
    asFile(recorded(300, { experts: 2, title: hostile }).all(), async (url, browser) => {
      await browser.open(url, { width: 1000, height: 800, dark: false });
      assert.equal(await browser.evaluate("document.title"), hostile);
      assert.equal(await browser.evaluate(`document.querySelector("h1").textContent`), hostile);
      assert.ok((await browser.evaluate<string>(`document.querySelector(".samples pre").textContent`)).includes(hostile));
      const read = (chart: string) => browser.evaluate<string>(`document.querySelector("#${chart} .read").textContent`);
      assert.match(await read("loss"), /^step 300/);

      const [x, y] = await browser.evaluate<[number, number]>(
        `(() => { const r = document.querySelector("#loss > svg .axis").getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`,
      );
      await browser.point(x, y);
      await browser.until(`/^step 150/.test(document.querySelector("#loss .read").textContent)`);
      assert.ok((await read("loss")).includes(`each step ${lossOf(150).toFixed(3)}`), await read("loss"));
      assert.match(await read("loss"), /held-out text \(step 150\)/);
      assert.match(await read("load"), /^step 150.*expert 0 \d+.*expert 1 \d+/);
      assert.equal(
        await browser.evaluate(`document.querySelectorAll("figure > svg .hand path").length`),
        5,
        "all charts show the same place",
      );
      await browser.point(2, 2);
      await browser.until(`document.querySelectorAll(".hand path").length === 0`);

      await browser.evaluate(`document.querySelector("#norm > svg").focus()`);
      for (const [key, place] of [["Home", "step 0"], ["ArrowRight", "step 1"], ["PageUp", "step 31"], ["ArrowLeft", "step 30"]] as const) {
        await browser.press(key);
        await browser.until(`document.querySelector("#norm > svg").getAttribute("aria-valuetext").startsWith("${place},")`);
      }
      assert.match(await read("rate"), /^step 30/);
      assert.deepEqual(browser.complaints, []);
    }),
);

// ── Live ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** An answer of the server whose body is heard as it comes. */
interface Heard {
  readonly status: number;
  readonly type: string;
  body(): string;
  readonly ended: Promise<void>;
  readonly request: ClientRequest;
}

function hear(url: string, { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {}): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (response: IncomingMessage) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => body += chunk);
      const ended = new Promise<void>((resolve) => response.once("close", () => resolve()).once("error", () => resolve()));
      resolve({ status: response.statusCode!, type: String(response.headers["content-type"]), body: () => body, ended, request: asked });
    });
    asked.on("error", reject);
    asked.end();
  });
}

/** The runs among the events so far. */
function runs(heard: Heard): (Run & { id: string })[] {
  return [...heard.body().matchAll(/^id: (.*)\ndata: (.+)\n\n/gm)].map(([, id, data]) => ({ id: id!, ...JSON.parse(data!) as Run }));
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within 20 s: ${what}`);
    await pause(10);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const step = (recorder: Recorder, loss: number) => recorder.step({ loss, rate: 1e-3, norm: 1, seconds: 0.1 });

test("the server sends many listeners what is new, goes on where one left off, and ends with the run", async () => {
  const recorder = recorded(10), live = await serveReport(recorder);
  try {
    const first = await hear(live.url);
    await first.ended;
    assert.deepEqual([first.status, first.type], [200, "text/html; charset=utf-8"]);
    const known = readPage(first.body())!;
    assert.equal(known.done, 10);

    const listeners = await Promise.all(
      Array.from({ length: 20 }, () => hear(`${live.url}events?since=${encodeURIComponent(known.mark)}`)),
    );
    const fresh = await hear(`${live.url}events`);
    assert.equal(fresh.type, "text/event-stream");
    await until("a first event each", () => [...listeners, fresh].every((one) => runs(one).length === 1));
    assert.equal(runs(listeners[0]!)[0]!.from, 10);
    assert.equal(runs(fresh)[0]!.from, 0);

    step(recorder, 1.25);
    live.update();
    await until("the step, at most a moment later", () => {
      live.update();
      return listeners.every((one) => runs(one).length >= 2);
    });
    const [, news] = runs(listeners[7]!);
    assert.deepEqual([news!.done, news!.figures.loss.mean], [11, [1.25]]);

    // A browser that has lost its connection says what it has heard last.
    listeners[7]!.request.destroy();
    step(recorder, 1.5);
    const again = await hear(`${live.url}events?since=${encodeURIComponent(known.mark)}`, { headers: { "last-event-id": news!.id } });
    await until("the step in between", () => runs(again).length === 1);
    assert.deepEqual([runs(again)[0]!.from, runs(again)[0]!.figures.loss.mean], [11, [1.5]]);

    step(recorder, 1.75);
    recorder.end("finished");
    await live.close();
    await Promise.all([...listeners, fresh, again].map(({ ended }) => ended));
    for (const one of [listeners[0]!, fresh, again]) {
      const last = runs(one).at(-1)!;
      assert.deepEqual([last.state, last.done, last.figures.loss.mean.at(-1)], ["finished", 13, 1.75]);
      assert.ok(one.body().endsWith("event: end\ndata:\n\n"));
    }
    await assert.rejects(hear(live.url), "nobody listens any more");
  } finally {
    await live.close();
  }
});

test("the server answers this machine alone, and nothing but reads", async () => {
  const live = await serveReport(recorded(1));
  try {
    const { port, hostname } = new URL(live.url);
    assert.equal(hostname, "127.0.0.1");
    const status = async (path: string, options = {}) => (await hear(`http://127.0.0.1:${port}${path}`, options)).status;
    assert.equal(await status("/"), 200);
    assert.equal(await status("/", { headers: { host: `localhost:${port}` } }), 200);
    assert.equal(await status("/", { headers: { host: "elsewhere.example" } }), 403);
    assert.equal(await status("/", { headers: { host: `127.0.0.1.elsewhere.example:${port}` } }), 403);
    assert.equal(await status("/../etc/passwd"), 404);
    assert.equal(await status("/", { method: "POST" }), 405);
    await assert.rejects(serveReport(recorded(1), Number(port)), new RegExp(`Port ${port} is in use`));
  } finally {
    await live.close();
  }
});

test("a listener that never reads holds up neither the run nor its end", async () => {
  const recorder = recorded(2000, { experts: 60 }), live = await serveReport(recorder);
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  request(`${live.url}events`, { agent: false }, resolve).on("error", () => {}).end();
  (await promise).pause();
  const began = performance.now();
  for (let s = 0; s < 1000; s++) {
    step(recorder, 1);
    live.update();
  }
  await pause(300);
  live.update();
  recorder.end("stopped");
  await live.close();
  const seconds = (performance.now() - began) / 1000;
  assert.ok(seconds < 5, `took ${seconds} s`);
});

test("a browser follows a run as it goes on, to its end", inBrowser, () =>
  withPage(command!, async (browser) => {
    const recorder = recorded(20, { steps: 1500 }), live = await serveReport(recorder);
    const points = `(document.querySelector("#loss > svg .main").getAttribute("d").match(/[ML]/g) ?? []).length`;
    const status = `document.getElementById("status").textContent.replaceAll("\\u202f", "")`;
    try {
      await browser.open(live.url, { width: 375, height: 700, dark: true });
      await browser.until(`${status} === "Running: step 20 of 1500"`);
      for (let s = 20; s < 60; s++) step(recorder, 2);
      recorder.look(2.2);
      recorder.sample("The whale!");
      const updating = setInterval(() => live.update(), 50); // as a training loop does
      try {
        await browser.until(`${status} === "Running: step 60 of 1500" && ${points} === 60`);
        await browser.until(`[...document.querySelectorAll(".samples pre")].at(-1).textContent === "The whale!"`);
        assert.equal(await browser.evaluate(`document.querySelectorAll("#loss > svg .dot").length`), 11);
        for (let s = 60; s < 1401; s++) step(recorder, 2); // past the limit of buckets: these become others
        await browser.until(`${status} === "Running: step 1401 of 1500" && ${points} === 701`);
        for (let s = 1401; s < 1500; s++) step(recorder, 2);
        recorder.end("finished");
      } finally {
        clearInterval(updating);
      }
      await live.close();
      await browser.until(`${status} === "Finished: step 1500 of 1500" && ${points} === 750`);
      assert.equal(await browser.evaluate("document.documentElement.scrollWidth"), 375);
      assert.deepEqual(browser.complaints, []);
    } finally {
      await live.close();
    }
  }));

/** A port of this machine before a report's own, whose connections a test can cut: who listens there meets what `answers` says next. */
async function gate(): Promise<{ url: string; answers: number | "nobody" | "something else"; cut(): void; close(): Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client.on("close", () => open.delete(client)).on("error", () => {}));
    if (self.answers === "nobody") return client.resetAndDestroy();
    if (self.answers === "something else") return client.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    const report = connect(self.answers, "127.0.0.1");
    open.add(report.on("close", () => client.destroy()).on("error", () => {}));
    client.on("close", () => report.destroy()).pipe(report).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  const self: Awaited<ReturnType<typeof gate>> = {
    url: `http://127.0.0.1:${port}/`,
    answers: "nobody",
    cut: () => open.forEach((socket) => socket.destroy()),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      self.cut();
      await closed;
    },
  };
  return self;
}

test(
  "a page whose server goes away says so, stays legible, and goes on with what comes back",
  inBrowser,
  () =>
    withPage(command!, async (browser) => {
      const recorder = recorded(20, { steps: 100 }), live = await serveReport(recorder), before = await gate();
      const other = await serveReport(recorded(30, { steps: 40, title: "Another run", plan: { model: "other" }, experts: 2 }));
      const portOf = ({ url }: { url: string }) => Number(new URL(url).port);
      const points = `(document.querySelector("#loss > svg .main").getAttribute("d").match(/[ML]/g) ?? []).length`;
      const status = `document.getElementById("status").textContent`;
      const lost = (step: number) =>
        `${status} === "Not connected, trying again; last heard of: step ${step} of 100" && document.getElementById("status").dataset.state === "lost"`;
      try {
        before.answers = portOf(live);
        await browser.open(before.url, { width: 375, height: 700, dark: true });
        await browser.until(`${status} === "Running: step 20 of 100"`);

        // Nobody is there, while the run goes on.
        before.answers = "nobody";
        before.cut();
        await browser.until(lost(20));
        assert.equal(await browser.evaluate(points), 20, "what was there stays");
        await browser.evaluate(`document.querySelector("#loss > svg").focus()`);
        await browser.press("Home");
        await browser.until(`document.querySelector("#loss .read").textContent.startsWith("step 0")`);
        for (let s = 20; s < 30; s++) step(recorder, 2);
        before.answers = portOf(live);
        await browser.until(`${status} === "Running: step 30 of 100" && ${points} === 30`);

        // A browser asks no second time where something else has answered.
        before.answers = "something else";
        before.cut();
        await browser.until(lost(30));
        await pause(4000); // so long that it has met that answer
        assert.ok(await browser.evaluate<boolean>(lost(30)));
        for (let s = 30; s < 35; s++) step(recorder, 2);
        before.answers = portOf(live);
        await browser.until(`${status} === "Running: step 35 of 100" && ${points} === 35`);

        // Another run takes the port: the page is its page now.
        before.answers = portOf(other);
        before.cut();
        await browser.until(`${status} === "Running: step 30 of 40" && ${points} === 30`);
        assert.deepEqual(await browser.evaluate(`[document.title, document.querySelector("h1").textContent]`), [
          "Another run",
          "Another run",
        ]);
        assert.deepEqual(
          await browser.evaluate(`[...document.querySelectorAll(".facts dd")].map((one) => one.textContent)`),
          ["other", "cpu", "2"],
        );
        assert.equal(await browser.evaluate(`document.getElementById("load").hidden`), false);
        // The browser itself notes every connection that failed; the page adds nothing.
        assert.deepEqual(browser.complaints.filter((one) => !/"source":"network"/.test(one)), []);
      } finally {
        await before.close();
        await live.close();
        await other.close();
      }
    }),
);
