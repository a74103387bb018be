/** A report as a training program uses it. */

import { RangeError, TypeError } from "../core/errors.ts";
import { checkSize, formatValue } from "../core/shape.ts";
import { ReportError } from "./errors.ts";
import { timers } from "./node.ts";
import {
  checkKinds,
  checkStep,
  type Facts,
  factsOf,
  type Kinds,
  seriesOf,
  type SeriesOptions,
  type StepOptions,
  stepsOf,
} from "./options.ts";
import { page, readPage, writePage } from "./page.ts";
import { type Pixels, toPng } from "./png.ts";
import { Recorder } from "./recorder.ts";
import { serve, type Server } from "./server.ts";

/** What a report shows, and where. */
export interface ReportOptions<Name extends string> {
  /** The page's heading. */
  readonly title: string;
  /** The series, by name, in the order in which they are shown. */
  readonly series: Readonly<Record<Name, SeriesOptions>>;
  /** The path of the page; its folder is made if it is missing. Without it the report is only served, or returned by `html()`. */
  readonly file?: string | undefined;
  /** Goes on with what `file` holds, if it exists. Otherwise the file is replaced. Off. */
  readonly resume?: boolean | undefined;
  /** How many steps the run is meant to have: the page shows how far it has come. */
  readonly steps?: number | undefined;
  /** The x axis. */
  readonly x?: StepOptions | undefined;
  /** What else is worth knowing of the run: its settings, its machine. */
  readonly facts?: Facts | undefined;
  /** Every how many seconds `file` is written while values come, from 0.1. 10. */
  readonly writeEvery?: number | undefined;
}

/** Where a report is served. */
export interface ServeOptions {
  /** A port of 127.0.0.1; 0 takes a free one. 0. */
  readonly port?: number | undefined;
}

/** A picture to be shown. */
export interface ImageOptions extends Pixels {
  /** What is written below it, before the step; pictures of one name and step need titles of their own. */
  readonly title?: string | undefined;
}

/** How a report ends. */
export interface CloseOptions {
  /** What the page says of the run: `"finished"`, or `"stopped"` if `steps` was given and has not been reached. */
  readonly state?: "finished" | "stopped" | undefined;
}

const sendMs = 250;

/**
 * Opens the report of a training run: a page of curves, samples and pictures in one HTML file that asks no network. It needs no native library, and so no
 * `--allow-ffi`: Deno asks for `--allow-read` and `--allow-write` of the file's folder, and for `--allow-net=127.0.0.1` if it is served.
 *
 * Throws a TypeError or RangeError for options that are wrong, and a `ReportError` if the file cannot be written, or with `resume` is no report.
 *
 * ```ts
 * import { openReport } from "@tilework/tilework/report";
 *
 * const report = openReport({
 *   title: "A parabola",
 *   file: "runs/parabola.html",
 *   steps: 100,
 *   series: {
 *     loss: { scale: "log", best: "lowest" },
 *     rate: { title: "learning rate", smooth: false },
 *   },
 * });
 * for (let step = 0, x = 1; step < 100; step++) {
 *   const rate = 0.1;
 *   report.add(step, { loss: x * x, rate });
 *   x -= rate * 2 * x;
 * }
 * await report.close();
 * ```
 */
export function openReport<const Name extends string>(options: ReportOptions<Name>): Report<Name> {
  return new Report(options);
}

const optionKinds: Kinds<keyof ReportOptions<string>> = {
  ...{ title: "string", series: "object", file: "string", resume: "boolean", steps: "number", x: "object", facts: "object" },
  writeEvery: "number",
};

/** The report of a run. `openReport` makes it. */
export class Report<Name extends string = string> implements AsyncDisposable {
  readonly #recorder: Recorder;
  readonly #names: ReadonlySet<string>;
  readonly #file: string | undefined;
  readonly #writeEvery: number;
  readonly #writing: Throttle;
  readonly #sending: Throttle = new Throttle(sendMs, () => this.#server?.send());
  #server: Server | undefined;
  #serving: Promise<{ readonly url: string }> | undefined;
  #closed: Promise<void> | undefined;
  #writeError: ReportError | undefined;

  /** @internal */
  constructor(options: ReportOptions<Name>) {
    const op = "openReport";
    checkKinds(op, "options", options, optionKinds);
    const { title, file, resume = false, steps, writeEvery = 10 } = options;
    if (typeof title !== "string") throw new TypeError(`${op}: title must be a string, got ${formatValue(title)}`);
    if (steps !== undefined) checkSize(op, "steps", steps, 1);
    if (!(writeEvery >= 0.1 && writeEvery <= 86_400)) {
      throw new RangeError(`${op}: writeEvery must be seconds from 0.1 to 86400, got ${formatValue(writeEvery)}`);
    }
    if (resume && file === undefined) throw new TypeError(`${op}: resume goes on with what file holds, and file is missing`);
    const about = {
      title,
      facts: factsOf(op, options.facts),
      x: stepsOf(op, options.x),
      steps: steps ?? null,
      ...seriesOf(op, options.series),
    };
    this.#recorder = new Recorder(about, resume ? readPage(op, file!) : undefined);
    this.#names = new Set(Object.keys(options.series));
    this.#file = file;
    this.#writeEvery = writeEvery;
    this.#writing = new Throttle(1000 * writeEvery, () => this.#tryWrite());
    this.write(); // before training, not after the first minutes of it: whether there is a place for it
  }

  /** The latest step that has values, undefined while none has: after `resume`, of the part of the run before. */
  get lastStep(): number | undefined {
    return this.#recorder.last;
  }

  /** Why the file could not be written the last time, or undefined. A full disk ends no training: the next write may find room. */
  get writeError(): ReportError | undefined {
    return this.#writeError;
  }

  /**
   * Adds the values of a step. Steps are whole numbers from 0 and need not follow each other. Several calls may be for the same step, and a value replaces
   * one of the same series and step. NaN and infinities are drawn as a gap, `undefined` as nothing: the line goes on to the next value.
   *
   * A step before the latest one takes back what came at it and later, samples and pictures after it too: so a run that goes on from a checkpoint replaces
   * what it had done since. In a long run a point joins several steps: one that joins steps on both sides keeps the mean of both.
   *
   * Throws a TypeError for a series that is none of the report's, or a value that is no number, and a RangeError for a step that is no whole number.
   */
  add(step: number, values: Readonly<Partial<Record<Name, number | undefined>>>): void {
    const op = "report.add";
    this.#checkOpen(op);
    checkStep(op, step);
    if (typeof values !== "object" || values === null) throw new TypeError(`${op}: values must be an object, got ${formatValue(values)}`);
    const given = Object.entries<number | undefined>(values).filter((entry): entry is [string, number] => {
      const [name, value] = entry;
      if (!this.#names.has(name)) {
        throw new TypeError(`${op}: there is no series ${JSON.stringify(name)}; there are ${[...this.#names].join(", ")}`);
      }
      if (value !== undefined && typeof value !== "number") {
        throw new TypeError(`${op}: ${name} must be a number, got ${formatValue(value)}`);
      }
      return value !== undefined;
    });
    this.#recorder.add(step, given);
    this.#changed();
  }

  /** Shows a text that the run made at a step, as it stands. One of the same step and title is replaced. */
  sample(step: number, text: string, { title = "" }: { readonly title?: string | undefined } = {}): void {
    const op = "report.sample";
    this.#checkOpen(op);
    checkStep(op, step);
    if (typeof text !== "string") throw new TypeError(`${op}: text must be a string, got ${formatValue(text)}`);
    if (typeof title !== "string") throw new TypeError(`${op}: title must be a string, got ${formatValue(title)}`);
    this.#recorder.sample({ step, title, text });
    this.#changed();
  }

  /**
   * Shows a picture that the run made at a step, beside the others of the same name. One of the same step, name and title is replaced.
   *
   * ```ts
   * import { openReport } from "@tilework/tilework/report";
   *
   * const report = openReport({ title: "Pictures", series: { loss: {} } });
   * report.image(0, "a slope", { width: 4, height: 1, pixels: Float32Array.of(0, 1 / 3, 2 / 3, 1) });
   * ```
   */
  image(step: number, name: string, image: ImageOptions): void {
    const op = "report.image";
    this.#checkOpen(op);
    checkStep(op, step);
    if (typeof name !== "string" || name === "") {
      throw new TypeError(`${op}: name must be a string with a letter, got ${formatValue(name)}`);
    }
    checkKinds(op, "image", image, { width: "number", height: "number", pixels: "object", title: "string" });
    this.#recorder.picture({ step, name, title: image.title ?? "", width: image.width, height: image.height, png: toPng(op, image) });
    this.#changed();
  }

  /** The page as it is now. */
  html(): string {
    return page(this.#recorder.all());
  }

  /** Writes the file now; without one, nothing. It is also written by itself every `writeEvery` seconds. Throws a `ReportError` if that fails. */
  write(): void {
    if (!this.#tryWrite()) throw this.#writeError!;
  }

  /**
   * Serves the page on a port of 127.0.0.1, so that it moves with the run, and returns its address. It is heard while the program gives the event loop a
   * turn: a loop that awaits nothing shows nothing. `close` ends it, and until then the program goes on. Throws a `ReportError` if the port is in use.
   */
  serve({ port = 0 }: ServeOptions = {}): Promise<{ readonly url: string }> {
    this.#checkOpen("report.serve");
    checkSize("report.serve", "port", port, 0, 65535);
    return this.#serving ??= serve(this.#recorder, port).then((server) => {
      this.#server = server;
      return { url: server.url };
    }, (error) => {
      this.#serving = undefined;
      throw error;
    });
  }

  /** Writes the file a last time, ends the server and marks the run as over on every open page. Throws a `ReportError` if the file cannot be written. */
  close({ state }: CloseOptions = {}): Promise<void> {
    if (state !== undefined && state !== "finished" && state !== "stopped") {
      throw new TypeError(`report.close: state must be "finished" or "stopped", got ${formatValue(state)}`);
    }
    return this.#closed ??= this.#end(state ?? (this.#recorder.complete ? "finished" : "stopped"));
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(state: "finished" | "stopped"): Promise<void> {
    this.#recorder.end(state);
    this.#writing.stop();
    this.#sending.stop();
    const written = this.#tryWrite();
    await this.#serving?.catch(() => {}); // its caller has the error
    await this.#server?.close();
    if (!written) throw this.#writeError!;
  }

  #checkOpen(op: string): void {
    if (this.#closed) throw new TypeError(`${op}: the report was closed`);
  }

  #changed(): void {
    if (this.#file !== undefined) this.#writing.ask();
    if (this.#server) this.#sending.ask();
  }

  #tryWrite(): boolean {
    if (this.#file === undefined) return true;
    this.#writing.done();
    try {
      writePage(this.#file, page(this.#recorder.all(), { reload: this.#writeEvery }));
      this.#writeError = undefined;
      return true;
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      this.#writeError = error;
      return false;
    }
  }
}

/** Runs a function at most once in so many milliseconds: at once, or by a timer when that time has passed. The timer does not keep the program alive. */
class Throttle {
  readonly #ms: number;
  readonly #act: () => void;
  #last = -Infinity;
  #timer: ReturnType<typeof timers.setTimeout> | undefined;

  constructor(ms: number, act: () => void) {
    this.#ms = ms;
    this.#act = act;
  }

  ask(): void {
    const left = this.#last + this.#ms - performance.now();
    if (left <= 0) this.#do();
    else if (this.#timer === undefined) {
      this.#timer = timers.setTimeout(() => this.#do(), left);
      this.#timer.unref?.();
    }
  }

  /** Starts the time again: the function has just been run otherwise. */
  done(): void {
    this.stop();
    this.#last = performance.now();
  }

  stop(): void {
    if (this.#timer !== undefined) timers.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #do(): void {
    this.done();
    this.#act();
  }
}
