import { silu, siluBackward } from "../mod.ts";
import { testActivation } from "./activation_harness.ts";

testActivation({
  name: "silu",
  run: silu,
  backward: siluBackward,
  reference: (x) => x / (1 + Math.exp(-x)),
  deviation: 4,
  special: [[NaN, NaN, NaN], [Infinity, Infinity, 1], [-Infinity, 0, 0], [3e38, 3e38, 1], [-3e38, 0, 0], [0, 0, 0.5]],
});
