// Runs the tests of GPUs on SwiftShader, a Vulkan driver that comes with Chromium and runs on the CPU, in Deno and in Bun. Ends with
// `N passed, N failed`.
//   deno run -A scripts/gpu_tests.ts [deno|bun …]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { bunCounts, type Counts, denoCounts, line, total } from "./counts.ts";
import { fail, root, run } from "./process.ts";
import { findRuntime, type Runtime } from "./runtimes.ts";

/** The test files that have tests of a GPU, by themselves or by what they import. */
export function gpuTestFiles(): string[] {
  const folder = join(root, "tests");
  const reaches = (file: string, seen = new Set<string>()): boolean => {
    if (file === "gpu_harness.ts") return true;
    if (seen.has(file) || !existsSync(join(folder, file))) return false;
    seen.add(file);
    const imported = readFileSync(join(folder, file), "utf8").matchAll(/ from "\.\/([\w.]+)"/g);
    return [...imported].some(([, other]) => reaches(other!, seen));
  };
  return readdirSync(folder).filter((file) => file.endsWith("_test.ts") && reaches(file)).sort();
}

/** The arguments by which a runtime runs only tests that have a GPU in their name, as all tests of one have. */
export function gpuTestArguments(runtime: Runtime): string[] {
  return runtime === "bun"
    ? ["test", "--timeout", "120000", "--test-name-pattern", "gpu|GPU"]
    : ["test", "-A", "--no-check", "--filter", "/gpu|GPU/"];
}

/** How the Vulkan loader is told of SwiftShader alone. Its file lies beside it. */
const swiftShader = "/usr/lib/chromium/vk_swiftshader_icd.json";

async function main(): Promise<void> {
  if (!existsSync(swiftShader)) fail(`There is no ${swiftShader}. Debian's package chromium-common brings it.`);
  const asked = process.argv.slice(2) as Runtime[];
  const env = { VK_ICD_FILENAMES: swiftShader, VK_DRIVER_FILES: swiftShader, TILEWORK_GPU: "SwiftShader", TILEWORK_GPU_VALIDATION: "1" };
  const files = gpuTestFiles().map((file) => `./tests/${file}`);
  const sums: Counts[] = [];
  for (const runtime of asked.length > 0 ? asked : ["deno", "bun"] as const) {
    const { code, text, seconds } = await run([await findRuntime(runtime), ...gpuTestArguments(runtime), ...files], { output: "tee", env });
    const counts = (runtime === "bun" ? bunCounts : denoCounts)(text);
    if (code !== 0 || counts.passed === 0) counts.failed ||= 1; // one that fell before its summary has no counts
    console.log(`SwiftShader, ${runtime}: ${line(counts)} (${seconds.toFixed(0)} s)`);
    sums.push(counts);
  }
  const sum = total(sums);
  console.log(line(sum));
  process.exit(sum.failed > 0 ? 1 : 0);
}

if (import.meta.main) await main();
