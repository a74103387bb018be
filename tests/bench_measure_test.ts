import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inTurn } from "../bench/demo.ts";
import type { Options, Prepared } from "../bench/harness.ts";
import { fault, whole, WrongResultError } from "../bench/judge.ts";
import { type Candidate, measure } from "../bench/measure.ts";
import { Servers } from "../bench/peers/server.ts";
import { uniform } from "../bench/problem.ts";
import { type RowOp, type RowOpName, rowOps } from "../bench/rows_cases.ts";
import { erf, rowReference } from "../bench/rows_reference.ts";
import { libraryPath, run, starting } from "./child.ts";

const options: Options = {
  ...{ filter: undefined, tiny: true, long: false, threads: [1], seconds: 0.001, roundsMin: 4, turnSeconds: 1e-5 },
  ...{ quietSeconds: 0, against: undefined, wants: () => true, parts: undefined },
};
const right = Float32Array.of(1, 2, 3, 4), reference = whole(right);

/** A contender that computes a result in no time worth naming. */
function prepared(result: Float32Array, more: Partial<Prepared> = {}): Prepared {
  return { time: (calls) => 1e-5 * calls, result: () => result, ...more };
}

const ours: Candidate = { name: "ours", threads: 1, reference, prepare: () => prepared(right) };
const peerOf = (prepare: Candidate["prepare"]): Candidate => ({ name: "peer", threads: 1, peer: true, reference, prepare });
const other: Candidate = { ...peerOf(() => prepared(right)), name: "other" };
const milliseconds = (seconds: number) => 1000 * seconds;

test("a peer whose result is wrong is timed on, and its line says what is wrong", async () => {
  const wrong = peerOf(() => prepared(Float32Array.of(1, 2, 3.01, 4)));
  const measured = await measure("a case", [ours, wrong, other], options);
  assert.deepEqual(measured.against("peer", milliseconds), {
    ...{ ours: 0.01, peer: 0.01, peer_name: "peer", ratio: 1, paired: [1, 1, 1] },
    wrong: "entry 2 is 3.009999990463257, by definition 3: off by 2.5e-3 of the largest near by, allowed 1.0e-5",
  });
  assert.equal(measured.against("other", milliseconds).wrong, undefined);
  assert.equal(measured.seconds("peer").length, measured.common.rounds);
});

test("a peer that cannot be prepared, or shows no result, is missing, with the reason, and the others are measured", async () => {
  const unprepared = peerOf(() => {
    throw new Error("no such routine");
  });
  const failing = peerOf(() =>
    prepared(right, {
      result() {
        throw new Error("the result is gone");
      },
    })
  );
  for (const [peer, missing] of [[unprepared, "no such routine"], [failing, "the result is gone"]] as const) {
    const measured = await measure("a case", [ours, peer, other], options);
    assert.deepEqual(measured.against("peer", milliseconds), { ours: 0.01, peer: null, peer_name: "peer", ratio: null, missing });
    assert.equal(measured.against("other", milliseconds).ratio, 1);
  }
});

test("a peer that fails in the middle is missing, and the others take all their turns", async () => {
  for (const after of [1, 2, 4, 6, 9]) { // while it is warmed up, while its turns are sized, between rounds
    let turns = 0, disposed = 0;
    const failing = peerOf(() =>
      prepared(right, {
        time(calls) {
          if (++turns > after) throw new Error("out of memory");
          return 1e-5 * calls;
        },
        dispose() {
          disposed++;
          throw new Error("it is gone");
        },
      })
    );
    const measured = await measure("a case", [ours, failing, other], options);
    assert.equal(measured.against("peer", milliseconds).missing, "out of memory");
    assert.equal(measured.seconds("ours").length, measured.common.rounds);
    assert.equal(measured.seconds("other").length, measured.common.rounds);
    assert.equal(disposed, 1);
  }
});

test("a wrong result of this library ends the run with a message, and so does an error", async () => {
  const wrong: Candidate = { ...ours, prepare: () => prepared(Float32Array.of(1, 2, 3, 4.1)) };
  await assert.rejects(measure("a case", [wrong, other], options), (error) => {
    assert.ok(error instanceof WrongResultError);
    assert.match(error.message, /^a case: ours: entry 3 is 4\.0999.*, by definition 4: off by /);
    return true;
  });
  const failing: Candidate = {
    ...ours,
    prepare() {
      throw new RangeError("no such shape");
    },
  };
  await assert.rejects(measure("a case", [failing, other], options), /^RangeError: no such shape$/);
});

test("a case that other processes disturb is measured again, for longer, and is marked if that was no better", async () => {
  const watched = (shares: readonly number[]) => {
    let rounds = 0;
    return { watch: () => () => shares[Math.min(shares.length - 1, Math.floor(rounds++ / options.roundsMin))], count: () => rounds };
  };
  // Rounds of each measurement are those that are least, since a turn takes no time here.
  const short = { ...options, tiny: false, seconds: 1e-9 };
  const quiet = watched([0.1]), once = watched([0.5, 0.05]), always = watched([0.5, 0.4]), worse = watched([0.4, 0.9]);
  const common = async ({ watch }: typeof quiet) => (await measure("a case", [ours, other], short, watch)).common;
  assert.deepEqual(await common(quiet), { rounds: 4, others: 0.1 });
  assert.deepEqual(await common(once), { rounds: 4, others: 0.05 });
  assert.deepEqual(await common(always), { rounds: 4, others: 0.4, disturbed: true });
  assert.deepEqual(await common(worse), { rounds: 4, others: 0.4, disturbed: true });
  assert.deepEqual([quiet, once, always, worse].map(({ count }) => count()), [4, 8, 8, 8]);
});

test("a training program that fails in the middle is missing, and the demo trains on", async () => {
  let runs = 0, fails = 0;
  const failing = () => {
    fails++;
    if (fails === 2) throw new Error("it ended with status 1");
    return 50;
  };
  const { ours, missing } = await inTurn(4, () => 100 + runs++, failing);
  assert.deepEqual([ours, missing, fails], [[100, 101, 102, 103], "it ended with status 1", 2]);
  const { theirs, missing: none } = await inTurn(3, () => 100, () => 50);
  assert.deepEqual([theirs, none], [[50, 50, 50], undefined]);
  await assert.rejects(
    inTurn(2, () => {
      throw new Error("ours failed");
    }, () => 50),
    /^Error: ours failed$/,
  );
});

/** A server that answers as peers' servers do; what it is told decides how it fails. */
const server = `
  import { createInterface } from "node:readline";
  import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
  import process from "node:process";
  const problems = [];
  let turns = 0;
  console.log("fake 1.0");
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb, ...words] = line.split(" ");
    if (verb === "prepare") {
      if (words[0] === "refused") { console.log("error ValueError: refused"); continue; }
      problems.push({ how: words[0], input: readFileSync(words[1] + "/0") });
      console.log(problems.length);
      continue;
    }
    const { how, input } = problems[Number(words[0]) - 1];
    if (verb === "time" && how === "ends" && ++turns > 6) process.exit(7);
    if (verb === "time" && how === "hangs") continue;
    if (verb === "time" && how === "babbles") { console.log("what?"); continue; }
    if (verb === "result") writeFileSync(words[1], input);
    console.log(verb === "time" ? 1e-5 * Number(words[1]) : "ok");
  }`;

test("a peer whose process ends, refuses, hangs or babbles is missing for that case, and is there for the next one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tilework-bench-"));
  const file = join(folder, "server.ts");
  await writeFile(file, server);
  const program = [...starting, file];
  const servers = new Servers("fake", () => ({ program, env: {} }), 5);
  try {
    for (
      const [how, missing] of [
        ["right", undefined],
        ["refused", "fake: ValueError: refused"],
        ["right", undefined],
        ["ends", "fake: its process ended with status 7"],
        ["right", undefined],
        ["hangs", "fake: it gave no answer for 5 s"],
        ["babbles", "the server answered what? instead of seconds"],
      ] as const
    ) {
      const measured = await measure("a case", [ours, peerOf(() => servers.prepare(1, `prepare ${how}`, [right])), other], options);
      const compared = measured.against("peer", milliseconds);
      assert.deepEqual([compared.missing, compared.wrong], [missing, undefined], how);
      assert.equal(compared.peer === null, missing !== undefined);
      assert.equal(measured.against("other", milliseconds).ratio, 1);
    }
  } finally {
    servers.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test("a peer's program that does not start is tried once", async () => {
  let starts = 0;
  const servers = new Servers("fake", () => {
    starts++;
    return { program: [join(tmpdir(), "there-is-no-such-program")], env: {} };
  });
  for (let i = 0; i < 3; i++) {
    const measured = await measure("a case", [ours, peerOf(() => servers.prepare(1, "prepare right", [right]))], options);
    assert.match(measured.against("peer", milliseconds).missing!, /^fake: .*there-is-no-such-program/);
  }
  assert.equal(starts, 1);
});

test("the groups of training run to their end beside a PyTorch that does not start, and every line says so", async () => {
  // The runtime is no Python: it ends at once.
  const env = { TILEWORK_TORCH_PYTHON: process.execPath, TILEWORK_LIBRARY: libraryPath };
  const program = fileURLToPath(new URL("../bench/json.ts", import.meta.url));
  const ended = await run([...starting, program, "--tiny", "--threads", "1", "--filter", "attention,grouped,rows,optimizers,layers"], {
    env,
    secondsMax: 120,
  });
  assert.equal(ended.code, 0, ended.stderr);
  const lines = ended.stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual([...new Set(lines.map(({ group }) => group))], ["attention", "grouped", "rows", "optimizers", "layers"]);
  for (const line of lines) {
    assert.ok(line.ours > 0, JSON.stringify(line));
    if (process.platform === "linux") assert.ok(line.others >= 0, JSON.stringify(line));
    if (!line.peer_name.startsWith("pytorch")) continue;
    assert.deepEqual([line.peer, line.ratio], [null, null]);
    assert.match(line.missing, /^pytorch: its process ended with status [1-9]/);
  }
  assert.match(ended.stderr, /pytorch: its process ended with status/);
});

test("what rows are by definition: entries of every op that are changed are found", () => {
  const rows = 3, cols = 5;
  for (const [op, { inputs, first }] of Object.entries(rowOps) as [RowOpName, RowOp][]) {
    const matrices = Array.from({ length: inputs }, (_, i) => uniform(rows * cols, i + 1));
    if (first) { for (const [i, v] of matrices[0].entries()) matrices[0][i] = first(v + 0.5, cols); }
    const known = rowReference({ op, rows, cols, inputs: matrices });
    const found = Float64Array.from({ length: known.length }, (_, at) => known.wanted(at, NaN));
    assert.equal(fault(found, known), undefined, op);
    for (const at of found.keys()) {
      const wrong = found.slice();
      wrong[at] += 3e-5 * known.size(at);
      assert.match(fault(wrong, known)!, /^entry .* is /, `${op} ${at}`);
    }
  }
});

test("the error function of the references has the values of tables", () => {
  const table = [[0.1, 0.1124629160182849], [0.5, 0.5204998778130465], [1, 0.8427007929497149], [2, 0.9953222650189527], [
    4,
    0.9999999845827421,
  ]];
  for (const [x, y] of table) {
    assert.ok(Math.abs(erf(x) - y) < 1e-15, `erf(${x}) = ${erf(x)}`);
    assert.equal(erf(-x), -erf(x));
  }
  assert.deepEqual([erf(0), erf(7), erf(-30)], [0, 1, -1]);
});
