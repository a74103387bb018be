/**
 * Finds the native library of tilework among the installed packages, of which there is one for each platform. This module is the package `@tilework/native`: what
 * that depends on is found from where it lies, however a package manager lays out its folders.
 *
 * @module
 */

// @ts-ignore: declared by the types of Bun, of Deno and of Node, of which a project may have none
import { createRequire } from "node:module";
// @ts-ignore: as above
import process from "node:process";

/**
 * By way of which packages a platform's package is found, each from where the one before it lies. In a bundle this code lies elsewhere, and only what the program
 * itself depends on is found from there.
 */
const ways: readonly (readonly string[])[] = [[], ["@tilework/native"], ["@tilework/tilework", "@tilework/native"]];

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
  for (const way of ways) {
    try {
      // Some bundlers leave nothing of `import.meta` in CommonJS: then it is looked for from the program that was started.
      let from: string = import.meta.url ?? process.argv[1];
      for (const package_ of way) from = createRequire(from).resolve(package_);
      return createRequire(from).resolve(`${name}/${file}`);
    } catch {
      // Not there, or it depends on none of them.
    }
  }
  return undefined;
}
