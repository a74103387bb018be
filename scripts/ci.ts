// Everything that a change must pass, each step run even when an earlier one failed, then the sum of all tests and checks.
// .ci/run installs the system packages and calls this; `deno task ci --list` names the steps, `deno task ci STEP …` runs only those.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Counts, failures, judged, line, plainCounts, total, zigCounts } from "./counts.ts";
import { fail, root, run } from "./process.ts";
import { pip } from "./python.ts";
import { ensurePackages, findRuntime } from "./runtimes.ts";
import { installed, toolFolder } from "./tools.ts";
import { checkpointRequirements } from "./versions.ts";
import { findZig } from "./zig.ts";

interface Step {
  name: string;
  commands: string[][];
  env?: () => Promise<Record<string, string>>;
  /** How to read the number of tests from the output; a step without it is one check. */
  count?: (text: string) => Counts;
  /** Too slow for every change: runs where it is named. */
  onDemand?: boolean;
  /** A program that has to be on PATH, and where it comes from. */
  needs?: { program: string; from: string };
}

/** A step that hangs fails, so that the others still run. The longest, cold, is cross-compilation: 8 minutes of processor time on 2 cores. */
const stepSecondsMax = 30 * 60;

await ensurePackages();
const deno = await findRuntime("deno");
const bun = await findRuntime("bun");
const zig = await findZig();
const build = [...zig, "build", "--build-file", "zig/build.zig"];
const out = mkdtempSync(join(tmpdir(), "tilework-ci-"));

const steps: Step[] = [
  { name: "tests", commands: [[deno, "task", "test"]], env: async () => ({ PYTHONPATH: await pythonFolder() }), count: plainCounts },
  {
    name: "locks",
    commands: [
      [deno, "run", "-A", "scripts/locks.ts"],
      ["npm", "ci", "--dry-run", "--ignore-scripts"],
      [deno, "install", "--frozen", "--lockfile-only"],
    ],
  },
  { name: "swiftshader", commands: [[deno, "run", "-A", "scripts/gpu_tests.ts"]], count: plainCounts },
  { name: "checks", commands: [[deno, "run", "-A", "scripts/check.ts"]], count: plainCounts },
  { name: "shaders", commands: [[deno, "run", "-A", "scripts/shaders.ts", "--check"]] },
  { name: "cross", commands: [[deno, "run", "-A", "scripts/cross.ts"]], count: plainCounts },
  { name: "install", commands: [[deno, "task", "test", "--only", "install"]], count: plainCounts },
  {
    name: "aarch64",
    commands: [[...build, "test", "-Dtarget=aarch64-linux-musl", "-fqemu"]],
    env: () => Promise.resolve({ TILEWORK_EMULATED: "1" }),
    count: zigCounts,
  },
  { name: "emulated", commands: [[deno, "run", "-A", "scripts/emulated.ts", "nehalem", "aarch64"]], count: plainCounts },
  { name: "node", commands: [[deno, "task", "test", "--only", "node"]], count: plainCounts },
  { name: "oldest", commands: [[deno, "run", "-A", "scripts/oldest.ts"]], count: plainCounts },
  { name: "haswell", commands: [[deno, "run", "-A", "scripts/emulated.ts", "haswell"]], count: plainCounts, onDemand: true }, // four minutes
  {
    name: "windows", // three minutes, and one more to build
    commands: [[...build, "test", "-Dtarget=x86_64-windows-gnu", "-fwine"]],
    env: () => {
      mkdirSync(toolFolder(), { recursive: true });
      // A folder of its own, so that nobody's settings matter; it stays, for Wine takes a while to fill one.
      return Promise.resolve({ WINEDEBUG: "-all", WINEPREFIX: join(toolFolder(), "wine") });
    },
    count: zigCounts,
    onDemand: true,
    needs: { program: "wine", from: "Debian's packages wine and wine64: `apt-get install --no-install-recommends wine wine64`" },
  },
  { name: "valgrind", commands: [[...build, "valgrind"]], count: zigCounts, onDemand: true }, // six minutes and more
  { name: "race", commands: [[...build, "race"]], count: zigCounts, onDemand: true }, // four minutes
  {
    name: "slow", // the tests that take minutes each, and more rounds of others
    commands: [[deno, "task", "test", "--only", "deno"], [deno, "task", "test", "--only", "bun"]],
    env: () => Promise.resolve({ TILEWORK_SLOW: "1" }),
    count: plainCounts,
    onDemand: true,
  },
  { name: "fuzz", commands: [[deno, "task", "fuzz", "--seconds", "60", "--jobs", "2"]] },
  {
    name: "bench",
    commands: [
      [deno, "task", "bench:json", "--tiny"],
      [deno, "task", "bench:gpu", "--tiny"],
      [deno, "run", "-A", "bench/workers.ts", "--tiny"],
      [deno, "run", "-A", "bench/step.ts", "--tiny"],
    ],
  },
  { name: "demo-deno", commands: [[deno, "task", "demo", "--size", "tiny", "--steps", "5", "--out", join(out, "deno"), "--json"]] },
  { name: "demo-bun", commands: [[bun, "run", "demo", "--size", "tiny", "--steps", "5", "--out", join(out, "bun"), "--json"]] },
  { name: "publish", commands: [[deno, "publish", "--dry-run", "--allow-dirty"]] },
];

const asked = process.argv.slice(2);
if (asked.includes("--list")) {
  for (const { name, commands, onDemand } of steps) {
    console.log(
      `${name.padEnd(12)} ${commands.map((command) => command.join(" ")).join(" && ")}${onDemand ? " (only where it is named)" : ""}`,
    );
  }
  process.exit(0);
}
const unknown = asked.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) fail(`No step is called ${unknown.join(", ")}; the steps are ${steps.map(({ name }) => name).join(", ")}.`);

const rows: { name: string; counts: Counts; seconds: number; failures: string[] }[] = [];
for (const step of steps.filter(({ name, onDemand }) => asked.length === 0 ? !onDemand : asked.includes(name))) {
  console.log(`\n######## ${step.name}`);
  const env = { NO_COLOR: "1", ...await step.env?.() };
  const ended = { text: "", seconds: 0, code: 0 };
  const { needs } = step;
  const missing = needs !== undefined && (await run([needs.program, "--version"], { output: "keep", env })).code !== 0;
  if (missing) {
    ended.code = 127;
    console.log(`The step needs ${needs.program} on PATH. It comes from ${needs.from}.`);
  }
  for (const command of missing ? [] : step.commands) {
    const { code, text, seconds } = await run(command, { output: "tee", env, secondsMax: stepSecondsMax });
    ended.text += text;
    ended.seconds += seconds;
    ended.code ||= code;
  }
  const counted = step.count === undefined ? { passed: ended.code === 0 ? 1 : 0, failed: 0, skipped: 0 } : step.count(ended.text);
  const counts = judged(counted, ended.code, step.name);
  rows.push({ name: step.name, counts, seconds: ended.seconds, failures: counts.failed > 0 ? failures(ended.text, 20) : [] });
}
if (existsSync(out)) rmSync(out, { recursive: true, force: true });

// Beside the summary, where whoever sees no more than the end of a long log finds them.
for (const { name, failures } of rows.filter((row) => row.failures.length > 0)) {
  console.log(`\n######## what failed in ${name}\n${failures.join("\n")}`);
}
console.log("\n######## summary");
for (const { name, counts, seconds } of rows) {
  console.log(`${counts.failed === 0 ? "ok    " : "FAILED"} ${name.padEnd(12)} ${seconds.toFixed(0).padStart(5)} s   ${line(counts)}`);
}
const sum = total(rows.map(({ counts }) => counts));
console.log(`all steps: ${rows.reduce((soFar, { seconds }) => soFar + seconds, 0).toFixed(0)} s in ${root}`);
console.log(line(sum));
process.exit(sum.failed > 0 ? 1 : 0);

/** Python's own reader of checkpoints and NumPy, which the tests compare with; where they are missing, those tests are skipped. */
function pythonFolder(): Promise<string> {
  return installed(join(toolFolder(), "python-checkpoints"), async (folder) => {
    const { code, text } = await run(pip(["python3"], checkpointRequirements, "install", folder), { output: "keep" });
    if (code !== 0) throw new Error(`${text.trim()}\n\npip could not install ${checkpointRequirements.packages.join(" and ")}.`);
  }).catch(fail);
}
