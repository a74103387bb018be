/** The errors that the library throws, for the layers that do not reach into `ffi/`. */

export { engine, isOwnFrame, LibraryError, RangeError, TypeError } from "../ffi/errors.ts";
