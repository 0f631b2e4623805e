import { globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';
import type { TestObject } from './objects.ts';

export const TUS = { 'tus-resumable': '1.0.0' };

/** Headers of a request that continues an upload. */
export function headersAt(offset: number | string) {
  return {
    ...TUS,
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
  };
}

/** Path of an upload that can continue. */
export function uploadPath(repository: string, { oid, size }: TestObject): string {
  return `/${repository}.git/info/lfs/uploads/${oid}/${size}`;
}

export function patch(
  person: Person,
  path: string,
  { offset, body }: { offset: number | string; body: string | Uint8Array<ArrayBuffer> },
  headers: Record<string, string> = {},
): Promise<Answer> {
  return person.send('PATCH', path, { body, headers: { ...headersAt(offset), ...headers } });
}

/** Returns how many bytes have arrived, or the status of the error. */
export async function offsetOf(person: Person, path: string): Promise<number | string> {
  const { status, headers } = await person.send('HEAD', path, { headers: TUS });
  return status === 200 ? Number(headers.get('upload-offset')) : `status ${status}`;
}

/** Returns the bytes of the parts on the disk, by the name of the upload. A job may delete parts meanwhile. */
export function storedParts(forge: TestForge): ReadonlyMap<string, number> {
  const cwd = join(forge.forge.dataFolder, 'objects/lfs-parts');
  const sizes = new Map<string, number>();
  for (const part of globSync('*/*', { cwd })) {
    const bytes = statSync(join(cwd, part), { throwIfNoEntry: false })?.size ?? 0;
    const name = dirname(part);
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  }
  return sizes;
}
