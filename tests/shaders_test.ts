// What the compiled shaders may ask of a driver. docs/gpu.md lists what Vulkan leaves open, and what shaders/common/math.slang does about
// it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const generated = fileURLToPath(new URL("../shaders/generated/", import.meta.url));
const shaders = readdirSync(generated).filter((file) => file.endsWith(".spv"));

/** Functions of GLSL.std.450 whose result Vulkan fixes, or bounds closely enough: not exp, log, min, max or clamp of floats, and so on. */
const allowedFunctions = new Map([
  [4, "FAbs"],
  [31, "Sqrt"],
  [38, "UMin"],
  [39, "SMin"],
  [41, "UMax"],
  [42, "SMax"],
  [44, "UClamp"],
  [45, "SClamp"],
  [50, "Fma"],
]);

/** Instructions that a driver may carry out as it likes for some numbers, and what to call. */
const refused = new Map([
  [109, "OpConvertFToU: unsignedOf"],
  [140, "OpFRem"],
  [141, "OpFMod"],
  [156, "OpIsNan: isNaN"],
  [157, "OpIsInf: compare the bits"],
]);

/** The instructions of a SPIR-V module, as operation and operands. */
function* instructions(file: string): Generator<{ operation: number; operands: Uint32Array }> {
  const bytes = readFileSync(generated + file);
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  assert.equal(words[0], 0x07230203, `${file} is not SPIR-V`);
  for (let at = 5; at < words.length;) {
    const count = words[at]! >>> 16;
    yield { operation: words[at]! & 0xffff, operands: words.subarray(at + 1, at + count) };
    at += count;
  }
}

test("compiled shaders use nothing of floats that Vulkan leaves to the driver", () => {
  const extended = 12; // OpExtInst: the type, the result, the set, the function
  let functions = 0;
  for (const file of shaders) {
    for (const { operation, operands } of instructions(file)) {
      assert.ok(!refused.has(operation), `${file} uses ${refused.get(operation)}`);
      if (operation !== extended) continue;
      functions++;
      assert.ok(
        allowedFunctions.has(operands[3]!),
        `${file} calls function ${operands[3]} of GLSL.std.450; common/math.slang has those to use`,
      );
    }
  }
  assert.ok(functions > 0 && shaders.length > 90, `${functions} calls in ${shaders.length} shaders`);
});

test("compiled shaders keep every sum and product of floats as it is written", () => {
  // Rounding errors are caught by sums that are 0 in real numbers, and exp rounds by adding a large number: a driver that merges or reorders
  // operations loses both.
  const arithmetic = new Set([129, 131, 133, 136]), decorate = 71, noContraction = 42, typeFloat = 22;
  for (const file of shaders) {
    const exact = new Set<number>(), floats = new Set<number>(), all = [...instructions(file)];
    for (const { operation, operands } of all) {
      if (operation === decorate && operands[1] === noContraction) exact.add(operands[0]!);
      if (operation === typeFloat) floats.add(operands[0]!);
    }
    for (const { operation, operands } of all) {
      if (!arithmetic.has(operation) || !floats.has(operands[0]!)) continue;
      assert.ok(exact.has(operands[1]!), `${file}: result ${operands[1]} of operation ${operation} may be contracted`);
    }
  }
});
