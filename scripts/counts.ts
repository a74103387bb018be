// Reads how many tests passed from what the test runners print at their end.

/** How many tests passed, failed and were skipped. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The sum of several counts. */
export function total(parts: Counts[]): Counts {
  const sum = (key: keyof Counts) => parts.reduce((soFar, part) => soFar + part[key], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The closing line: `12 passed, 0 failed`, and `, 3 skipped` where some were. */
export function line({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

const escapes = new RegExp(String.fromCharCode(27) + "\\[[0-9;]*[A-Za-z]", "g");

function matches(text: string, pattern: RegExp): Counts[] {
  return [...text.replace(escapes, "").replaceAll("\r", "").matchAll(pattern)].map(({ groups }) => ({
    passed: Number(groups?.passed ?? 0),
    failed: Number(groups?.failed ?? 0),
    skipped: Number(groups?.skipped ?? 0),
  }));
}

/** The Zig test runner's lines, one an instruction set: `isa avx2: 123 passed, 0 failed, 2 skipped`. */
export function zigCounts(text: string): Counts {
  return total(matches(text, /^isa \S+: (?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?(?: \(.*\))?$/gm));
}

/** The last line of this form alone on a line: `12 passed, 0 failed`. Scripts of this project end with it. */
export function plainCounts(text: string): Counts {
  return total(matches(text, /^(?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?$/gm).slice(-1));
}

/** Deno's summary: `ok | 12 passed (3 steps) | 0 failed | 1 ignored (50ms)`. */
export function denoCounts(text: string): Counts {
  const summary =
    /^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \([^)]*\))? \| (?<failed>\d+) failed(?: \([^)]*\))?(?: \| (?<skipped>\d+) ignored)?/gm;
  return total(matches(text, summary).slice(-1));
}

/** Bun's summary: ` 12 pass`, ` 1 skip`, ` 0 fail`, each on a line of its own. */
export function bunCounts(text: string): Counts {
  return total([
    ...matches(text, /^ *(?<passed>\d+) pass$/gm).slice(-1),
    ...matches(text, /^ *(?<failed>\d+) fail$/gm).slice(-1),
    ...matches(text, /^ *(?<skipped>\d+) skip$/gm).slice(-1),
  ]);
}

/** Node's summary: `ℹ pass 12`, `ℹ fail 0`, `ℹ cancelled 0`, `ℹ skipped 1`, each on a line of its own. */
export function nodeCounts(text: string): Counts {
  return total([
    ...matches(text, /^ℹ pass (?<passed>\d+)$/gm).slice(-1),
    ...matches(text, /^ℹ fail (?<failed>\d+)$/gm).slice(-1),
    ...matches(text, /^ℹ cancelled (?<failed>\d+)$/gm).slice(-1),
    ...matches(text, /^ℹ skipped (?<skipped>\d+)$/gm).slice(-1),
  ]);
}

/** The counts of a runner that ended with `code`. One that failed before its summary or found nothing to run is a failure, which is printed. */
export function judged(counts: Counts, code: number, name: string): Counts {
  if (counts.failed > 0 || code === 0 && counts.passed > 0) return counts;
  console.log(code !== 0 ? `${name}: ended with exit code ${code}` : `${name}: no test ran`);
  return { ...counts, failed: 1 };
}

/** The lines in which the test runners, Zig and the scripts of this project say what failed and with which error, each once, the last `max` of them. */
export function failures(text: string, max: number): string[] {
  const lines = text.replace(escapes, "").replaceAll("\r", "").split("\n");
  const said = lines.filter((line) =>
    / \.\.\. FAILED( |$)|^\(fail\) |^✖ (?!failing tests:)|^FAILED |^LEAKED |^(?:\w+: )*\w*[Ee]rror(?: \[.*\])?: /.test(line)
  );
  return [...new Set(said.map((line) => line.slice(0, 300)))].slice(-max);
}
