/**
 * The modules of Node that a report needs and the library does not, so that a program that only computes never loads a server. As in `ffi/node.ts`, a
 * project may have no types for them: there they are `any`.
 */

export { fs, path, process, timers } from "../core/node.ts";
// @ts-ignore: declared by the types of Bun, of Deno and of Node, of which a project may have none
export * as http from "node:http";
// @ts-ignore: as above
export * as zlib from "node:zlib";
