import { tanh, tanhBackward } from "../mod.ts";
import { testActivation } from "./activation_harness.ts";

testActivation({
  name: "tanh",
  run: tanh,
  backward: tanhBackward,
  reference: Math.tanh,
  deviation: 4,
  special: [[NaN, NaN, NaN], [Infinity, 1, 0], [-Infinity, -1, 0], [3e38, 1, 0], [-3e38, -1, 0], [-0, -0, 1]],
  // 1 − y² would be 0 here.
  small: [20, 4 * Math.exp(-40)],
});
