// npm's packages that scripts fetch outside the lockfiles, each by a pinned hash: scripts/integrity.json holds it as the registry writes it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.ts";

const file = join(root, "scripts", "integrity.json");

/** The hashes by `name@version`. */
export const pinned: Readonly<Record<string, string>> = JSON.parse(readFileSync(file, "utf8"));

/** The hash of a package's archive as lockfiles write it. */
export function integrityOf(archive: string): string {
  return `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
}

/** Throws if a package's hash is not the pinned one, or none is pinned. `spec` is `name@version`. */
export function checkIntegrity(spec: string, integrity: string): void {
  const wanted = pinned[spec];
  if (wanted === undefined) {
    throw new Error(
      `scripts/integrity.json pins no hash of ${spec}: \`npm view ${spec} dist.integrity\` prints it (the package that came has ${integrity}).`,
    );
  }
  if (integrity !== wanted) {
    throw new Error(
      `${spec} has the hash ${integrity}, scripts/integrity.json pins ${wanted}: it is another package than the tested one and is not used.`,
    );
  }
}

/** Checks every package of a folder's `bun.lock`, whose archives Bun has compared with the hashes in it. */
export function checkBunLock(folder: string): void {
  const found = [...readFileSync(join(folder, "bun.lock"), "utf8").matchAll(/^ *"[^"]+": \["([^"]+)",.*"(sha\d+-[^"]+)"\],?$/gm)];
  if (found.length === 0) throw new Error(`${join(folder, "bun.lock")} names no package.`);
  for (const [, spec, integrity] of found) checkIntegrity(spec!, integrity!);
}
