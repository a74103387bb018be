// Builds the library for every supported platform and checks what can be checked without running it: that it is there and small, that it asks for no
// newer glibc than the floor, and that no micro-kernel is visible from outside.
import { existsSync, readFileSync } from "node:fs";
import { build } from "./build.ts";
import { line } from "./counts.ts";
import { builtLibrary, platforms } from "./delivery/platforms.ts";

/**
 * Three instruction sets of x86 take 5.3 MB, two fifths of it the portable one, whose multiply-adds are many instructions, and about a megabyte more on
 * Windows; shaders are 0.9 MB, and what records them half of one. A build that grows past this has got something twice.
 */
const bytesMax = 9_000_000;
const glibcMinorMax = 17;

await build(["cross"]);

let failed = 0;
for (const platform of platforms) {
  const path = builtLibrary(platform), there = existsSync(path);
  const problems = there ? inspect(path) : [`there is no ${path}`];
  if (problems.length > 0) failed++;
  const size = there ? readFileSync(path).length : 0;
  console.log(
    `${problems.length === 0 ? "ok    " : "FAILED"} ${platform.name.padEnd(17)} ${(size / 1e6).toFixed(2)} MB  ${problems.join("; ")}`,
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
  const visible = exportedNames(bytes).find((name) => /__(?:portable|avx2|avx512|neon)$/.test(name));
  if (visible !== undefined) problems.push(`the micro-kernel ${visible} is visible`);
  return problems;
}

/** The names that a library exports, or more: in ELF and PE every name in a stripped file is one that is exported or imported. */
function exportedNames(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const machO64 = 0xfeedfacf;
  if (view.getUint32(0, true) !== machO64) return new TextDecoder("latin1").decode(bytes).match(/\w+(?=\0)/g) ?? [];
  // Mach-O keeps the names of local symbols, so that its table has to be read: load command 2 tells where it is, 16 bytes a symbol.
  const names: string[] = [];
  for (let command = 32, left = view.getUint32(16, true); left > 0; left--, command += view.getUint32(command + 4, true)) {
    if (view.getUint32(command, true) !== 2) continue;
    const [symbols, count, strings] = [8, 12, 16].map((offset) => view.getUint32(command + offset, true));
    for (let symbol = symbols; symbol < symbols + 16 * count; symbol += 16) {
      const external = 0x01, hidden = 0x10, type = bytes[symbol + 4];
      if ((type & external) === 0 || (type & hidden) !== 0) continue;
      const start = strings + view.getUint32(symbol, true);
      names.push(new TextDecoder().decode(bytes.subarray(start, bytes.indexOf(0, start))));
    }
  }
  return names;
}
