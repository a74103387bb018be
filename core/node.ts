/** The modules of Node that the library uses, for the layers that do not reach into `ffi/`. */

export { files, fs, path, process, timers } from "../ffi/node.ts";
