// Type tests: tests/types/valid.ts must compile, and each marked line of tests/types/invalid.ts must not, with the message written above it. A user
// reads these messages, so they are tested word for word, with the compiler that prints them.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Counts, line } from "./counts.ts";
import { fail, root, run } from "./process.ts";

const directive = "// @ts-expect-error ";
const folder = join(root, "tests", "types");
// Inside the repository, so that the compiler finds the packages that mod.ts takes its runtime types from.
const scratch = join(root, "node_modules", ".cache", "type_tests");

interface Diagnostic {
  file: string;
  line: number;
  text: string;
}

const valid = readFileSync(join(folder, "valid.ts"), "utf8").split("\n");
const invalid = readFileSync(join(folder, "invalid.ts"), "utf8").split("\n");
const diagnostics = await compile({ "valid.ts": valid, "invalid.ts": invalid.map((text) => text.replace(directive, "// ")) });
const counts: Counts = { passed: 0, failed: 0, skipped: 0 };

// Every statement of valid.ts that says a type is a test; any diagnostic in it is a failure.
const wrong = diagnostics.filter(({ file }) => file === "valid.ts");
for (const { line, text } of wrong) report(`tests/types/valid.ts:${line} does not compile`, valid[line - 1], text);
counts.passed += Math.max(0, valid.filter((text) => /^(is<|export )/.test(text)).length - wrong.length);

const expected = new Map<number, string>(); // by line, counted from 1
invalid.forEach((text, i) => {
  if (text.startsWith(directive)) expected.set(i + 2, text.slice(directive.length));
});
for (const [line, sentence] of expected) {
  const got = diagnostics.filter((one) => one.file === "invalid.ts" && one.line === line).map((one) => one.text).join("\n");
  // A sentence of our own is a whole string type in the message: matmul: … stands there as "matmul: …".
  if (got.includes(/^\w+: /.test(sentence) ? `"${sentence}"` : sentence)) counts.passed++;
  else report(`tests/types/invalid.ts:${line}`, invalid[line - 1], `wanted: ${sentence}\ngot:    ${got === "" ? "no error" : got}`);
}
for (const { file, line, text } of diagnostics) {
  if (file === "valid.ts" || file === "invalid.ts" && expected.has(line)) continue;
  report(file === "invalid.ts" ? `tests/types/invalid.ts:${line} has no directive` : `${file}:${line} does not compile`, "", text);
}

console.log(line(counts));
process.exit(counts.failed > 0 ? 1 : 0);

function report(title: string, code: string, text: string): void {
  counts.failed++;
  console.log(`FAILED ${title}\n${[...code === "" ? [] : [code], ...text.split("\n")].map((one) => `  ${one}`).join("\n")}\n`);
}

/** Compiles copies of the test files, which import the library by its address, and returns what the compiler says. */
async function compile(files: Record<string, string[]>): Promise<Diagnostic[]> {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  for (const [name, lines] of Object.entries(files)) {
    writeFileSync(join(scratch, name), lines.join("\n").replaceAll(`"../../mod.ts"`, JSON.stringify(join(root, "mod.ts"))));
  }
  const options = {
    extends: join(root, "tsconfig.bun.json"),
    compilerOptions: { noErrorTruncation: true },
    files: Object.keys(files),
    include: [],
  };
  writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(options));
  const { code, text } = await run([compiler(), "-p", "tsconfig.json", "--pretty", "false"], { cwd: scratch, output: "keep" });
  const found: Diagnostic[] = [];
  for (const one of text.split(/\r?\n/)) {
    const match = /^(.+?)\((\d+),\d+\): (error TS\d+: .*)$/.exec(one);
    if (match) found.push({ file: match[1], line: Number(match[2]), text: match[3] });
    else if (/^\s/.test(one) && found.length > 0) found[found.length - 1].text += `\n${one}`; // the message goes on
    else if (one !== "") fail(`The TypeScript compiler failed:\n${text}`); // an option that it does not know, a file that is not there
  }
  if (code !== 0 && found.length === 0) fail(`The TypeScript compiler ended with exit code ${code}.`);
  return found;
}

/** npm's typescript 7 is a native program in a package of its own; its script in node_modules/.bin would need Node. */
function compiler(): string {
  const file = process.platform === "win32" ? "tsc.exe" : "tsc";
  const path = join(root, "node_modules", "@typescript", `typescript-${process.platform}-${process.arch}`, "lib", file);
  if (!existsSync(path)) fail(`${path} is not there. Run \`npm install\` first.`);
  return path;
}
