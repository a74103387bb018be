// The platforms that the library is built for, and the package of each.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allPlatforms } from "../../ffi/library.ts";
import { root } from "../process.ts";

/** A platform, by the names that Node gives to systems and processors. */
export interface Platform {
  /** As zig/build.zig names the folder of its library. */
  readonly name: string;
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
  readonly libc?: "glibc" | "musl";
}

/** Every platform that has a package. */
export const platforms: readonly Platform[] = allPlatforms.map((name) => {
  const [os, cpu, libc] = name.split("-") as [Platform["os"], Platform["cpu"], "musl"?];
  return { name, os, cpu, ...os === "linux" && { libc: libc ?? "glibc" } };
});

/** The file name of a platform's library. */
export const libraryFile = ({ os }: Platform): string =>
  os === "win32" ? "tilework.dll" : os === "darwin" ? "libtilework.dylib" : "libtilework.so";

/** Where `zig build cross` leaves it. */
export const builtLibrary = (platform: Platform): string => join(root, "zig", "zig-out", platform.name, libraryFile(platform));

/** Whether a library is there, and its manifest is the one that the TypeScript was generated from. */
export function isCurrent(path: string): boolean {
  const generated = readFileSync(join(root, "ffi", "symbols.gen.ts"), "utf8");
  const manifest = generated.slice(
    generated.indexOf("export const manifest = ") + "export const manifest = ".length,
    generated.lastIndexOf(" as const"),
  );
  return existsSync(path) && readFileSync(path, "latin1").includes(manifest);
}
