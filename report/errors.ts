/** What may befall a report beside wrong arguments. */

import { LibraryError } from "../core/errors.ts";

/** A report's file cannot be read or written, or its port cannot be had. `cause` is the system's error, where there is one. */
export class ReportError extends LibraryError {
  /** `"ReportError"`. */
  override readonly name = "ReportError";
}
