/**
 * Finds the native library of tilework among the installed packages, of which there is one for each platform. This module is the package `@tilework/native`: what
 * that depends on is found from where it lies, however a package manager lays out its folders.
 *
 * @module
 */

// @ts-ignore: declared by the types of Bun, of Deno and of Node, of which a project may have none
import { fileURLToPath } from "node:url";
import { findFrom } from "./packages.ts";

/** What is used of `import.meta`: each is asked for by itself, since some bundlers know only that, and some leave nothing of it. */
type Meta = { readonly resolve?: (specifier: string) => string; readonly url?: string };

/**
 * The path of a file of an installed package, or undefined where that package is not installed. It asks for no permission.
 *
 * ```ts
 * import { find } from "@tilework/native";
 *
 * console.log(find("@tilework/native-linux-x64", "libtilework.so")); // its path, or undefined
 * ```
 */
export function find(name: string, file: string): string | undefined {
  try {
    const found = (import.meta as Meta).resolve?.(`${name}/${file}`);
    if (found?.startsWith("file:")) return fileURLToPath(found);
  } catch {
    // From a bundle, only what the program itself depends on is found so.
  }
  return findFrom((import.meta as Meta).url, name, file);
}
