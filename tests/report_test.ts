// The report of a training run: its data, its page as a browser shows it, its file, and the server that shows it live.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { openReport, type Report, ReportError, type ReportOptions } from "../report.ts";
import { runOf } from "../report/page.ts";
import type { Run } from "../report/recorder.ts";
import { reportClient } from "../scripts/report_client.ts";
import { root } from "../scripts/process.ts";
import { findBrowser, type Page, withPage } from "./browser.ts";
import { assertEndedWell, run as runProcess, runtime } from "./child.ts";

const hostile = `</script><script>alert(1)</script><!-- & "quoted" <b>`;

/** Runs `body` with an empty folder. */
async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tilework-report-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Names = "loss" | "heldOut" | "accuracy" | "rate" | "norm";
const series: ReportOptions<Names>["series"] = {
  loss: { group: "Loss", unit: "nats", wide: true, best: "lowest" },
  heldOut: { title: "held-out", group: "Loss", kind: "points", best: "lowest" },
  accuracy: { title: "Accuracy", unit: "%", best: "highest", reference: { value: 10, title: "guessing" } },
  rate: { title: "Learning rate", smooth: false, zero: true },
  norm: { title: "Gradient norm", scale: "log" },
};

const lossOf = (step: number) => 2 + 4 / (1 + step / 20);

interface Made extends Partial<ReportOptions<Names>> {
  /** How many series share a stack. */
  readonly stacked?: number;
}

/** A report of plausible figures that needs no training. Ten of its steps have a look at held-out data, a sample and a picture. */
function recorded(done: number, { stacked = 0, ...more }: Made = {}): Report<string> {
  const load = Array.from({ length: stacked }, (_, i) => `load ${i}`);
  const report = openReport<string>({
    ...{ title: "A run", steps: 300, facts: { model: "base", seed: 42, text: hostile }, ...more },
    series: { ...series, ...Object.fromEntries(load.map((name) => [name, { group: "Load", stack: true, wide: true }])) },
  });
  for (let s = 0; s < done; s++) {
    if (s % Math.ceil(done / 10) === 0) {
      report.add(s, { heldOut: 2.1 + 4 / (1 + s / 20), accuracy: 90 - 80 / (1 + s) });
      report.sample(s, `Call me ${hostile} ${s}`, { title: hostile });
      report.image(s, hostile, { width: 4, height: 4, pixels: Float32Array.from({ length: 16 }, (_, i) => i / 16) });
      if (s === 0) report.image(s, "a wide one", { width: 600, height: 100, pixels: new Uint8Array(180_000) });
    }
    report.add(s, { loss: lossOf(s), rate: 3e-3 * Math.min(1, (s + 1) / 40), norm: 0.5 + 5 / (1 + s) });
    report.add(s, Object.fromEntries(load.map((name, i) => [name, 10 + 3 * Math.sin(s / 50 + i)])));
  }
  return report;
}

/** The run that a report shows now. */
const shown = (report: { html(): string }): Run => runOf(report.html())!;
const columnOf = (run: Run, name: string) => run.columns[run.series.findIndex((one) => one.name === name)]!;
const close = (a: number | null | undefined, b: number, relative = 1e-4) =>
  assert.ok(a !== null && a !== undefined && Math.abs(a - b) <= relative * Math.abs(b), `${a} is not ${b}`);
/** A report of one series. */
const single = (more: Partial<ReportOptions<"loss">> = {}) => openReport({ title: "One", series: { loss: {} }, ...more });

// ── Data ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a short run is kept step by step, and a series that is measured now and then at its own steps", () => {
  const run = shown(recorded(50, { stacked: 3 })), loss = columnOf(run, "loss");
  assert.deepEqual([run.done, run.last, run.every, run.whole, run.columns.length], [50, 49, 1, true, 8]);
  assert.deepEqual(loss.at, Array.from({ length: 50 }, (_, step) => step));
  loss.mean.forEach((value, step) => close(value, lossOf(step)));
  assert.equal(loss.min, undefined, "one value needs no spread");
  assert.deepEqual(columnOf(run, "heldOut").at, [0, 5, 10, 15, 20, 25, 30, 35, 40, 45]);
  assert.deepEqual([run.samples.length, run.samples[1]!.step, run.pictures.length], [10, 5, 11]);
  assert.ok(run.samples[1]!.text.endsWith(" 5"));
});

test("a long run is kept in buckets: means of all steps, and no spike is lost", () => {
  const steps = 100_000, report = openReport({ title: "Long", series: { loss: {}, rare: {} } });
  for (let s = 0; s < steps; s++) report.add(s, { loss: s === 54_321 ? 99 : lossOf(s), rare: s % 1000 === 7 ? s : undefined });
  const run = shown(report), loss = columnOf(run, "loss"), rare = columnOf(run, "rare");
  assert.equal(run.every, 128);
  assert.equal(loss.mean.length, Math.ceil(steps / 128));
  assert.equal(loss.max![Math.floor(54_321 / 128)], 99);
  const bucket = 100, inside = Array.from({ length: 128 }, (_, i) => lossOf(bucket * 128 + i));
  close(loss.mean[bucket], inside.reduce((a, b) => a + b) / 128);
  close(loss.min![bucket], Math.min(...inside));
  assert.deepEqual([loss.at[bucket], loss.count![bucket]], [bucket * 128 + 63.5, 128]);
  assert.deepEqual(rare.at, Array.from({ length: 100 }, (_, i) => 1000 * i + 7), "each stands at its own step");
  assert.deepEqual(rare.mean, rare.at);
  const { length } = report.html();
  assert.ok(length < 200_000, `a page of ${length} characters`);
});

test("the number of buckets never passes its limit and stays above its half, wherever a run begins", () => {
  for (const first of [0, 1, 1_000_000]) {
    const report = single();
    for (let s = 1; s <= 5000; s++) {
      report.add(first + s - 1, { loss: s });
      if (s % 64 > 1) continue;
      const { every, columns: [loss] } = shown(report), { length } = loss!.mean;
      assert.ok(length <= 1024 && (every === 1 || length >= 512) && length === Math.ceil(s / every), `${first}, ${s}: ${length}`);
    }
  }
});

test("steps may leave out others, and far ones are joined", () => {
  const report = single();
  for (let i = 0; i < 1500; i++) report.add(i * 65_536, { loss: i });
  const { every, columns: [loss] } = shown(report);
  assert.equal(every, 131_072);
  assert.equal(loss!.at.length, 750);
  assert.deepEqual([loss!.mean[1], loss!.at[1]], [2.5, 2.5 * 65_536]);
});

test("NaN and infinities are a gap, undefined is nothing, and neither is counted in a mean", () => {
  const report = openReport({ title: "Gaps", series: { loss: {}, other: {} } });
  for (let s = 0; s < 5; s++) report.add(s, { loss: [1, NaN, Infinity, undefined, 3][s] });
  const { columns: [loss, other] } = shown(report);
  assert.deepEqual(loss, { at: [0, 1, 2, 4], mean: [1, null, null, 3] });
  assert.deepEqual(other, { at: [], mean: [] });
  for (let s = 5; s < 1025; s++) report.add(s, { loss: s === 6 ? NaN : 5 });
  const joined = shown(report).columns[0]!;
  assert.deepEqual(joined.mean.slice(0, 4), [1, null, 4, 5]);
  assert.deepEqual(joined.count!.slice(0, 4), [1, 0, 2, 1]);
});

test("several calls may be for one step, and a value replaces one of the same series and step", () => {
  const report = openReport({ title: "Twice", series: { a: {}, b: {} } });
  for (let s = 0; s < 2000; s++) {
    report.add(s, { a: 100, b: s });
    report.add(s, { a: 1 });
  }
  const { every, columns: [a, b] } = shown(report);
  assert.equal(every, 2);
  assert.ok(a!.mean.every((value) => value === 1) && a!.max!.every((value) => value === 1));
  assert.ok(a!.count!.every((count) => count === 2), `${a!.count}`);
  assert.deepEqual([b!.mean[0], b!.mean[999]], [0.5, 1998.5]);
  report.sample(3, "old", { title: "x" });
  report.sample(3, "new", { title: "x" });
  report.sample(3, "untitled");
  report.sample(1, "earlier", { title: "x" });
  assert.deepEqual(shown(report).samples.map(({ text }) => text), ["earlier", "new", "untitled"]);
});

test("a step back takes back what came at it and later, samples and pictures after it too", () => {
  const report = recorded(50);
  report.add(20, { loss: 7 });
  const run = shown(report);
  assert.deepEqual([run.last, run.done, columnOf(run, "loss").at.length, columnOf(run, "loss").mean[20]], [20, 21, 21, 7]);
  assert.deepEqual(columnOf(run, "heldOut").at, [0, 5, 10, 15], "its value at step 20 is taken back as well");
  assert.deepEqual(run.samples.map(({ step }) => step), [0, 5, 10, 15, 20]);
  assert.ok(run.pictures.every(({ step }) => step <= 20));
  report.add(0, { loss: 1 });
  assert.deepEqual(columnOf(shown(report), "loss"), { at: [0], mean: [1] });

  const long = single();
  for (let s = 0; s < 3000; s++) long.add(s, { loss: s < 1501 ? 1 : 5 });
  long.add(1501, { loss: 3 }); // within a bucket of steps 1500 to 1503
  const { every, columns: [loss] } = shown(long), last = loss!.at.length - 1;
  assert.deepEqual([every, last], [4, 375]);
  assert.deepEqual([loss!.count![last], loss!.max![last - 1]], [2, 1]);
});

test("samples and pictures of a long run are thinned out, and the first and the latest stay", () => {
  const report = single();
  for (let s = 0; s < 1000; s++) {
    report.sample(s, `${s}`);
    report.image(s, "one", { width: 1, height: 1, pixels: Uint8Array.of(s % 256) });
    if (s < 3) report.image(0, "titled", { title: `${s % 2}`, width: 1, height: 1, pixels: Uint8Array.of(s) });
    if (s % 100 === 0) report.image(s, "rare", { width: 1, height: 1, pixels: Uint8Array.of(0) });
  }
  const { samples, pictures } = shown(report), of = (name: string) => pictures.filter((one) => one.name === name).map(({ step }) => step);
  assert.ok(samples.length >= 100 && samples.length <= 200, `${samples.length}`);
  assert.deepEqual([samples[0]!.text, samples.at(-1)!.text], ["0", "999"]);
  assert.ok(of("one").length >= 32 && of("one").length <= 64 && of("one")[0] === 0 && of("one").at(-1) === 999, `${of("one")}`);
  assert.equal(of("rare").length, 10);
  assert.deepEqual(pictures.filter(({ name }) => name === "titled").map(({ title }) => title), ["1", "0"], "the title is part of its name");
});

test("a picture of one to four channels is a PNG with its values; floats are from 0 to 1", () => {
  const report = single();
  const decoded = (width: number, height: number, pixels: Uint8Array | Float32Array | Float64Array | Uint8ClampedArray) => {
    report.image(0, "it", { width, height, pixels });
    const png = Uint8Array.from(atob(shown(report).pictures[0]!.png), (letter) => letter.charCodeAt(0)), view = new DataView(png.buffer);
    assert.deepEqual([...png.subarray(1, 4)].map((code) => String.fromCharCode(code)).join(""), "PNG");
    assert.deepEqual([view.getUint32(16), view.getUint32(20), png[24]], [width, height, 8]);
    const length = view.getUint32(33);
    return { kind: png[25], rows: [...inflateSync(png.subarray(41, 41 + length))] };
  };
  assert.deepEqual(decoded(2, 2, Uint8Array.of(1, 2, 3, 255)), { kind: 0, rows: [0, 1, 2, 0, 3, 255] });
  assert.deepEqual(decoded(2, 1, Float32Array.of(-1, NaN, 0.5, 2)), { kind: 4, rows: [0, 0, 0, 128, 255] });
  assert.deepEqual(decoded(1, 2, Uint8ClampedArray.of(1, 2, 3, 4, 5, 6)), { kind: 2, rows: [0, 1, 2, 3, 0, 4, 5, 6] });
  assert.deepEqual(decoded(1, 1, Float64Array.of(0, 1, 0, 1)), { kind: 6, rows: [0, 0, 255, 0, 255] });
});

// ── Mistakes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("options that are wrong are refused in words, and nothing is written", () =>
  inFolder(async (folder) => {
    const file = join(folder, "report.html");
    const fails = (options: unknown, kind: typeof TypeError | typeof RangeError, message: RegExp) =>
      assert.throws(() => openReport({ title: "x", file, series: { loss: {} }, ...options as object }), (error) => {
        assert.ok(error instanceof kind, `${error}`);
        assert.match(error.message, message);
        return true;
      });
    fails({ title: 3 }, TypeError, /^openReport: title must be a string, got 3$/);
    fails({ title: undefined }, TypeError, /^openReport: title must be a string, got undefined$/);
    fails({ tittle: "x" }, TypeError, /^openReport: there is no option tittle; there are title, series, /);
    fails({ series: {} }, TypeError, /^openReport: series must be an object with at least one series/);
    fails({ series: { loss: "log" } }, TypeError, /^openReport: series.loss must be an object { title, unit, .* }, got the string "log"$/);
    fails({ series: { loss: { colour: "red" } } }, TypeError, /^openReport: there is no option series.loss.colour; there are title, /);
    fails(
      { series: { loss: { scale: "lgo" } } },
      TypeError,
      /^openReport: series.loss.scale must be "linear" or "log", got the string "lgo"$/,
    );
    fails(
      { series: { loss: { reference: { value: NaN } } } },
      RangeError,
      /^openReport: series.loss.reference.value must be finite, got NaN$/,
    );
    fails(
      { series: { a: { group: "g", unit: "s" }, b: { group: "g", unit: "ms" } } },
      TypeError,
      /^openReport: series.b.unit is "ms", but another/,
    );
    fails({ x: { scale: 2 } }, TypeError, /^openReport: x.scale must be "linear" or "log", got 2$/);
    fails({ steps: 0 }, RangeError, /^openReport: steps must be a whole number from 1 to 2\^53 - 1, got 0$/);
    fails({ writeEvery: 0 }, RangeError, /^openReport: writeEvery must be seconds from 0.1 to 86400, got 0$/);
    fails({ file: undefined, resume: true }, TypeError, /^openReport: resume goes on with what file holds, and file is missing$/);
    fails({ facts: { a: {} } }, TypeError, /^openReport: facts.a must be a string, number or boolean, got an object/);
    assert.throws(() => openReport(undefined as never), /^TypeError: openReport: options must be an object { title, .* }, got undefined$/);
    assert.deepEqual(await readdir(folder), []);
  }));

test("steps, values, samples and pictures that are wrong are refused in words, and change nothing", async () => {
  const report = recorded(3), before = shown(report);
  const fails = (call: () => unknown, kind: typeof TypeError | typeof RangeError, message: RegExp) =>
    assert.throws(call, (error) => {
      assert.ok(error instanceof kind, `${error}`);
      assert.match(error.message, message);
      return true;
    });
  const pixels = new Uint8Array(4);
  fails(() => report.add(-1, { loss: 1 }), RangeError, /^report.add: step must be a whole number from 0 to 2\^53 - 1, got -1$/);
  fails(() => report.add(1.5, { loss: 1 }), RangeError, /^report.add: step must be a whole number/);
  fails(() => report.add("1" as never, { loss: 1 }), TypeError, /^report.add: step must be a whole number .* got the string "1"$/);
  fails(
    () => report.add(9, { loss: 1, lss: 1 }),
    TypeError,
    /^report.add: there is no series "lss"; there are loss, heldOut, accuracy, rate, norm$/,
  );
  fails(() => report.add(9, { toString: 1 } as never), TypeError, /^report.add: there is no series "toString"/);
  fails(() => report.add(9, { loss: "1" as never }), TypeError, /^report.add: loss must be a number, got the string "1"$/);
  fails(() => report.add(9, 1 as never), TypeError, /^report.add: values must be an object, got 1$/);
  fails(() => report.sample(9, 1 as never), TypeError, /^report.sample: text must be a string, got 1$/);
  fails(() => report.image(9, "", { width: 2, height: 2, pixels }), TypeError, /^report.image: name must be a string with a letter/);
  fails(
    () => report.image(9, "x", { width: 2, height: 3, pixels }),
    RangeError,
    /^report.image: pixels must have 6 values for grey, .* got 4$/,
  );
  fails(
    () => report.image(9, "x", { width: 0, height: 3, pixels }),
    RangeError,
    /^report.image: width must be a whole number from 1 to 4096, got 0$/,
  );
  fails(
    () => report.image(9, "x", { width: 1, height: 1, pixels: [1] as never }),
    TypeError,
    /^report.image: pixels must be a Uint8Array.* an array$/,
  );
  assert.throws(() => report.serve({ port: 1e6 }), /^RangeError: report.serve: port must be a whole number from 0 to 65535, got 1000000$/);
  assert.throws(() => report.close({ state: "done" as never }), /^TypeError: report.close: state must be "finished" or "stopped"/);
  const { seconds: _, written: __, mark: ___, ...now } = shown(report), { seconds, written, mark, ...then } = before;
  assert.deepEqual(now, then);
  assert.ok(seconds >= 0 && written > 0 && mark !== "");
  await report.close();
  assert.throws(() => report.add(4, { loss: 1 }), /^TypeError: report.add: the report was closed$/);
});

test("an error's stack begins at the user's call", () => {
  try {
    single().add(-1, { loss: 1 });
    assert.fail();
  } catch (error) {
    const [, first] = (error as Error).stack!.split("\n");
    assert.match(first!, /report_test\.ts/);
  }
});

test("the compiler knows the names of the series", () => {
  const report = openReport({ title: "Typed", series: { loss: { unit: "nats", scale: "log" }, accuracy: {} } });
  report.add(0, { loss: 1 });
  report.add(1, { loss: 1, accuracy: undefined });
  // @ts-expect-error there is no such series
  assert.throws(() => report.add(2, { lss: 1 }));
  // @ts-expect-error there is no such scale
  assert.throws(() => openReport({ title: "Typed", series: { loss: { scale: "cubic" } } }));
});

// ── The file ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("the page's style and script are those of their files", async () => {
  const written = await readFile(join(root, "report", "client.gen.ts"), "utf8");
  assert.equal(written.replaceAll("\r\n", "\n"), reportClient(), "run scripts/report_client.ts");
});

test("a page holds its run, needs nothing else, and no text of the run is taken for HTML", () => {
  const html = recorded(50, { title: hostile, stacked: 2 }).html();
  assert.equal(html.match(/<script/g)!.length, 2);
  assert.equal(html.match(/<\/script/g)!.length, 2);
  assert.ok(!html.includes("<b>") && !html.includes("<!--"));
  const addresses = html.match(/(?:https?:)?\/\/[\w.-]+\.\w+[^\s"'`]*/g) ?? [];
  assert.deepEqual(addresses, ["http://www.w3.org/2000/svg"], "a name, which nobody fetches");
  assert.equal(runOf(html)!.title, hostile);
  assert.equal(runOf("<html></html>"), undefined);
});

test("the file is there from the start, is written again while values come, and at the end", () =>
  inFolder(async (folder) => {
    const file = join(folder, "new", "report.html"), read = async () => runOf(await readFile(file, "utf8"))!;
    const report = single({ file, writeEvery: 0.1 });
    assert.deepEqual([(await read()).last, (await read()).state], [null, "running"]);
    report.add(0, { loss: 1 });
    report.add(1, { loss: 2 });
    await until("both steps, though no call comes after them", async () => (await read()).last === 1);
    const began = performance.now();
    let step = 2;
    while (performance.now() - began < 300) report.add(step++, { loss: 1 }); // gives nothing else a turn
    assert.ok(runOf(readFileSync(file, "utf8"))!.last! > 2, "a loop that awaits nothing is written too");
    await report.close();
    assert.deepEqual([(await read()).last, (await read()).state], [step - 1, "finished"]);
    await report.close();
    assert.deepEqual(await readdir(join(folder, "new")), ["report.html"]);

    await using again = single({ file, steps: 10 });
    again.add(3, { loss: 1 });
    await again[Symbol.asyncDispose]();
    assert.deepEqual([(await read()).state, (await read()).columns[0]!.at], ["stopped", [3]], "without resume it is another run");
  }));

test("a run that goes on appends to its series, and takes back what came after its checkpoint", () =>
  inFolder(async (folder) => {
    const file = join(folder, "report.html"), first = recorded(50, { file });
    await first.close({ state: "stopped" });
    const second = recorded(0, { file, resume: true });
    assert.equal(second.lastStep, 49);
    assert.deepEqual([shown(second).state, shown(second).samples.length, shown(second).pictures.length], ["running", 10, 11]);
    second.add(50, { loss: 9 });
    assert.deepEqual(columnOf(shown(second), "loss").at, Array.from({ length: 51 }, (_, step) => step));
    await second.close();

    const third = recorded(0, { file, resume: true });
    third.add(50, { norm: 3 }); // the step that is there is done again
    assert.equal(columnOf(shown(third), "loss").at.length, 50);
    third.add(30, { loss: 8 });
    const run = shown(third);
    assert.deepEqual([run.last, columnOf(run, "loss").mean.at(-1), columnOf(run, "heldOut").at.at(-1)], [30, 8, 25]);
    await third.close();
    assert.ok(run.seconds >= 0);

    // A series that is new begins where it comes, and one that is gone stays as it was.
    const other = openReport({ title: "Changed", file, resume: true, series: { loss: { group: "Loss", unit: "bits" }, extra: {} } });
    other.add(31, { extra: 1 });
    const changed = shown(other);
    assert.deepEqual(changed.series.map(({ name }) => name), ["loss", "extra", "heldOut", "accuracy", "rate", "norm"]);
    assert.deepEqual([columnOf(changed, "extra").at, columnOf(changed, "loss").at.length, changed.title], [[31], 31, "Changed"]);
    assert.deepEqual(changed.charts.map(({ title, unit }) => `${title} ${unit}`), [
      ...["Loss bits", "extra ", "Accuracy %", "Learning rate ", "Gradient norm "],
    ]);
    assert.throws(() => other.add(32, { norm: 1 } as never), /there is no series "norm"/);
  }));

test("a long run that goes on is the same as one that was never stopped", () =>
  inFolder(async (folder) => {
    const file = join(folder, "report.html"), whole = single(), value = (s: number) => s % 97 === 0 ? NaN : Math.sin(s / 100);
    let part = single({ file });
    for (let s = 0; s < 5000; s++) {
      whole.add(s, { loss: value(s) });
      if (s % 1234 === 1000) {
        await part.close();
        part = single({ file, resume: true });
      }
      part.add(s, { loss: value(s) });
    }
    const [a, b] = [shown(part).columns[0]!, shown(whole).columns[0]!];
    assert.deepEqual([a.at, a.count, a.max], [b.at, b.count, b.max]);
    a.mean.forEach((mean, i) => assert.ok(Math.abs(mean! - b.mean[i]!) < 1e-5, `${mean} is not ${b.mean[i]}`));
  }));

test("a file that is no report, or cannot be written, is a ReportError; one that is not there yet is a new run", () =>
  inFolder(async (folder) => {
    const file = join(folder, "report.html"),
      fails = (call: () => unknown, message: RegExp) =>
        assert.throws(call, (error) => {
          assert.ok(error instanceof ReportError && error.name === "ReportError", `${error}`);
          assert.match(error.message, message);
          return true;
        });
    await single({ file, resume: true }).close();
    const html = await readFile(file, "utf8");
    for (
      const text of [
        "<p>Mine</p>",
        html.replace('"version":1', '"version":2'),
        html.replace('"columns":[', '"columns":[1,'),
        html.slice(0, html.indexOf('"columns"')),
      ]
    ) {
      await writeFile(file, text);
      if (text.includes("</script>")) {
        fails(() => single({ file, resume: true }), /report\.html is no report that this version can go on with/);
      }
      assert.equal(await readFile(file, "utf8"), text, "and it stays");
    }
    await mkdir(join(folder, "folder.html"));
    fails(() => single({ file: join(folder, "folder.html") }), /^report: .*folder\.html cannot be written: /);
    fails(() => single({ file: join(folder, "folder.html"), resume: true }), /^openReport: .*folder\.html cannot be read: /);
    fails(() => single({ file: join(file, "below", "report.html") }), /cannot be written/);
    assert.deepEqual((await readdir(folder)).sort(), ["folder.html", "report.html"], "nothing half written is left");

    // What happens later ends no training, and the end says it.
    const report = single({ file: join(folder, "later", "report.html"), writeEvery: 0.1 });
    await rm(join(folder, "later"), { recursive: true });
    await writeFile(join(folder, "later"), "");
    await until("the write that fails", () => {
      report.add((report.lastStep ?? 0) + 1, { loss: 1 });
      return report.writeError !== undefined;
    });
    fails(() => report.write(), /later.report\.html cannot be written/);
    await rm(join(folder, "later"));
    report.write();
    assert.equal(report.writeError, undefined);
    await rm(join(folder, "later"), { recursive: true });
    await writeFile(join(folder, "later"), "");
    await assert.rejects(report.close(), ReportError);
  }));

test("a report needs permission for its file and its port alone, and no native library", () =>
  inFolder(async (folder) => {
    const program = join(folder, "main.ts"), file = join(folder, "out", "report.html");
    const entry = fileURLToPath(new URL("../report.ts", import.meta.url));
    await writeFile(
      program,
      `import { openReport } from ${JSON.stringify(entry)};
for (const resume of [false, true]) {
  await using report = openReport({ title: "x", file: ${JSON.stringify(file)}, resume, series: { loss: {} } });
  report.add((report.lastStep ?? -1) + 1, { loss: 1 });
  report.image(0, "p", { width: 1, height: 1, pixels: new Uint8Array(1) });
  await report.serve();
}
`,
    );
    const allowed = ["run", "--no-prompt", `--allow-read=${folder}`, `--allow-write=${folder}`, "--allow-net=127.0.0.1"];
    assertEndedWell(
      await runProcess([process.execPath, ...runtime === "deno" ? allowed : [], program], { env: { TILEWORK_LIBRARY: "/nowhere" } }),
    );
    assert.deepEqual(runOf(await readFile(file, "utf8"))!.columns[0]!.at, [0, 1]);
  }));

// ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const command = await findBrowser();
const inBrowser = { skip: command === undefined && "no chromium or chromium-headless-shell is installed" };

/** Opens a report as a file. */
const asFile = (report: { html(): string }, body: (open: string, page: Page) => Promise<void>): Promise<void> =>
  inFolder(async (folder) => {
    await writeFile(join(folder, "report.html"), report.html());
    await withPage(command!, (browser) => body(pathToFileURL(join(folder, "report.html")).href, browser));
  });

/** The drawing of a chart. */
const svgOf = (chart: string) => `document.querySelector('figure[data-chart="${chart}"] > svg')`;
/** How many points the first main line of a chart has. */
const pointsOf = (chart: string) => `(${svgOf(chart)}.querySelector(".main").getAttribute("d").match(/[ML]/g) ?? []).length`;

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
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [`layer ${i}`, { group: "Norms", scale: "log" as const, unit: "1e-3 of all" }]),
  );
  const gaps = openReport({
    title: "Gaps and extremes",
    x: { title: "epoch", scale: "log" },
    series: {
      ...many,
      huge: { scale: "log" },
      tiny: {},
      flat: { unit: "m/s" },
      never: {},
      broken: { best: "lowest" },
      rare: { kind: "points" },
    },
  });
  for (let s = 0; s < 200; s++) {
    gaps.add(s, {
      huge: 10 ** (s / 2),
      tiny: 1e-7 * Math.sin(s),
      flat: 3,
      broken: s > 150 ? NaN : s % 9 === 0 ? Infinity : 1,
      rare: s % 50 ? undefined : -s,
    });
    gaps.add(s, Object.fromEntries(Object.keys(many).map((name, i) => [name, (s % 20 === i ? -1 : 1) * (i + 1) / (1 + s)])));
  }
  const late = single({ steps: 2_000_000 });
  for (let s = 1_000_000; s < 1_000_300; s++) late.add(s, { loss: lossOf(s - 1_000_000) });
  const reports = {
    usual: recorded(300),
    stacked: recorded(5000, { stacked: 4, steps: 5000 }),
    young: recorded(1, { stacked: 4 }),
    unborn: recorded(0),
    long: recorded(120_000, { stacked: 12, steps: 120_000 }),
    gaps,
    late,
  };
  for (const [name, report] of Object.entries(reports)) {
    await asFile(report, async (url, browser) => {
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
      const run = shown(report), count = (selector: string) => browser.evaluate<number>(`document.querySelectorAll('${selector}').length`);
      assert.equal(await count("figure > svg"), run.charts.length);
      assert.equal(await count('figure[data-chart="Load"] .share'), run.series.filter(({ group }) => group === "Load").length);
      assert.equal(await count(".samples pre"), run.samples.length);
      assert.equal(await count("#images img"), run.pictures.length);
      assert.ok(await browser.evaluate("[...document.images].every((image) => image.complete && image.naturalWidth > 0)"), name);
      assert.ok(!/NaN|Infinity|undefined/.test(await browser.evaluate<string>("document.querySelector('.charts').outerHTML")), name);
      if (!run.series.some(({ name }) => name === "heldOut")) return;
      assert.equal(await count('figure[data-chart="Loss"] > svg .dot'), columnOf(run, "heldOut").at.length);
      assert.equal(await browser.evaluate(pointsOf("Loss")), columnOf(run, "loss").at.length, "one point a bucket: all of the curve");
    });
  }
});

test("values that are not finite leave a gap, and missing values do not", inBrowser, () => {
  const report = openReport({ title: "Gaps", series: { a: {}, b: {} } });
  for (let s = 0; s < 60; s++) report.add(s, { a: s >= 20 && s < 30 || s > 55 ? NaN : s, b: s % 10 === 0 ? s : undefined });
  return asFile(report, async (url, browser) => {
    await browser.open(url, { width: 800, height: 600, dark: false });
    const starts = (chart: string) =>
      browser.evaluate<number>(`${svgOf(chart)}.querySelector(".main").getAttribute("d").match(/M/g).length`);
    assert.deepEqual([await starts("a"), await starts("b")], [2, 1]);
    const tiles = await browser.evaluate<string>(`document.querySelector(".tiles").textContent`);
    assert.match(tiles, /anot finitesince step 56.*b50/);
  });
});

test("axes are linear or logarithmic as they were asked for, steps too", inBrowser, () => {
  const report = openReport({
    title: "Axes",
    x: { title: "tokens", scale: "log" },
    series: { linear: {}, log: { scale: "log", reference: { value: 1, title: "limit" } } },
  });
  for (const s of [1, 10, 100, 1000]) report.add(s, { linear: s, log: s });
  return asFile(report, async (url, browser) => {
    await browser.open(url, { width: 700, height: 600, dark: false });
    const at = async (chart: string) => {
      const d = await browser.evaluate<string>(`${svgOf(chart)}.querySelector(".main").getAttribute("d")`);
      return d.slice(1).split("L").map((point) => point.split(" ").map(Number) as [number, number]);
    };
    const straight = await at("log"), bent = await at("linear");
    const [x, y] = [straight.map(([x]) => x), straight.map(([, y]) => y)];
    for (let i = 2; i < 4; i++) {
      assert.ok(Math.abs((x[i]! - x[i - 1]!) - (x[1]! - x[0]!)) < 0.3, `${x}`);
      assert.ok(Math.abs((y[i]! - y[i - 1]!) - (y[1]! - y[0]!)) < 0.3, `${y}`);
    }
    assert.ok(bent[0]![1] - bent[2]![1] < 0.2 * (bent[0]![1] - bent[3]![1]), "a linear axis shows growth by powers at its end");
    assert.match(
      await browser.evaluate<string>(`document.querySelector('figure[data-chart="log"]').textContent`),
      /log scale.*limit 1.*tokens \(log scale\)/,
    );
  });
});

test(
  "the report reads values out under pointer and keys, and gives text as text",
  inBrowser,
  () =>
    asFile(recorded(300, { stacked: 2, title: hostile }), async (url, browser) => {
      await browser.open(url, { width: 1000, height: 800, dark: false });
      assert.equal(await browser.evaluate("document.title"), hostile);
      assert.equal(await browser.evaluate(`document.querySelector("h1").textContent`), hostile);
      assert.ok(
        (await browser.evaluate<string>(`document.querySelector(".samples figure").textContent`)).includes(
          `step 0, ${hostile}Call me ${hostile}`,
        ),
      );
      assert.equal(await browser.evaluate(`document.querySelector("#images img").alt`), `${hostile}, step 0`);
      const read = (chart: string) => browser.evaluate<string>(`document.querySelector('figure[data-chart="${chart}"] .read').textContent`);
      assert.match(await read("Loss"), /^step 299/);

      const [x, y] = await browser.evaluate<[number, number]>(
        `(() => { const r = ${
          svgOf("Loss")
        }.querySelector(".axis").getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`,
      );
      await browser.point(x, y);
      await browser.until(`/^step 150/.test(document.querySelector('figure[data-chart="Loss"] .read').textContent)`);
      assert.ok((await read("Loss")).includes(`loss ${+lossOf(150).toPrecision(4)}`), await read("Loss"));
      assert.match(await read("Loss"), /held-out 2\.571/);
      assert.match(await read("Load"), /^step 150.*load 0 \d+.*load 1 \d+/);
      assert.equal(
        await browser.evaluate(`document.querySelectorAll("figure > svg .hand path").length`),
        5,
        "all charts show the same place",
      );
      await browser.point(2, 2);
      await browser.until(`document.querySelectorAll(".hand path").length === 0`);

      await browser.evaluate(`${svgOf("Gradient norm")}.focus()`);
      for (const [key, place] of [["Home", "step 0"], ["ArrowRight", "step 1"], ["PageUp", "step 31"], ["ArrowLeft", "step 30"]] as const) {
        await browser.press(key);
        await browser.until(`${svgOf("Gradient norm")}.getAttribute("aria-valuetext").startsWith("${place},")`);
      }
      assert.match(await read("Learning rate"), /^step 30/);
      assert.deepEqual(browser.complaints, []);
    }),
);

test(
  "a file that is written by a run that goes on is loaded again, until the run ends or the reader unchecks it",
  inBrowser,
  () =>
    inFolder(async (folder) => {
      const file = join(folder, "report.html"), report = single({ file, writeEvery: 0.2, steps: 100 });
      // While it is loaded again, the page has no status yet.
      const status = `(document.getElementById("status")?.textContent ?? "")`;
      await withPage(command!, async (browser) => {
        report.add(0, { loss: 1 });
        await browser.open(pathToFileURL(file).href, { width: 375, height: 700, dark: false });
        await browser.until(`${status}.endsWith(": step 1 of 100")`);
        report.add(1, { loss: 1 });
        report.write();
        await browser.until(`document.readyState === "complete" && ${status}.endsWith(": step 2 of 100")`);
        await browser.evaluate(`document.getElementById("reload").checked = false`);
        report.add(2, { loss: 1 });
        report.write();
        await pause(700);
        assert.ok(await browser.evaluate<boolean>(`${status}.endsWith(": step 2 of 100")`), "nobody asked for it");
        await browser.evaluate(`document.getElementById("reload").checked = true`);
        await report.close();
        await browser.until(`document.readyState === "complete" && ${status} === "Stopped: step 3 of 100"`);
        assert.equal(await browser.evaluate(`document.getElementById("reload").parentElement.hidden`), true);
        assert.deepEqual(browser.complaints, []);
      });
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

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!await condition()) {
    if (performance.now() > end) throw new Error(`not within 20 s: ${what}`);
    await pause(10);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** The address of a page's events after an answer. */
const eventsOf = (url: string, { mark }: Run) => `${url}events?since=${encodeURIComponent(mark)}`;

test("the server sends many listeners what is new, goes on where one left off, and ends with the run", async () => {
  const report = recorded(10), { url } = await report.serve();
  assert.equal((await report.serve()).url, url, "it is served once");
  try {
    const first = await hear(url);
    await first.ended;
    assert.deepEqual([first.status, first.type], [200, "text/html; charset=utf-8"]);
    const known = runOf(first.body())!;
    assert.equal(known.done, 10);

    const listeners = await Promise.all(Array.from({ length: 20 }, () => hear(eventsOf(url, known)))), fresh = await hear(`${url}events`);
    assert.equal(fresh.type, "text/event-stream");
    await until("a first event each", () => [...listeners, fresh].every((one) => runs(one).length === 1));
    const { whole, samples } = runs(listeners[0]!)[0]!;
    assert.deepEqual([whole, samples, runs(fresh)[0]!.whole], [false, [], true]);

    report.add(10, { loss: 1.25 });
    report.sample(3, "late", { title: "x" });
    await until(
      "the step, though no call comes after it",
      () => listeners.every((one) => runs(one).at(-1)!.done === 11 && runs(one).at(-1)!.samples.length > 0),
    );
    const all = runs(listeners[7]!), news = all.at(-1)!, loss = columnOf(news, "loss");
    assert.deepEqual([loss.at.at(-1), loss.mean.at(-1), loss.at.length <= 2], [10, 1.25, true]);
    assert.deepEqual(all.flatMap(({ samples }) => samples.map(({ text }) => text)), ["late"]);

    // A browser that has lost its connection says what it has heard last.
    listeners[7]!.request.destroy();
    report.add(11, { loss: 1.5 });
    const again = await hear(eventsOf(url, known), { headers: { "last-event-id": news.id } });
    await until("the step in between", () => runs(again).length === 1);
    assert.deepEqual([runs(again)[0]!.whole, columnOf(runs(again)[0]!, "loss").at], [false, [10, 11]]);
    for (const foreign of ["", "x/1/5/0", known.mark.replace("/9/", "/999/"), shown(recorded(10)).mark]) {
      const one = await hear(`${url}events?since=${encodeURIComponent(foreign)}`);
      await until("all of it", () => runs(one).length === 1);
      assert.equal(runs(one)[0]!.whole, true, foreign);
      one.request.destroy();
    }

    // A step back may come and be passed again before anything is sent.
    report.add(12, { loss: 1 });
    await until("that step", () => runs(fresh).at(-1)!.last === 12);
    for (const step of [13, 5, 6, 14]) report.add(step, { loss: 1 });
    await until("the steps after it", () => runs(fresh).at(-1)!.last === 14);
    assert.deepEqual(columnOf(runs(fresh).findLast(({ whole }) => whole)!, "loss").at, [0, 1, 2, 3, 4, 5, 6, 14]);

    // What was sent before no longer holds after a step back, nor once buckets have become others.
    for (const [step, done] of [[5, 6], [1500, 1501]] as const) {
      const before = runs(fresh).length;
      report.add(step, { loss: 1 });
      await until("all of it", () => runs(fresh).slice(before).some((run) => run.whole && run.last === step));
      assert.equal(runs(fresh).at(-1)!.done, Math.min(done, 300));
    }
    report.add(1501, { loss: 1.75 });
    await report.close({ state: "finished" });
    await Promise.all([...listeners, fresh, again].map(({ ended }) => ended));
    for (const one of [listeners[0]!, fresh, again]) {
      const last = runs(one).at(-1)!;
      assert.deepEqual([last.state, last.last, columnOf(last, "loss").max!.at(-1)], ["finished", 1501, 1.75]);
      assert.ok(one.body().endsWith("event: end\ndata:\n\n"));
    }
    await assert.rejects(hear(url), "nobody listens any more");
  } finally {
    await report.close();
  }
});

test("the server answers this machine alone, and nothing but reads", async () => {
  const report = recorded(1), other = recorded(1), { url } = await report.serve();
  try {
    const { port, hostname } = new URL(url);
    assert.equal(hostname, "127.0.0.1");
    const status = async (path: string, options = {}) => (await hear(`http://127.0.0.1:${port}${path}`, options)).status;
    assert.equal(await status("/"), 200);
    assert.equal(await status("/", { headers: { host: `localhost:${port}` } }), 200);
    assert.equal(await status("/", { headers: { host: "elsewhere.example" } }), 403);
    assert.equal(await status("/", { headers: { host: `127.0.0.1.elsewhere.example:${port}` } }), 403);
    assert.equal(await status("/../etc/passwd"), 404);
    assert.equal(await status("/", { method: "POST" }), 405);
    await assert.rejects(other.serve({ port: Number(port) }), (error) => {
      assert.ok(error instanceof ReportError);
      assert.match(error.message, new RegExp(`^report.serve: port ${port} is in use: `));
      return true;
    });
    assert.match((await other.serve()).url, /^http:\/\/127/, "it may be tried again");
  } finally {
    await Promise.all([report.close(), other.close()]);
  }
});

test("a listener that never reads holds up neither the run nor its end", async () => {
  const report = recorded(2000, { stacked: 60 }), { url } = await report.serve();
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  request(`${url}events`, { agent: false }, resolve).on("error", () => {}).end();
  (await promise).pause();
  const began = performance.now();
  for (let s = 2000; s < 3000; s++) report.add(s, { loss: 1 });
  await pause(300);
  await report.close();
  const seconds = (performance.now() - began) / 1000;
  assert.ok(seconds < 5, `took ${seconds} s`);
});

test("a browser follows a run as it goes on, to its end", inBrowser, () =>
  withPage(command!, async (browser) => {
    const report = recorded(20, { steps: 1500 }), { url } = await report.serve();
    const status = `document.getElementById("status").textContent.replaceAll("\\u202f", "")`;
    const points = pointsOf("Loss");
    try {
      await browser.open(url, { width: 375, height: 700, dark: true });
      await browser.until(`${status} === "Running: step 20 of 1500"`);
      for (let s = 20; s < 60; s++) report.add(s, { loss: 2 });
      report.add(60, { loss: 2, heldOut: 2.2 });
      report.sample(60, "The whale!");
      report.image(60, "a dot", { width: 1, height: 1, pixels: Uint8Array.of(7) });
      await browser.until(`${status} === "Running: step 61 of 1500" && ${points} === 61`);
      await browser.until(`[...document.querySelectorAll(".samples pre")].at(-1).textContent === "The whale!"`);
      await browser.until(`[...document.querySelectorAll("#images img")].at(-1).alt === "a dot, step 60"`);
      assert.equal(await browser.evaluate(`${svgOf("Loss")}.querySelectorAll(".dot").length`), 11);
      for (let s = 61; s < 1401; s++) report.add(s, { loss: 2 }); // past the limit of buckets: these become others
      await browser.until(`${status} === "Running: step 1401 of 1500" && ${points} === 701`);
      report.add(1001, { loss: 2 }); // a step back
      await browser.until(`${status} === "Running: step 1002 of 1500" && ${points} === 501`);
      for (let s = 1002; s < 1500; s++) report.add(s, { loss: 2 });
      await report.close();
      await browser.until(`${status} === "Finished: step 1500 of 1500" && ${points} === 750`);
      assert.equal(await browser.evaluate("document.documentElement.scrollWidth"), 375);
      assert.deepEqual(browser.complaints, []);
    } finally {
      await report.close();
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
      const report = recorded(20, { steps: 100 }), { url } = await report.serve(), before = await gate();
      const other = recorded(30, { steps: 40, title: "Another run", facts: { model: "other" }, stacked: 2 }),
        { url: otherUrl } = await other.serve();
      const portOf = (url: string) => Number(new URL(url).port), points = pointsOf("Loss");
      const status = `document.getElementById("status").textContent`;
      const lost = (step: number) =>
        `${status} === "Not connected, trying again; last heard of: step ${step} of 100" && document.getElementById("status").dataset.state === "lost"`;
      const add = (from: number, to: number) => {
        for (let s = from; s < to; s++) report.add(s, { loss: 2 });
      };
      try {
        before.answers = portOf(url);
        await browser.open(before.url, { width: 375, height: 700, dark: true });
        await browser.until(`${status} === "Running: step 20 of 100"`);

        // Nobody is there, while the run goes on.
        before.answers = "nobody";
        before.cut();
        await browser.until(lost(20));
        assert.equal(await browser.evaluate(points), 20, "what was there stays");
        await browser.evaluate(`${svgOf("Loss")}.focus()`);
        await browser.press("Home");
        await browser.until(`document.querySelector('figure[data-chart="Loss"] .read').textContent.startsWith("step 0")`);
        add(20, 30);
        before.answers = portOf(url);
        await browser.until(`${status} === "Running: step 30 of 100" && ${points} === 30`);

        // A browser asks no second time where something else has answered.
        before.answers = "something else";
        before.cut();
        await browser.until(lost(30));
        await pause(4000); // so long that it has met that answer
        assert.ok(await browser.evaluate<boolean>(lost(30)));
        add(30, 35);
        before.answers = portOf(url);
        await browser.until(`${status} === "Running: step 35 of 100" && ${points} === 35`);

        // Another run takes the port: the page is its page now.
        before.answers = portOf(otherUrl);
        before.cut();
        await browser.until(`${status} === "Running: step 30 of 40" && ${points} === 30`);
        assert.deepEqual(await browser.evaluate(`[document.title, document.querySelector("h1").textContent]`), [
          "Another run",
          "Another run",
        ]);
        assert.deepEqual(await browser.evaluate(`[...document.querySelectorAll(".facts dd")].map((one) => one.textContent)`), ["other"]);
        assert.ok(await browser.evaluate(`${svgOf("Load")} !== null`));
        // The browser itself notes every connection that failed; the page adds nothing.
        assert.deepEqual(browser.complaints.filter((one) => !/"source":"network"/.test(one)), []);
      } finally {
        await before.close();
        await report.close();
        await other.close();
      }
    }),
);
