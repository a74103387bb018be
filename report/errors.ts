/** What may go wrong with a report besides its arguments. */

import { LibraryError } from "../core/errors.ts";

/** A report's file cannot be read or written, or its port is in use. `cause` is the system's error, if there is one. */
export class ReportError extends LibraryError {
  /** `"ReportError"`. */
  override readonly name = "ReportError";
}
