/**
 * Finds the native library of tilework among the installed packages, of which there is one for each platform. This module is the package `@tilework/native`: what
 * that depends on is found from where it lies, however a package manager lays out its folders.
 *
 * @module
 */

// @ts-ignore: declared by the types of Bun, of Deno and of Node, of which a project may have none
import * as modules from "node:module";
// @ts-ignore: as above
import * as url from "node:url";

/** A function of `import.meta`, which some bundlers leave nothing of. */
type Resolve = ((specifier: string) => string) | undefined;

const own = (import.meta as { readonly resolve?: Resolve; readonly url?: string | undefined }) ?? {};

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
  const specifier = `${name}/${file}`;
  // In a bundle this code lies elsewhere, and only what the program itself depends on is found from there: through that, the rest is.
  return fromHere(specifier) ?? fromPackage(["@tilework/native"], specifier) ??
    fromPackage(["@tilework/tilework", "@tilework/native"], specifier);
}

function fromHere(specifier: string): string | undefined {
  try {
    const found = own.resolve?.(specifier);
    return found?.startsWith("file:") ? url.fileURLToPath(found) : undefined;
  } catch {
    return undefined;
  }
}

/** From where a package lies that the one before it depends on. Deno looks at no folder without a permission, and finds packages from here. */
function fromPackage(names: readonly string[], specifier: string): string | undefined {
  if ("Deno" in globalThis) return undefined;
  try {
    let from = own.url ?? url.pathToFileURL(modules.createRequire(`${globalThis.process.cwd()}/`).resolve(names[0]!)).href;
    for (const name of names) from = modules.createRequire(from).resolve(name);
    return modules.createRequire(from).resolve(specifier);
  } catch {
    return undefined;
  }
}
