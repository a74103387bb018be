/** A report as one HTML file that needs nothing else: style, script and the run's data are inside, and it asks no network. */
import { readFile, rename, unlink, writeFile } from "node:fs/promises";
import type { Run } from "./recorder.ts";

const [style, script] = await Promise.all(["client.css", "client.js"].map((name) => readFile(new URL(name, import.meta.url), "utf8")));

/** How a page is meant. */
export interface PageOptions {
  /** Where it hears what is new, if it is served by a run that goes on. */
  readonly events?: string;
}

/** The page of a run. */
export function page(run: Run, { events }: PageOptions = {}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:">
<link rel="icon" href="data:,">
<title>${escapeHtml(run.about.title)}</title>
<style>
${style}</style>
</head>
<body>
<main></main>
<noscript><p>The data of this run is inside this page; drawing it takes JavaScript.</p></noscript>
<script type="application/json" id="run"${events === undefined ? "" : ` data-events="${escapeHtml(events)}"`}>
${toScript(run)}
</script>
<script>
${script}</script>
</body>
</html>
`;
}

/** Writes a run's page beside its place and renames it: whoever opens it meets a whole one. */
export async function writePage(path: string, run: Run): Promise<void> {
  const beside = `${path}.tmp`;
  try {
    await writeFile(beside, page(run));
    await rename(beside, path);
  } catch (error) {
    await unlink(beside).catch(() => {}); // the first error says more
    throw error;
  }
}

/** The run that a page shows; undefined for what is no such page. */
export function readPage(html: string): Run | undefined {
  const json = /<script type="application\/json" id="run"[^>]*>\n(.*)\n<\/script>/.exec(html)?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}

/** JSON that cannot end the script element that it stands in. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
