import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ForgeError } from '../../src/base/core/failure.ts';
import type { ObjectRange, ObjectStorage } from '../../src/storage/model.ts';
import { SignedAddresses } from '../../src/storage/signed-addresses.ts';

/** Addresses that no server answers. */
export const ADDRESSES = new SignedAddresses(randomBytes(32), { baseUrl: 'http://127.0.0.1' });

export function bodyOf(...parts: (string | Uint8Array)[]): Readable {
  return Readable.from(parts.map((part) => Buffer.from(part)));
}

export async function read(storage: ObjectStorage, key: string, range?: ObjectRange): Promise<string> {
  const { body } = await storage.get(key, range);
  return (await buffer(body)).toString();
}

export async function keysOf(storage: ObjectStorage, prefix: string, after?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix, after === undefined ? {} : { after })) keys.push(key);
  return keys;
}

export function failsAs(kind: string) {
  return (error: unknown) => error instanceof ForgeError && error.failure.kind === kind;
}
