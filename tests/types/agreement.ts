/**
 * Random shapes for one comparison: what the compiler says of a call is what the run-time check says. `scripts/type_tests.ts` compiles the calls.
 */
import {
  broadcastShapes,
  checkAxes,
  checkReshape,
  formatShape,
  linearShape,
  matmulShape,
  normalizeAxis,
  pairShape,
  type Shape,
} from "../../core/shape.ts";

/** One call as it is written, and the shape or the sentence that the run-time check answers. */
export interface AgreementCase {
  code: string;
  shape?: Shape;
  sentence?: string;
}

/** The same cases for the same seed. */
export function agreementCases(seed: number, count: number): AgreementCase[] {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // the constants of Numerical Recipes; the high bits are the good ones
    return Math.floor(state / 2 ** 32 * limit);
  };
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T; // lists here are not empty
  const shape = (rank: number, sizes: readonly number[]): number[] => Array.from({ length: rank }, () => pick(sizes));
  const few = [1, 2, 3], many = [0, 1, 2, 5, 7, 10, 12, 64, 99, 100, 768, 999, 1024, 65537];

  const kinds: (() => AgreementCase)[] = [
    () => {
      const a = shape(below(5), few), b = shape(below(5), few), transposeA = below(2) === 1, transposeB = below(2) === 1;
      return answer(
        `matmul(${zeros(a)}, ${zeros(b)}, ${JSON.stringify({ transposeA, transposeB })})`,
        () => matmulShape(a, b, transposeA, transposeB),
      );
    },
    () => {
      const a = shape(1 + below(3), few), b = shape(1 + below(3), few), transposeA = below(2) === 1, transposeB = below(2) === 1;
      return answer(
        `matmulList([${zeros(a)}], ${zeros(b)}, ${JSON.stringify({ transposeA, transposeB })})[0]!`,
        () => pairShape(a, b, transposeA, transposeB),
      );
    },
    () => {
      const a = shape(below(5), few), b = shape(below(5), few);
      return answer(`add(${zeros(a)}, ${zeros(b)})`, () => broadcastShapes("add", a, b));
    },
    () => {
      const x = shape(below(4), few), weight = shape(2, few);
      return answer(`linear(${zeros(x)}, { weight: ${zeros(weight)} })`, () => linearShape("linear", x, weight));
    },
    () => {
      const from = shape(below(5), many);
      const merged = from.length > 1 ? [from[0]! * from[1]!, ...from.slice(2)].reverse() : [1, ...from];
      const to = below(3) > 0 ? merged : merged.map((size, i) => i === 0 ? size + 1 : size);
      return answer(`reshape(${zeros(from)}, ${formatShape(to)})`, () => (checkReshape(from, to), to));
    },
    () => {
      const x = shape(below(4), few), axis = below(9) - 4;
      const reduced = () => {
        const at = normalizeAxis("sum", axis, x.length);
        return x.filter((_, i) => i !== at);
      };
      return answer(`sum(${zeros(x)}, { axis: ${axis} })`, reduced);
    },
    () => {
      const x = shape(2 + below(3), [2, 3, 5]), axes = x.map((_, i) => i).sort(() => below(2) - 0.5);
      const fault = below(8);
      if (fault === 0) axes[below(axes.length)] = pick([-7, 7]);
      if (fault === 1) axes.pop();
      return answer(`transpose(${zeros(x)}, ${formatShape(axes)})`, () => checkAxes("transpose", x, axes).map((axis) => x[axis]!));
    },
  ];
  return Array.from({ length: count }, (_, i) => kinds[i % kinds.length]!());
}

function zeros(shape: Shape): string {
  return `zeros(cpu, ${formatShape(shape)})`;
}

function answer(code: string, check: () => Shape): AgreementCase {
  try {
    return { code, shape: check() };
  } catch (error) {
    return { code, sentence: (error as Error).message };
  }
}
