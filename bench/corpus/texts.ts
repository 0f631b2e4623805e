/** Numbers from 0 to below 1, the same ones in every run. */
export function* numbersFrom(seed: number): Generator<number, never> {
  let state = seed >>> 0;
  for (;;) {
    // The constants are those of Numerical Recipes; the low bits are poor, so the high ones are used.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

const WORDS =
  'engine loom pattern card wheel store mill number carry column motion drum lever punch thread weave reckon'.split(
    ' ',
  );

/** Prose without sense in lines of some 60 characters, of exactly this many bytes. */
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

/** Bytes that do not compress. */
export function noiseOfBytes(bytes: number, seed: number): Buffer {
  const numbers = numbersFrom(seed);
  const noise = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += 1) noise[at] = Math.floor(numbers.next().value * 256);
  return noise;
}
