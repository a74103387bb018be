// Writes report/client.gen.ts: the style and the script of a report's page as strings, since a published package may read no files beside its modules.
//   deno run -A scripts/report_client.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.ts";

/** What the file is to hold. */
export function reportClient(): string {
  const text = (name: string) => JSON.stringify(readFileSync(join(root, "report", name), "utf8").replaceAll("\r\n", "\n"));
  return `// Made of client.css and client.js by scripts/report_client.ts.

/** The style of a report's page. */
export const style: string = ${text("client.css")};

/** The script of a report's page. */
export const script: string = ${text("client.js")};
`;
}

if ((import.meta as { readonly main?: boolean }).main) {
  writeFileSync(join(root, "report", "client.gen.ts"), reportClient());
  console.log("report/client.gen.ts is written");
}
