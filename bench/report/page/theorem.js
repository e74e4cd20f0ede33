// SPDX-License-Identifier: Apache-2.0
// How the time of each program grows with its n, by the theorem about it; on a fixed number of
// processors the constants do not matter.

const logarithmic = {text: "n log n", work: (n) => n * Math.log2(n)};
const power = (exponent, text) => ({text, work: (n) => n ** exponent});

const theorems = {
  sort: logarithmic,
  fft: logarithmic,
  matmul: power(3, "n³"),
  "min-plus": power(3, "n³"),
  "max-min": power(3, "n³"),
  // A sweep's number of steps is the same for all n.
  stencil1: power(1, "n"),
  stencil2: power(2, "n²"),
  stencil3: power(3, "n³"),
};

/** {text, work(n)} of a program, or nothing. */
export function theoremOf(program) {
  return theorems[program] ?? null;
}

/** The exponent e of the power n^e that fits the values best, by least squares of logarithms. */
export function fittedExponent(sizes, values) {
  const x = sizes.map(Math.log);
  const y = values.map(Math.log);
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const [middleX, middleY] = [mean(x), mean(y)];
  const above = x.reduce((sum, one, i) => sum + (one - middleX) * (y[i] - middleY), 0);
  const below = x.reduce((sum, one) => sum + (one - middleX) ** 2, 0);
  return above / below;
}
