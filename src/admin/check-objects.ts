import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { ForgeError } from '../base/core/failure.ts';
import type { ObjectStorage } from '../storage/model.ts';

const CONTENT = 'Quire checks that the object store works.\n';

/** Stores an object, reads it in the ways that the server needs, and deletes it. @returns what does not work */
export async function objectStoreProblems(objects: ObjectStorage): Promise<readonly string[]> {
  const key = `check/${randomUUID()}`;
  try {
    return await problemsWith(objects, key);
  } catch (error) {
    return [`object store: ${whyOf(error)}`];
  } finally {
    await objects.delete(key).catch(() => {});
  }
}

async function problemsWith(objects: ObjectStorage, key: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const expect = (isRight: boolean, problem: string) => {
    if (!isRight) problems.push(`object store: ${problem}`);
  };
  await objects.put(key, bodyOf(CONTENT), { ifAbsent: true });
  const again = await objects.put(key, bodyOf(CONTENT.toUpperCase()), { ifAbsent: true });
  expect(again === 'already there', 'a second write replaces an object that it should keep (If-None-Match)');
  const whole = await text((await objects.get(key)).body);
  expect(whole === CONTENT || again !== 'already there', 'an object is not read as it was written');
  const part = await text((await objects.get(key, { start: 6, end: 11 })).body);
  expect(part.length === 6, 'a range is not read as it was requested');
  expect(await isListed(objects, key), 'a new object is missing in the list');
  await objects.delete(key);
  expect((await objects.head(key)) === undefined, 'an object remains after it was deleted');
  // Also shows whether the server may list its unfinished uploads.
  await objects.removeAbandoned(Number.POSITIVE_INFINITY);
  return problems;
}

async function* bodyOf(content: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(content);
}

async function isListed(objects: ObjectStorage, key: string): Promise<boolean> {
  for await (const listed of objects.list(key)) if (listed.key === key) return true;
  return false;
}

/** Describes a failure of the store for an operator, who may see more than callers. */
export function whyOf(error: unknown): string {
  const { cause } = error as Error;
  const shown = error instanceof ForgeError && cause instanceof Error ? cause : error;
  return shown instanceof Error ? shown.message : String(shown);
}
