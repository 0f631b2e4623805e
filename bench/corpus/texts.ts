/** Generates numbers from 0 to below 1, the same in every run. */
export function* numbersFrom(seed: number): Generator<number, never> {
  let state = seed >>> 0;
  for (;;) {
    // The constants are from Numerical Recipes. The low bits are poor, so this uses the high ones.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

const WORDS =
  'engine loom pattern card wheel store mill number carry column motion drum lever punch thread weave reckon'.split(
    ' ',
  );

/** Generates meaningless prose of exactly `bytes` bytes, in lines of about 60 characters. */
export function textOfBytes(bytes: number, seed: number): string {
  const numbers = numbersFrom(seed);
  let text = '';
  let lineStart = 0;
  while (text.length < bytes) {
    text += WORDS[Math.floor(numbers.next().value * WORDS.length)] ?? '';
    const isFull = text.length - lineStart > 60;
    text += isFull ? '\n' : ' ';
    if (isFull) lineStart = text.length;
  }
  return `${text.slice(0, bytes - 1)}\n`;
}

/** Generates bytes that do not compress. */
export function noiseOfBytes(bytes: number, seed: number): Buffer {
  const numbers = numbersFrom(seed);
  const noise = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += 1) noise[at] = Math.floor(numbers.next().value * 256);
  return noise;
}
