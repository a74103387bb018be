/** Finds packages by way of those that depend on them. */

// @ts-ignore: declared by the types of Bun, of Deno and of Node, of which a project may have none
import { createRequire } from "node:module";
// @ts-ignore: as above
import process from "node:process";

/** From which packages a platform's package is found, each from where the one before it lies. */
const ways: readonly (readonly string[])[] = [[], ["@tilework/native"], ["@tilework/tilework", "@tilework/native"]];

/**
 * The path of a file of an installed package, looked for from a module or bundle; without one, from the program that was started. Deno looks into no folder
 * without a permission, and is not asked.
 */
export function findFrom(start: string | undefined, name: string, file: string): string | undefined {
  if ("Deno" in globalThis) return undefined;
  for (const way of ways) {
    try {
      let from: string = start ?? process.argv[1]!;
      for (const package_ of way) from = createRequire(from).resolve(package_);
      return createRequire(from).resolve(`${name}/${file}`);
    } catch {
      // Not there, or it depends on none of them.
    }
  }
  return undefined;
}
