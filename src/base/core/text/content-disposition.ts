import { posix } from 'node:path';

/**
 * Returns a Content-Disposition header. As clients of this API expect, it has the name twice: in quotes, with `?` for
 * characters that are not ASCII, and in full as UTF-8.
 *
 * @param name a path; only the part after the last `/` counts
 * @see RFC 6266 and RFC 8187
 */
export function contentDisposition(type: 'attachment' | 'inline', name: string): string {
  const last = posix.basename(name).toWellFormed();
  const plain = last.replaceAll(/[^\x20-\x7e]/gu, '?').replaceAll(/["\\]/g, '\\$&');
  const whole = encodeURIComponent(last).replaceAll(/['()*]/g, hexOf);
  return `${type}; filename="${plain}"; filename*=UTF-8''${whole}`;
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
