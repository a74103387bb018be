// What the lockfiles say: the same as package.json and as each other, a hash for every package, and no registry but npm's own.
//   deno run -A scripts/locks.ts
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./process.ts";

type Versions = Record<string, string>;
const kinds = ["dependencies", "devDependencies", "optionalDependencies"] as const;

/** The part of package.json that is read here. */
export type Manifest = { [K in (typeof kinds)[number]]?: Versions };

/** The part of package-lock.json that is read here. */
export interface NpmLock {
  packages: Record<string, Manifest & { version?: string; resolved?: string; integrity?: string; link?: boolean; inBundle?: boolean }>;
}

/** The part of deno.lock that is read here. */
export interface DenoLock {
  specifiers: Versions;
  npm: Record<string, { integrity?: string; tarball?: string }>;
  jsr?: unknown;
  remote?: unknown;
  redirects?: unknown;
}

const registry = "https://registry.npmjs.org/";
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** What is wrong with npm's lockfile, a sentence each. */
export function npmLockFaults(manifest: Manifest, lock: NpmLock): string[] {
  const faults: string[] = [];
  for (const kind of kinds) {
    const wanted = manifest[kind] ?? {}, found = lock.packages[""]?.[kind] ?? {};
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
      if (wanted[name] !== found[name]) {
        faults.push(`${kind} of ${name}: package.json has ${wanted[name]}, package-lock.json ${found[name]}`);
      }
    }
    for (const [name, version] of Object.entries(wanted)) {
      if (!/^\d/.test(version) || /[\s|*x]/.test(version)) faults.push(`package.json: ${name} is ${version}, must be one exact version`);
    }
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.includes("node_modules/") || entry.link) continue; // the repository's own packages
    if (!sha512.test(entry.integrity ?? "")) faults.push(`package-lock.json: ${path} has no sha512 integrity`);
    if (entry.resolved !== undefined && !entry.resolved.startsWith(registry)) {
      faults.push(`package-lock.json: ${path} comes from ${entry.resolved}`);
    }
  }
  return faults;
}

/** What is wrong with Deno's lockfile, or differs between it and npm's, a sentence each. */
export function denoLockFaults(manifest: Manifest, npm: NpmLock, lock: DenoLock): string[] {
  const faults: string[] = [];
  const wanted = Object.assign({}, ...kinds.map((kind) => manifest[kind])) as Versions;
  for (const [name, version] of Object.entries(wanted)) {
    const found = lock.specifiers[`npm:${name}@${version}`];
    if (found?.split("_")[0] !== version) faults.push(`deno.lock: ${name} is ${found}, package.json has ${version}`);
  }
  for (const specifier of Object.keys(lock.specifiers)) {
    if (!specifier.startsWith("npm:")) faults.push(`deno.lock: ${specifier} is no package of npm`);
  }
  for (const key of ["jsr", "remote", "redirects"] as const) if (lock[key] !== undefined) faults.push(`deno.lock has "${key}"`);
  const hashes = new Map<string, string | undefined>(
    Object.entries(npm.packages).map(([path, { version, integrity }]) => {
      return [`${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`, integrity] as const;
    }),
  );
  for (const [key, { integrity, tarball }] of Object.entries(lock.npm)) {
    const spec = key.replace(/_.*$/, ""); // what follows are its peers
    if (!sha512.test(integrity ?? "")) faults.push(`deno.lock: ${key} has no sha512 integrity`);
    if (tarball !== undefined && !tarball.startsWith(registry)) faults.push(`deno.lock: ${key} comes from ${tarball}`);
    if (hashes.has(spec) && hashes.get(spec) !== integrity) faults.push(`${spec} has other hashes in deno.lock and package-lock.json`);
  }
  return faults;
}

/** What is wrong with the lockfiles of the repository. */
export function lockFaults(): string[] {
  const manifest = read<Manifest>("package.json"), npm = read<NpmLock>("package-lock.json");
  return [
    ...npmLockFaults(manifest, npm),
    ...denoLockFaults(manifest, npm, read("deno.lock")),
    ...["bench/peers", "scripts/delivery"].flatMap((folder) =>
      npmLockFaults(read(`${folder}/package.json`), read(`${folder}/package-lock.json`)).map((fault) => `${folder}: ${fault}`)
    ),
  ];
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

if (import.meta.main) {
  const faults = lockFaults();
  if (faults.length > 0) fail(faults.join("\n"));
}
