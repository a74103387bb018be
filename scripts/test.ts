// Builds the library and runs every test: the Zig tests once per instruction set, the type tests, tests/ under Deno, Bun and Node, and the examples
// in the documentation.
//   deno task test                  bun run test                  deno task test --only deno,bun
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.ts";
import { bunCounts, type Counts, denoCounts, judged, line, nodeCounts, plainCounts, total, zigCounts } from "./counts.ts";
import { fail, root, run } from "./process.ts";
import { ensurePackages, findRuntime } from "./runtimes.ts";
import { findZig } from "./zig.ts";

interface Part {
  title: string;
  command: () => Promise<string[]>;
  cwd?: string;
  count: (text: string) => Counts;
}

const parts: Record<string, Part> = {
  zig: {
    title: "Zig unit tests, once per instruction set",
    command: async () => [...await findZig(), "build", "test", "--build-file", "zig/build.zig"],
    count: zigCounts,
  },
  types: {
    title: "Type tests: what compiles and what must not",
    command: () => Promise.resolve([process.execPath, ..."Bun" in globalThis ? [] : ["run", "-A"], "scripts/type_tests.ts"]),
    count: plainCounts,
  },
  deno: {
    title: "Tests under Deno",
    command: async () => [await findRuntime("deno"), "test", "-A", "tests/"],
    count: denoCounts,
  },
  docs: {
    title: "Examples in the documentation",
    command: async () => [
      await findRuntime("deno"),
      "test",
      "-A",
      "--doc",
      "README.md",
      ...["docs", "docs/guide"].flatMap((folder) =>
        readdirSync(join(root, folder)).filter((file) => file.endsWith(".md")).map((file) => `${folder}/${file}`)
      ),
      "doctor.ts",
      "report.ts",
      "report",
      "core",
      "ops",
      "nn",
    ],
    count: denoCounts,
  },
  install: {
    title: "The packages, installed into fresh folders",
    command: async () => [await findRuntime("deno"), "test", "-A", "--no-check", "scripts/delivery/install_test.ts"],
    count: denoCounts,
  },
  bun: {
    title: "Tests under Bun",
    // Bun's own limit of 5 s a test is too short for a test that waits for a child process on a loaded machine.
    command: async () => [await findRuntime("bun"), "test", "--timeout", "120000", "./tests/"],
    count: bunCounts,
  },
  node: {
    title: "Tests under Node",
    command: async () => [
      await findRuntime("node"),
      "--disable-warning=ExperimentalWarning",
      "--import",
      "./scripts/web_workers_for_node.js",
      "--test",
      "--test-reporter=spec",
      "tests/!(bench|bench_measure)_test.ts", // found by Node itself; benchmarks run in Deno and Bun
    ],
    count: nodeCounts,
  },
};

/** These run where they are named, and in CI: those in Node take five minutes, and installing needs npm and its registry. */
const onDemand = ["node", "install"];

const names = chosen(process.argv.slice(2));
await ensurePackages();
await build();
if (process.platform === "linux") await build(["fake"]);

const results: Counts[] = [];
for (const name of names) {
  const part = parts[name];
  console.log(`\n== ${part.title}`);
  // The tests of GPUs run with Vulkan's validation layer where that is installed.
  const env = { NO_COLOR: "1", TILEWORK_GPU_VALIDATION: "1" };
  const { code, text, seconds } = await run(await part.command(), { output: "tee", env });
  const counts = judged(part.count(text), code, name);
  results.push(counts);
  console.log(`-- ${name}: ${line(counts)} (${seconds.toFixed(1)} s)`);
}

console.log(`\n${names.map((name, i) => `${name} ${results[i].passed}/${results[i].passed + results[i].failed}`).join(" · ")}`);
const sum = total(results);
console.log(line(sum));
process.exit(sum.failed > 0 ? 1 : 0);

function chosen(args: string[]): string[] {
  if (args.length === 0) return Object.keys(parts).filter((name) => !onDemand.includes(name));
  const list = (args[0] === "--only" ? args[1] : args[0].startsWith("--only=") ? args[0].slice("--only=".length) : "").split(",");
  if (list.some((name) => !(name in parts))) {
    fail(`Usage: scripts/test.ts [--only ${Object.keys(parts).join(",")}]`);
  }
  return list;
}
