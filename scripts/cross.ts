// Builds the library for every supported platform and checks what can be checked without running it: that it is there and small, that it asks for no
// newer glibc than the floor, and that no micro-kernel is visible from outside.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.ts";
import { line } from "./counts.ts";
import { root } from "./process.ts";

const platforms = [
  "linux-x64",
  "linux-x64-musl",
  "linux-arm64",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64",
  "win32-arm64",
];
const bytesMax = 3_000_000;
const glibcMinorMax = 17;

await build(["cross"]);

let failed = 0;
for (const platform of platforms) {
  const folder = join(root, "zig", "zig-out", platform);
  const name = existsSync(folder) ? readdirSync(folder).find((file) => /\.(?:so|dylib|dll)$/.test(file)) : undefined;
  const problems = name === undefined ? [`no library in ${folder}`] : inspect(join(folder, name));
  if (problems.length > 0) failed++;
  const size = name === undefined ? 0 : readFileSync(join(folder, name)).length;
  console.log(
    `${problems.length === 0 ? "ok    " : "FAILED"} ${platform.padEnd(17)} ${(size / 1e6).toFixed(2)} MB  ${problems.join("; ")}`,
  );
}
const counts = { passed: platforms.length - failed, failed, skipped: 0 };
console.log(line(counts));
process.exit(failed > 0 ? 1 : 0);

function inspect(path: string): string[] {
  const bytes = readFileSync(path);
  const text = bytes.toString("latin1");
  const problems: string[] = [];
  if (bytes.length > bytesMax) problems.push(`larger than ${bytesMax / 1e6} MB`);
  const newest = Math.max(0, ...[...text.matchAll(/\0GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)));
  if (newest > glibcMinorMax) problems.push(`asks for glibc 2.${newest}; the floor is 2.${glibcMinorMax}`);
  // The library is stripped, so that a name of this form can only stand in its table of exported symbols.
  const visible = text.match(/\w+__(?:portable|avx2|avx512|neon)\0/)?.[0];
  if (visible !== undefined) problems.push(`the micro-kernel ${visible.slice(0, -1)} is visible`);
  return problems;
}
