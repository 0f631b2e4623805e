import { contentDisposition } from '../base/core/text/content-disposition.ts';
import type { SignedRequest } from './model.ts';

/** Types whose content no browser runs, wherever it comes from. Users wrote the objects, so others are only bytes. */
const INERT_TYPES: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/octet-stream',
  'application/zip',
  ...['aac', 'flac', 'mpeg', 'ogg', 'wav', 'webm'].map((name) => `audio/${name}`),
  ...['avif', 'bmp', 'gif', 'jpeg', 'png', 'webp'].map((name) => `image/${name}`),
  'text/plain; charset=utf-8',
  ...['mp4', 'mpeg', 'ogg', 'webm'].map((name) => `video/${name}`),
]);
const BYTES = 'application/octet-stream';

/**
 * Headers of an object at a signed address. A browser stores the content and never shows it as a page: a foreign object
 * store sends no other headers that would forbid to run it.
 */
export function downloadHeaders({ fileName, contentType = BYTES }: SignedRequest): {
  readonly disposition: string;
  readonly type: string;
} {
  return {
    disposition: contentDisposition('attachment', fileName),
    type: INERT_TYPES.has(contentType) ? contentType : BYTES,
  };
}
