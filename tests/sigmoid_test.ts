import { sigmoid, sigmoidBackward } from "../mod.ts";
import { testActivation } from "./activation_harness.ts";

testActivation({
  name: "sigmoid",
  run: sigmoid,
  backward: sigmoidBackward,
  reference: (x) => 1 / (1 + Math.exp(-x)),
  deviation: 4,
  special: [[NaN, NaN, NaN], [Infinity, 1, 0], [-Infinity, 0, 0], [3e38, 1, 0], [-3e38, 0, 0], [-0, 0.5, 0.25]],
  // 1 − y would be 0 here.
  small: [20, Math.exp(-20) / (1 + Math.exp(-20)) ** 2],
});
