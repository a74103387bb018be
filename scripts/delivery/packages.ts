// Builds the npm packages into out/packages, a folder and a tarball each: the library for the platforms named (all of them by default), what finds it, and the
// JavaScript with its declarations.
//   deno run -A scripts/delivery/packages.ts [PLATFORM …]
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { packageOf } from "../../ffi/library.ts";
import { build } from "../build.ts";
import { deliveryTool } from "./tools.ts";
import { builtLibrary, libraryFile, type Platform, platforms } from "./platforms.ts";
import { fail, root, run } from "../process.ts";
import { ensurePackages } from "../runtimes.ts";
import { compiler } from "../typescript.ts";
import { findZig } from "../zig.ts";

/** Where the packages are made. */
export const packagesFolder: string = join(root, "out", "packages");

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  type: string;
  exports: Record<string, string>;
  bin: Record<string, string>;
  engines: Record<string, string>;
}

/** The repository's package.json, of which the packages take their common fields. */
export const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** What every package says of itself. `commit` is that of the sources. */
function common(commit: string): Record<string, unknown> {
  const { version, license, engines } = manifest;
  return {
    version,
    license,
    type: "module",
    engines,
    sideEffects: false,
    publishConfig: { access: "public", provenance: true },
    gitHead: commit,
  };
}

/** A package under construction. */
class Package {
  readonly name: string;
  readonly folder: string;

  constructor(name: string, folder: string) {
    this.name = name;
    this.folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  manifest(fields: Record<string, unknown>): void {
    this.write("package.json", JSON.stringify({ name: this.name, ...fields }, null, 2) + "\n");
  }
}

/** The name of a platform's package. */
export const platformPackage = (platform: Platform): string => packageOf(platform.name);

/** The licences of what is compiled into a library beside our own sources: Zig's standard library, and the start-up code of the C library. */
async function notices(platform: Platform): Promise<string> {
  const [zig] = await findZig();
  const { text } = await run([zig, "env"], { output: "keep" });
  const lib = text.match(/\.lib_dir = "([^"]+)"/)?.[1] ?? fail("`zig env` does not say where Zig's library is.");
  const parts: [string, string][] = [["Zig's standard library and compiler-rt", join(dirname(lib), "LICENSE")]];
  if (platform.libc === "musl") parts.push(["musl", join(lib, "libc", "musl", "COPYRIGHT")]);
  if (platform.os === "win32") parts.push(["mingw-w64", join(lib, "libc", "mingw", "COPYING")]);
  return parts.map(([of, path]) =>
    `Parts of ${of} are compiled into the library. Its licence:\n\n${readFileSync(path, "utf8").trimEnd()}\n`
  ).join("\n\n");
}

async function platformPackages(chosen: readonly Platform[], library: (platform: Platform) => string, commit: string): Promise<Package[]> {
  const made: Package[] = [];
  for (const platform of chosen) {
    const file = libraryFile(platform);
    const package_ = new Package(platformPackage(platform), join(packagesFolder, `native-${platform.name}`));
    cpSync(library(platform), join(package_.folder, file));
    package_.write("NOTICES", await notices(platform));
    // `import … with { type: "file" }` is Bun's own way to say that a file belongs to a program.
    package_.write("bun.js", `import path from "./${file}" with { type: "file" };\nexport default path;\n`);
    package_.write(
      "README.md",
      `# ${package_.name}\n\nThe native library of [@tilework/tilework](https://www.npmjs.com/package/@tilework/tilework) for ${platform.name}. It is installed as a dependency of that package.\n`,
    );
    package_.manifest({
      ...common(commit),
      description: `The native library of tilework for ${platform.name}.`,
      os: [platform.os],
      cpu: [platform.cpu],
      ...platform.libc && { libc: [platform.libc] },
      files: [file, "bun.js", "NOTICES"],
      // Bun and bundlers must not take the library out of an archive.
      preferUnplugged: true,
    });
    made.push(package_);
  }
  return made;
}

/** What stands for native/mod.ts in Bun, whose bundler sees by it that a platform's library is a file that belongs to the program. */
function bunModule(): string {
  const cases = platforms.map((platform) => {
    const name = platformPackage(platform);
    return `  if (process.platform === "${platform.os}" && process.arch === "${platform.cpu}" && name === "${name}") {
    try {
      return require("${name}/bun.js").default;
    } catch {
      return undefined; // not installed
    }
  }`;
  });
  return `// In Bun this stands for index.js. \`bun build --compile\` puts the library of its target into the executable, \`bun build\` lays it beside what it writes: the
// bundler takes the conditions for constants, and passes over a package that is not installed.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { find as findInstalled } from "./index.js";

function embedded(name) {
${cases.join("\n")}
}

/** As find of index.js. */
export function find(name, file) {
  const path = embedded(name);
  if (path === undefined) return findInstalled(name, file);
  if (!path.startsWith("./")) return path;
  // It lies beside the bundle, of which CommonJS knows only where it was made.
  const beside = fileURLToPath(new URL(path, import.meta.url));
  return existsSync(beside) ? beside : join(dirname(Bun.main), path);
}
`;
}

/** Rewrites what a module imports by path, from sources to what is made of them, and the module that is a package of its own. */
function renamed(text: string): string {
  return text.replace(/(\bfrom |\bimport\(|^import )"(\.{1,2}\/[^"]+)\.ts"/gm, (_, verb: string, path: string) => {
    return /^(?:\.\.\/)+native\/mod$/.test(path) ? `${verb}"@tilework/native"` : `${verb}"${path}.js"`;
  });
}

/** Makes JavaScript with source maps, and declarations, of entries in the repository and all that they import. */
async function compile(entries: readonly string[], into: string): Promise<void> {
  const work = join(packagesFolder, "work");
  rmSync(work, { recursive: true, force: true });
  const types = join(work, "types"), code = join(work, "code");
  const config = join(work, "tsconfig.json");
  mkdirSync(work, { recursive: true });
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: types,
    rootDir: root,
    typeRoots: [join(root, "node_modules", "@types")],
  };
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.bun.json"),
      compilerOptions,
      include: [],
      files: entries.map((entry) => join(root, entry)),
    }),
  );
  await well([compiler(), "-p", config]);
  // What was declared is what the entries reach.
  const modules = files(types).map((path) => relative(types, path).replace(/\.d\.ts$/, ""));
  const esbuild = await deliveryTool("esbuild");
  await well([
    ...esbuild,
    ...modules.map((module) => `${module}.ts`),
    `--outdir=${code}`,
    `--outbase=${root}`,
    "--format=esm",
    "--target=es2023",
    "--sourcemap",
    "--log-level=warning",
  ]);
  for (const module of modules) {
    for (const [from, end] of [[types, ".d.ts"], [code, ".js"]] as const) {
      const to = join(into, module + end);
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, renamed(readFileSync(join(from, module + end), "utf8")));
    }
    const file = join(into, `${module}.js`);
    // What is generated is long, and nobody steps through it.
    if (module.endsWith(".gen")) {
      writeFileSync(file, readFileSync(file, "utf8").replace(/\/\/# sourceMappingURL=.*\n/, ""));
      continue;
    }
    const map = JSON.parse(readFileSync(join(code, `${module}.js.map`), "utf8"));
    map.sources = [`${basename(module)}.ts`];
    // Docstrings are in the declarations: a third of the package would be there twice.
    map.sourcesContent = map.sourcesContent.map((text: string) =>
      text.replace(/^ *(?:\/\*\*[^]*?\*\/|\/\/.*$)/gm, (comment) => comment.replace(/[^\n]+/g, ""))
    );
    writeFileSync(`${file}.map`, JSON.stringify(map));
  }
  rmSync(work, { recursive: true, force: true });
}

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]
  );
}

async function well(command: string[]): Promise<string> {
  const { code, text } = await run(command, { output: "keep", cwd: root });
  return code === 0 ? text : fail(`${text.trim()}\n\n\`${command.slice(0, 3).join(" ")} …\` failed.`);
}

async function findingPackage(commit: string): Promise<Package> {
  const package_ = new Package("@tilework/native", join(packagesFolder, "native"));
  const compiled = join(packagesFolder, "finding");
  await compile(["native/mod.ts"], compiled);
  for (const end of [".js", ".d.ts"]) {
    package_.write(`index${end}`, readFileSync(join(compiled, "native", `mod${end}`), "utf8").replace(/\/\/# sourceMappingURL=.*\n/, ""));
  }
  rmSync(compiled, { recursive: true });
  package_.write("bun.js", bunModule());
  package_.write(
    "README.md",
    `# @tilework/native\n\nFinds the native library of [@tilework/tilework](https://www.npmjs.com/package/@tilework/tilework), of which there is a package for each platform.\n`,
  );
  package_.manifest({
    ...common(commit),
    description: "Finds the native library of tilework for this platform.",
    exports: { ".": { types: "./index.d.ts", bun: "./bun.js", default: "./index.js" }, "./package.json": "./package.json" },
    types: "./index.d.ts",
    files: ["index.js", "index.d.ts", "bun.js"],
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [platformPackage(platform), manifest.version])),
  });
  return package_;
}

async function mainPackage(commit: string): Promise<Package> {
  const package_ = new Package(manifest.name, join(packagesFolder, "tilework"));
  const entries = Object.values(manifest.exports);
  await compile(entries.map((entry) => entry.slice("./".length)), package_.folder);
  rmSync(join(package_.folder, "native"), { recursive: true, force: true });
  for (const name of ["README.md", "CHANGELOG.md"]) cpSync(join(root, name), join(package_.folder, name));
  const exported = Object.entries(manifest.exports).map(([name, entry]) => {
    const base = entry.replace(/\.ts$/, "");
    return [name, { types: `${base}.d.ts`, default: `${base}.js` }];
  });
  package_.manifest({
    ...common(commit),
    description: manifest.description,
    exports: { ...Object.fromEntries(exported), "./package.json": "./package.json" },
    types: "./mod.d.ts",
    bin: Object.fromEntries(Object.entries(manifest.bin).map(([name, entry]) => [name, entry.replace(/\.ts$/, ".js")])),
    files: readdirSync(package_.folder).filter((name) => name !== "package.json").sort(),
    dependencies: { "@tilework/native": manifest.version },
  });
  return package_;
}

/**
 * Builds the packages of these platforms, of the library that `library` names for each, and the packages that all platforms share; returns the tarballs in the
 * order in which they are published.
 */
export async function buildPackages(
  chosen: readonly Platform[],
  library: (platform: Platform) => string = builtLibrary,
): Promise<string[]> {
  await ensurePackages();
  rmSync(packagesFolder, { recursive: true, force: true });
  const commit = (await well(["git", "rev-parse", "HEAD"])).trim();
  const packages = [...await platformPackages(chosen, library, commit), await findingPackage(commit), await mainPackage(commit)];
  const tarballs: string[] = [];
  for (const { folder } of packages) {
    const { code, text } = await run(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", packagesFolder], {
      cwd: folder,
      output: "keep",
    });
    if (code !== 0) fail(`${text.trim()}\n\n\`npm pack\` failed in ${folder}.`);
    tarballs.push(join(packagesFolder, text.trim().split("\n").at(-1)!));
  }
  return tarballs;
}

if (import.meta.main) {
  const names = process.argv.slice(2);
  const chosen = names.length === 0 ? platforms : platforms.filter(({ name }) => names.includes(name));
  await build(["cross"]);
  for (const tarball of await buildPackages(chosen)) {
    console.log(`${(statSync(tarball).size / 1e3).toFixed(0).padStart(6)} kB  ${basename(tarball)}`);
  }
}
