// Builds a release into out/release: the packages of all platforms, the sources for JSR, their checksums, a bill of materials and the changelog's section.
// The same commit gives the same bytes.
//   deno task release [--allow-dirty]
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { build } from "../build.ts";
import { buildJsr } from "./jsr.ts";
import { buildPackages, manifest } from "./packages.ts";
import { builtLibrary, isCurrent, platforms } from "./platforms.ts";
import { fail, root, run } from "../process.ts";
import { zigVersion } from "../versions.ts";

/** Where it is made. */
const folder = join(root, "out", "release");
/** Bytes of a platform's package. */
const packedMax = 3_000_000;
/** Bytes of the JavaScript and its declarations. */
const codeMax = 400_000;

const read = (path: string) => readFileSync(join(root, path), "utf8");
const sha = (algorithm: string, path: string) => createHash(algorithm).update(readFileSync(path)).digest("hex");

/** What stands against a release of these sources. */
async function objections(allowDirty: boolean): Promise<string[]> {
  const found: string[] = [];
  const { text } = await run(["git", "status", "--porcelain"], { output: "keep" });
  if (text.trim() !== "" && !allowDirty) found.push(`The tree is not what is committed:\n${text.trimEnd()}`);
  const versions = {
    "package.json": manifest.version,
    "deno.json": JSON.parse(read("deno.json")).version,
    "package-lock.json": JSON.parse(read("package-lock.json")).version,
    "zig/build.zig.zon": read("zig/build.zig.zon").match(/\.version = "([^"]+)"/)?.[1],
    "ffi/symbols.gen.ts": read("ffi/symbols.gen.ts").match(/"version": "([^"]+)"/)?.[1],
  };
  if (new Set(Object.values(versions)).size > 1) {
    found.push(`Versions differ:\n${Object.entries(versions).map(([file, version]) => `  ${file}: ${version}`).join("\n")}`);
  }
  if (section() === "") found.push(`CHANGELOG.md has no section of ${manifest.version} and none that is unreleased.`);
  return found;
}

/** The changelog's section of this version; before it is named, the unreleased one. */
function section(): string {
  const sections = read("CHANGELOG.md").split(/^(?=## )/m);
  return (sections.find((text) => text.startsWith(`## ${manifest.version}`)) ?? sections.find((text) => text.startsWith("## Unreleased")) ??
    "").trim();
}

/** A bill of materials in CycloneDX's form: the packages, and what is compiled into them. */
function billOfMaterials(tarballs: readonly string[], commit: string): unknown {
  const zig = {
    type: "library",
    name: "zig",
    version: zigVersion,
    "bom-ref": `zig@${zigVersion}`,
    licenses: [{ license: { id: "MIT" } }],
    scope: "required",
  };
  const packages = tarballs.map((path) => {
    const name = basename(path).replace(/^tilework-/, "@tilework/").replace(/-[\d.]+(?:-[\w.]+)?\.tgz$/, "");
    const hashes = [{ alg: "SHA-256", content: sha("sha256", path) }, { alg: "SHA-512", content: sha("sha512", path) }];
    return {
      type: "library",
      name,
      version: manifest.version,
      "bom-ref": `${name}@${manifest.version}`,
      purl: `pkg:npm/${name.replace("@", "%40")}@${manifest.version}`,
      licenses: [{ license: { id: manifest.license } }],
      hashes,
    };
  });
  const isPlatform = (ref: string) => /^@tilework\/native-/.test(ref);
  const refs = packages.map((package_) => package_["bom-ref"]);
  const on = (ref: string) =>
    isPlatform(ref)
      ? [zig["bom-ref"]]
      : ref.startsWith("@tilework/native@")
      ? refs.filter(isPlatform)
      : refs.filter((other) => other.startsWith("@tilework/native@"));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "library", name: manifest.name, version: manifest.version },
      properties: [{ name: "commit", value: commit }],
    },
    components: [...packages, zig],
    dependencies: refs.map((ref) => ({ ref, dependsOn: on(ref) })),
  };
}

const args = process.argv.slice(2);
if (args.some((arg) => arg !== "--allow-dirty")) fail("Usage: scripts/delivery/release.ts [--allow-dirty]");
const against = await objections(args.includes("--allow-dirty"));
if (against.length > 0) fail(`This is no release:\n\n${against.join("\n\n")}`);

await build(["cross"]);
const stale = platforms.filter((platform) => !isCurrent(builtLibrary(platform)));
if (stale.length > 0) {
  fail(
    `The libraries of ${
      stale.map(({ name }) => name).join(", ")
    } have another manifest than the TypeScript: \`deno task gen\`, and commit what changes.`,
  );
}
const tarballs = await buildPackages(platforms);
buildJsr();

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const commit = (await run(["git", "rev-parse", "HEAD"], { output: "keep" })).text.trim();
const large: string[] = [];
for (const tarball of tarballs) {
  copyFileSync(tarball, join(folder, basename(tarball)));
  const { size } = statSync(tarball), max = /-native-[a-z]/.test(basename(tarball)) ? packedMax : codeMax;
  if (size > max) large.push(`${basename(tarball)} has ${size} bytes, more than ${max}`);
  console.log(`${(size / 1e3).toFixed(0).padStart(6)} kB  ${basename(tarball)}`);
}
if (large.length > 0) fail(large.join("\n"));
writeFileSync(join(folder, "sbom.cdx.json"), JSON.stringify(billOfMaterials(tarballs, commit), null, 2) + "\n");
writeFileSync(join(folder, "NOTES.md"), section() + "\n");
const named = [...tarballs.map((path) => basename(path)), "sbom.cdx.json", "NOTES.md"];
writeFileSync(join(folder, "SHA256SUMS"), named.map((name) => `${sha("sha256", join(folder, name))}  ${name}\n`).join(""));
console.log(`\n${folder}\nPublish the tarballs in this order by \`npm publish\`, then out/jsr by \`deno publish\`.`);
