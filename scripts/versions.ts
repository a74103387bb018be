// The versions that the project is built and tested with.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.ts";
import { type Requirements, requirements } from "./python.ts";

/** What pip installs to bring Zig. */
export const zigRequirements: Requirements = requirements("scripts/python/zig.txt");

/** The one version of Zig that builds the library; the language still changes between releases. */
export const zigVersion: string = zigRequirements.packages[0]!.split("==")[1]!;

/**
 * The version of Deno that checks run with. It is no development package: in a Deno task, `deno` would then mean the file in node_modules/.bin,
 * which Deno runs as if it were JavaScript.
 */
export const denoVersion = "2.9.6";

/** The version of Node that tests run with where PATH has none with node:ffi: one that npm has for every platform. */
export const nodeVersion = "26.10.0";

/**
 * The oldest versions in which the library is promised to work: scripts/oldest.ts runs tests in them. package.json and the README name them.
 */
export const oldest: Readonly<Record<"deno" | "bun" | "node", string>> = { deno: "2.4.0", bun: "1.2.0", node: "26.9.0" };

/** The development packages and their exact versions, as package.json pins them. */
export const packages: Record<string, string> = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;

/** What the tests of checkpoints compare with in CI; without them those tests are skipped. */
export const checkpointRequirements: Requirements = requirements("scripts/python/checkpoints.txt");

/** What compiles and validates shaders; only who edits one needs them. */
export const shaderRequirements: Requirements = requirements("scripts/python/shaders.txt");
