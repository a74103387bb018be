/**
 * The report of a training run: curves of own series, samples and pictures on one page, as a file, served while training goes on, and gone on with after a
 * stop. `docs/report.md` is its guide.
 *
 * ```ts
 * import { openReport } from "@tilework/tilework/report";
 *
 * await using report = openReport({ title: "My run", file: "runs/mine.html", series: { loss: { unit: "nats", scale: "log" } } });
 * for (let step = 0; step < 10; step++) report.add(step, { loss: 1 / (1 + step) });
 * ```
 *
 * @module
 */

export type { LibraryError } from "./core/errors.ts";
export { ReportError } from "./report/errors.ts";
export type { Facts, SeriesOptions, StepOptions } from "./report/options.ts";
export type { Pixels } from "./report/png.ts";
export { type CloseOptions, type ImageOptions, openReport, type Report, type ReportOptions, type ServeOptions } from "./report/report.ts";
