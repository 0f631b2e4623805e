import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** Digits of the digest in the name of a file, which differs for each version. */
const NAME_DIGITS = 16;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the program that pages load. Its name changes with its content, so browsers keep it for good. */
export interface StaticFile {
  /** such as `quire-0123456789abcdef.css` */
  readonly name: string;
  /** without the path of the base URL */
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** the bytes in the coding `br`; made when a browser first asks for them */
  readonly compressed: () => Buffer;
}

/** @param file the address of a file of the program, with a type that browsers load */
export function staticFile(file: URL): StaticFile {
  const extension = extname(file.pathname);
  const stem = file.pathname.slice(file.pathname.lastIndexOf('/') + 1, -extension.length);
  const bytes = readFileSync(file);
  const name = `${stem}-${hash('sha256', bytes).slice(0, NAME_DIGITS)}${extension}`;
  let compressed: Buffer | undefined;
  return {
    name,
    path: `/assets/${name}`,
    type: TYPES[extension] ?? 'application/octet-stream',
    bytes,
    compressed() {
      compressed ??= brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
      return compressed;
    },
  };
}
