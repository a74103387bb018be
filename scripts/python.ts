// What pip installs: lists of requirements that pin each package's version and the hashes of its wheels.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.ts";

/** A list of requirements in pip's format. */
export interface Requirements {
  /** The path of the file. */
  readonly file: string;
  /** The packages that it names, each as `name==version`. */
  readonly packages: readonly string[];
}

/** Reads a list, by its path from the root of the repository. */
export function requirements(path: string): Requirements {
  const file = join(root, path);
  return { file, packages: [...readFileSync(file, "utf8").matchAll(/^[\w-]+==\S+/gm)].map(([spec]) => spec) };
}

/**
 * The command by which pip installs or downloads a list into a folder. It takes wheels alone, so that no code of a package runs, and refuses each one whose
 * hash the list does not hold.
 */
export function pip(python: readonly string[], list: Requirements, action: "install" | "download", folder: string): string[] {
  const into = action === "install" ? "--target" : "--dest";
  const quiet = ["--quiet", "--disable-pip-version-check"];
  return [...python, "-m", "pip", action, ...quiet, "--no-deps", "--only-binary=:all:", "--require-hashes", into, folder, "-r", list.file];
}
