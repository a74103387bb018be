// Type tests: tests/types/valid.ts must compile, and each marked line of tests/types/invalid.ts must not, with the message written above it. A user
// reads these messages, so they are tested word for word, with the compiler that prints them. Beside them stand random calls, of which the compiler must
// say what the run-time checks say.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agreementCases } from "../tests/types/agreement.ts";
import { type Counts, line } from "./counts.ts";
import { fail, root, run } from "./process.ts";
import { compiler } from "./typescript.ts";

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
const cases = agreementCases(1, 240);
const random = [
  `import { add, cpu, linear, matmul, matmulList, reshape, sum, type Tensor, transpose, zeros } from "../../mod.ts";`,
  "declare function is<E>(): <A>(value: A, ...same: Equal<A, E> extends true ? [] : ['the type is another one']) => void;",
  "type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;",
  ...cases.map(({ code, shape }) => shape ? `is<Tensor<"f32", [${shape.join(", ")}]>>()(${code});` : `${code};`),
];
const diagnostics = await compile({
  "valid.ts": valid,
  "invalid.ts": invalid.map((text) => text.replace(directive, "// ")),
  "random.ts": random,
});
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
  compare(`tests/types/invalid.ts:${line}`, invalid[line - 1], sentence, messages("invalid.ts", line));
}
cases.forEach(({ code, sentence }, i) => {
  compare("a random call", code, sentence ?? "", messages("random.ts", random.length - cases.length + i + 1));
});
for (const { file, line, text } of diagnostics) {
  if (file === "valid.ts" || file === "random.ts" || file === "invalid.ts" && expected.has(line)) continue;
  report(file === "invalid.ts" ? `tests/types/invalid.ts:${line} has no directive` : `${file}:${line} does not compile`, "", text);
}

console.log(line(counts));
process.exit(counts.failed > 0 ? 1 : 0);

function messages(file: string, line: number): string {
  return diagnostics.filter((one) => one.file === file && one.line === line).map((one) => one.text).join("\n");
}

/** One test: the compiler's message holds the wanted text, or there is none where none is wanted. */
function compare(title: string, code: string, wanted: string, got: string): void {
  // A sentence of our own is a whole string type in the message: matmul: … stands there as "matmul: …".
  const good = wanted === "" ? got === "" : got.includes(/^\w+: /.test(wanted) ? `"${wanted}"` : wanted);
  if (good) counts.passed++;
  else report(title, code, `wanted: ${wanted || "no error"}\ngot:    ${got || "no error"}`);
}

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
