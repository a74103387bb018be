/**
 * The modules of Node that every runtime has, for the whole library. They are imported here alone: a project may have the types of neither runtime
 * and none of Node's, and would find these modules missing in our sources. There they are `any`, elsewhere what they are declared as. Whole modules,
 * so that a function that does not exist is still an error where it is called.
 */

// @ts-ignore: declared by the types of Bun, of Deno and of Node, of which a project may have none
export * as crypto from "node:crypto";
// @ts-ignore: as above
export * as fs from "node:fs";
// @ts-ignore: as above
export * as files from "node:fs/promises";
// @ts-ignore: as above
export * as modules from "node:module";
// @ts-ignore: as above
export * as os from "node:os";
// @ts-ignore: as above
export * as path from "node:path";
// @ts-ignore: as above
export { default as process } from "node:process";
// @ts-ignore: as above
export * as timers from "node:timers";
// @ts-ignore: as above
export * as url from "node:url";
