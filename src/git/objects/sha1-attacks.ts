/**
 * Recognizes content that was made for a collision of SHA-1, as git does. All known attacks follow one of a few
 * disturbance vectors: two blocks whose words differ as a vector says, and whose states agree before one of its steps.
 * So each block is computed once more for each vector, with these differences, back and forth from that step. If this
 * ends where the block itself ends, the block is one half of a collision.
 *
 * @see Marc Stevens, "Counter-cryptanalysis" (2013), for the method; Stéphane Manuel, "Classification and generation of
 *   disturbance vectors for collision attacks against SHA-1" (2011), for the vectors
 */

const STEPS = 80;
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;
const INITIAL = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

/** Positions of the vectors that lead to a feasible attack, by their type and rotation. */
const FEASIBLE = [
  { type: 1, rotation: 0, positions: [43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
  { type: 1, rotation: 2, positions: [46, 47, 48, 49, 50, 51] },
  { type: 2, rotation: 0, positions: [45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
  { type: 2, rotation: 2, positions: [46, 49, 50, 51] },
] as const;
/** The steps before which the states of both blocks agree: for positions up to the last early one, and for later ones. */
const EARLY_STEP = 58;
const LATE_STEP = 65;
const LAST_EARLY_POSITION = 49;
/** A difference in a step is corrected in the next five, so a vector begins five steps before the first. */
const STEPS_BEFORE = 5;
/** The words of a block, from which the others follow. */
const WORDS = 16;

interface Vector {
  readonly step: typeof EARLY_STEP | typeof LATE_STEP;
  /** differences of the words of all steps */
  readonly differences: Int32Array;
}

let vectors: readonly Vector[] | undefined;

/** Whether a message, in parts, has a block that was made to collide. Takes some microseconds for each block. */
export function isMadeToCollide(parts: readonly Uint8Array[]): boolean {
  vectors ??= FEASIBLE.flatMap(({ type, rotation, positions }) =>
    positions.map((position) => newVector({ type, rotation, position })),
  );
  const message = padded(parts);
  const words = new Int32Array(STEPS);
  const chain = Int32Array.from(INITIAL);
  for (let at = 0; at < message.length; at += BLOCK_BYTES) {
    for (let word = 0; word < WORDS; word += 1) words[word] = message.readInt32BE(at + word * 4);
    expand(words, WORDS);
    const early = Int32Array.from(chain);
    stepForth(early, words, { from: 0, to: EARLY_STEP });
    const late = Int32Array.from(early);
    stepForth(late, words, { from: EARLY_STEP, to: LATE_STEP });
    const end = Int32Array.from(late);
    stepForth(end, words, { from: LATE_STEP, to: STEPS });
    add(chain, end);
    for (const vector of vectors) {
      if (isHalf({ words, state: vector.step === EARLY_STEP ? early : late, end: chain }, vector))
        return true;
    }
  }
  return false;
}

/** Appends a one, zeros, and the number of bits. */
function padded(parts: readonly Uint8Array[]): Buffer {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const length = Math.ceil((bytes + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;
  const message = Buffer.concat(parts, length);
  message[bytes] = 0x80;
  message.writeBigUInt64BE(BigInt(bytes) * 8n, length - LENGTH_BYTES);
  return message;
}

function newVector({
  type,
  rotation,
  position,
}: {
  type: 1 | 2;
  rotation: number;
  position: number;
}): Vector {
  const vector = new Int32Array(STEPS_BEFORE + STEPS);
  const start = STEPS_BEFORE + position;
  const last = start + WORDS - 1;
  vector[last] = rotated(type === 1 ? 1 << 31 : 1, rotation);
  if (type === 2) for (const at of [start + 1, start + 3]) vector[at] = rotated(1 << 31, rotation);
  expand(vector, start + WORDS);
  for (let at = start - 1; at >= 0; at -= 1) {
    const later = rotated(word(vector, at + 16), 31);
    vector[at] = later ^ word(vector, at + 13) ^ word(vector, at + 8) ^ word(vector, at + 2);
  }
  const differences = new Int32Array(STEPS);
  for (let step = 0; step < STEPS; step += 1) {
    const before = (steps: number, bits: number) => rotated(word(vector, STEPS_BEFORE + step - steps), bits);
    differences[step] =
      before(0, 0) ^ before(1, 5) ^ before(2, 0) ^ before(3, 30) ^ before(4, 30) ^ before(5, 30);
  }
  return { step: position <= LAST_EARLY_POSITION ? EARLY_STEP : LATE_STEP, differences };
}

/** Computes the words of a message or vector from the 16 before each. */
function expand(words: Int32Array, from: number): void {
  for (let at = from; at < words.length; at += 1) {
    words[at] = rotated(
      word(words, at - 3) ^ word(words, at - 8) ^ word(words, at - 14) ^ word(words, at - 16),
      1,
    );
  }
}

const OTHER = new Int32Array(STEPS);
const START = new Int32Array(INITIAL.length);
const END = new Int32Array(INITIAL.length);

/** Whether a block with the differences of the vector ends with the same state. */
function isHalf(
  block: { readonly words: Int32Array; readonly state: Int32Array; readonly end: Int32Array },
  { step, differences }: Vector,
): boolean {
  for (let at = 0; at < STEPS; at += 1) OTHER[at] = word(block.words, at) ^ word(differences, at);
  START.set(block.state);
  END.set(block.state);
  stepBack(START, OTHER, step);
  stepForth(END, OTHER, { from: step, to: STEPS });
  add(END, START);
  for (let at = 0; at < END.length; at += 1) if (END[at] !== block.end[at]) return false;
  return true;
}

/** Runs steps of SHA-1 on a state. @see FIPS 180-4, 6.1.2 */
function stepForth(state: Int32Array, words: Int32Array, { from, to }: { from: number; to: number }): void {
  let a = word(state, 0);
  let b = word(state, 1);
  let c = word(state, 2);
  let d = word(state, 3);
  let e = word(state, 4);
  for (let step = from; step < to; step += 1) {
    const sum = (((a << 5) | (a >>> 27)) + mixed(step, b, c, d)) | 0;
    const next = (sum + ((e + word(words, step)) | 0)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  set(state, a, b, c, d, e);
}

/** Undoes the first `count` steps. */
function stepBack(state: Int32Array, words: Int32Array, count: number): void {
  let a = word(state, 0);
  let b = word(state, 1);
  let c = word(state, 2);
  let d = word(state, 3);
  let e = word(state, 4);
  for (let step = count - 1; step >= 0; step -= 1) {
    const next = a;
    a = b;
    b = (c << 2) | (c >>> 30);
    c = d;
    d = e;
    const sum = (((a << 5) | (a >>> 27)) + mixed(step, b, c, d)) | 0;
    e = (next - ((sum + word(words, step)) | 0)) | 0;
  }
  set(state, a, b, c, d, e);
}

function mixed(step: number, b: number, c: number, d: number): number {
  if (step < 20) return (((b & c) | (~b & d)) + 0x5a827999) | 0;
  if (step < 40) return ((b ^ c ^ d) + 0x6ed9eba1) | 0;
  if (step < 60) return (((b & c) | (b & d) | (c & d)) - 0x70e44324) | 0;
  return ((b ^ c ^ d) - 0x359d3e2a) | 0;
}

function set(state: Int32Array, a: number, b: number, c: number, d: number, e: number): void {
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
  state[4] = e;
}

function add(state: Int32Array, other: Int32Array): void {
  for (let at = 0; at < state.length; at += 1) state[at] = word(state, at) + word(other, at);
}

function rotated(bits: number, count: number): number {
  return (bits << count) | (bits >>> (32 - count));
}

function word(words: Int32Array, at: number): number {
  return words[at] ?? 0;
}
