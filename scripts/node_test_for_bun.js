// node:test for versions of Bun that lack it, as far as the tests that scripts/oldest.ts runs in them need it: `bun test --preload` takes this file.
// One file of tests a run: the tests of a second one would be lost.
import { plugin } from "bun";

plugin({
  name: "node:test",
  setup(build) {
    build.module("node:test", () => {
      const { test: bunTest } = require("bun:test"); // an import of it here crashes Bun 1.2.0
      const test = (name, ...rest) => {
        const body = rest.at(-1), { skip = false, timeout } = rest.length > 1 ? rest[0] : {};
        return skip ? bunTest.skip(name, body) : bunTest(name, () => body(), timeout);
      };
      return { loader: "object", exports: { test, default: test } };
    });
  },
});
