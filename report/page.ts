/** A report as one HTML file that needs nothing else: style, script and the run's data are inside, and it asks no network. */

import { script, style } from "./client.gen.ts";
import { ReportError } from "./errors.ts";
import { fs, path as paths } from "./node.ts";
import type { Run } from "./recorder.ts";

/** How a page hears of what is new. */
export interface PageOptions {
  /** The address of its events, if it is served by a run that goes on. */
  readonly events?: string;
  /** Every how many seconds a file is loaded again while its run goes on. */
  readonly reload?: number;
}

/** The page of a run. */
export function page(run: Run, { events, reload }: PageOptions = {}): string {
  const data = (name: string, value: string | number | undefined) => value === undefined ? "" : ` data-${name}="${escapeHtml(`${value}`)}"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:">
<link rel="icon" href="data:,">
<title>${escapeHtml(run.title)}</title>
<style>
${style}</style>
</head>
<body>
<main></main>
<noscript><p>The data of this run is inside this page; drawing it takes JavaScript.</p></noscript>
<script type="application/json" id="run"${data("events", events)}${data("reload", reload)}>
${toScript(run)}
</script>
<script>
${script}</script>
</body>
</html>
`;
}

/**
 * Writes a page beside its place and renames it: whoever opens it meets a whole one. Without waiting, since a training loop may give nothing else a turn,
 * and without a flush: the next one comes in a few seconds.
 */
export function writePage(path: string, html: string): void {
  const beside = `${path}.tmp`;
  try {
    fs.mkdirSync(paths.dirname(path), { recursive: true });
    fs.writeFileSync(beside, html);
    fs.renameSync(beside, path);
  } catch (cause) {
    try {
      fs.rmSync(beside, { force: true });
    } catch {
      // the first error says more
    }
    throw new ReportError(`report: ${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** The run that a page's file shows; undefined if there is no such file. */
export function readPage(op: string, path: string): Run | undefined {
  let html: string;
  try {
    html = fs.readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as { code?: string }).code === "ENOENT") return undefined;
    throw new ReportError(`${op}: ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const run = runOf(html);
  if (run) return run;
  throw new ReportError(
    `${op}: ${path} is no report that this version can go on with: name another file, or leave resume out to replace it`,
  );
}

/** The run in a page; undefined for what is no such page. */
export function runOf(html: string): Run | undefined {
  const json = /<script type="application\/json" id="run"[^>]*>\n(.*)\n<\/script>/.exec(html)?.[1];
  if (json === undefined) return undefined;
  try {
    const run: Run = JSON.parse(json);
    const sound = run.version === 1 && run.from === 0 && run.every >= 1 && run.series.length === run.columns.length &&
      run.columns.every(({ at, mean }) => at.length === mean.length) && Array.isArray(run.samples) && Array.isArray(run.pictures);
    return sound ? run : undefined;
  } catch {
    return undefined;
  }
}

/** JSON that cannot end the script element that it stands in. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
