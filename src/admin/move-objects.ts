import { createHash } from 'node:crypto';
import { undefinedIf } from '../base/core/failure.ts';
import { eachAtOnce } from '../base/core/fairness/each-at-once.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import type { ObjectStorage, StoredObject } from '../storage/model.ts';
import { counted } from './counted.ts';
import { ADMIN_LIMITS } from './limits.ts';

interface Move {
  readonly from: ObjectStorage;
  readonly to: ObjectStorage;
  readonly print: (line: string) => void;
  /** whether to compare every object by its content, also those that look complete */
  readonly verifiesAll: boolean;
  /** whether to delete objects that only the target has */
  readonly deletesExtra: boolean;
}

interface Progress {
  objects: number;
  bytes: number;
  copied: number;
  extra: number;
}

/**
 * Copies all objects and compares each copy with its original, by size and SHA-256. It can be
 * repeated at any time, also after it was killed: it copies what is missing or differs.
 *
 * @returns the number of objects in the target
 * @throws Error if a copy differs from its original
 */
export async function moveObjects(move: Move): Promise<{ objects: number }> {
  const { from, to, print } = move;
  const total = await sumOf(from);
  print(`${counted(total.objects, 'object')}, ${mib(total.bytes)}`);
  const progress: Progress = { objects: 0, bytes: 0, copied: 0, extra: 0 };
  const report = reporter(progress, total, print);
  const pairs = pairsOf(from.list(''), to.list(''));
  await eachAtOnce(pairs, ADMIN_LIMITS.objectsMovedAtOnce, async ([original, copy]) => {
    await handle(move, original, copy, progress);
    report();
  });
  print(`copied ${counted(progress.copied, 'object')}; the others were there already`);
  if (progress.extra > 0) print(extraLine(progress.extra, move.deletesExtra));
  return { objects: progress.objects };
}

async function handle(
  move: Move,
  original: StoredObject | undefined,
  copy: StoredObject | undefined,
  progress: Progress,
): Promise<void> {
  if (original === undefined) {
    progress.extra += 1;
    if (copy !== undefined && move.deletesExtra) await move.to.delete(copy.key);
    return;
  }
  if (!(await isDone(move, original, copy)) && (await copyVerified(move, original.key))) progress.copied += 1;
  progress.objects += 1;
  progress.bytes += original.sizeBytes;
}

/** Whether the target has the object. A copy is written after its original, so an older one may be another version. */
async function isDone(
  { from, to, verifiesAll }: Move,
  original: StoredObject,
  copy: StoredObject | undefined,
): Promise<boolean> {
  if (copy === undefined || copy.sizeBytes !== original.sizeBytes) return false;
  const isNewer = copy.modifiedAt - original.modifiedAt > STORAGE_LIMITS.s3ClockSkewMs;
  if (isNewer && !verifiesAll) return true;
  const [expected, found] = await Promise.all([hashOf(from, original.key), hashOf(to, copy.key)]);
  return expected === found;
}

/** Copies one object. @returns false if the original has been deleted meanwhile */
async function copyVerified({ from, to }: Move, key: string): Promise<boolean> {
  const original = await from.get(key).catch(undefinedIf('not_found'));
  if (original === undefined) return false;
  const hash = createHash('sha256');
  async function* hashed(body: AsyncIterable<Buffer>) {
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await to.put(key, hashed(original.body), { sizeBytes: original.sizeBytes });
  const expected = hash.digest('hex');
  const found = await hashOf(to, key);
  if (found === expected) return true;
  await to.delete(key);
  throw new Error(`the copy of ${key} differs from its original: SHA-256 ${found} instead of ${expected}`);
}

async function hashOf(objects: ObjectStorage, key: string): Promise<string | undefined> {
  const reading = await objects.get(key).catch(undefinedIf('not_found'));
  if (reading === undefined) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of reading.body) hash.update(chunk);
  return hash.digest('hex');
}

type Pair = readonly [original: StoredObject | undefined, copy: StoredObject | undefined];

/** Pairs the objects of two lists, both in the order of their keys. */
async function* pairsOf(
  originals: AsyncIterable<StoredObject>,
  copies: AsyncIterable<StoredObject>,
): AsyncGenerator<Pair, void> {
  const [left, right] = [originals[Symbol.asyncIterator](), copies[Symbol.asyncIterator]()];
  const next = async (iterator: AsyncIterator<StoredObject>) => {
    const { value, done } = await iterator.next();
    return done === true ? undefined : (value as StoredObject);
  };
  let [original, copy] = await Promise.all([next(left), next(right)]);
  while (original !== undefined || copy !== undefined) {
    // Keys are ASCII, so this is the order of their bytes.
    const isFirst = copy === undefined || (original !== undefined && original.key <= copy.key);
    const isSecond = original === undefined || (copy !== undefined && copy.key <= original.key);
    yield [isFirst ? original : undefined, isSecond ? copy : undefined];
    if (isFirst) original = await next(left);
    if (isSecond) copy = await next(right);
  }
}

async function sumOf(objects: ObjectStorage): Promise<{ objects: number; bytes: number }> {
  const sum = { objects: 0, bytes: 0 };
  for await (const { sizeBytes } of objects.list('')) {
    sum.objects += 1;
    sum.bytes += sizeBytes;
  }
  return sum;
}

/** Returns a function that reports progress now and then. */
function reporter(
  progress: Progress,
  total: { objects: number; bytes: number },
  print: (line: string) => void,
): () => void {
  let lastAt = performance.now();
  return () => {
    if (performance.now() - lastAt < ADMIN_LIMITS.moveReportMs) return;
    lastAt = performance.now();
    print(
      `${progress.objects} of ${counted(total.objects, 'object')}, ${mib(progress.bytes)} of ${mib(total.bytes)}`,
    );
  };
}

function extraLine(extra: number, isDeleted: boolean): string {
  const found = `only in the target: ${counted(extra, 'object')}`;
  return isDeleted ? `${found}, now deleted` : `${found} (--delete-extra deletes them)`;
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
