import { open, realpath, stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { invalid, notFound } from '../../../base/core/failure.ts';
import { isNoteName } from '../names.ts';
import { openFile, openFolder } from './folder-source.ts';
import type { ImportSource } from './model.ts';
import { openZip } from './zip-source.ts';

/** Files in which apps export many notes, besides notes themselves. */
const EXPORTS: ReadonlySet<string> = new Set(['.enex', '.json']);
/** Bytes at the start of an archive, and of an empty archive. */
const ZIP_STARTS = ['PK\u0003\u0004', 'PK\u0005\u0006'];

/**
 * Opens a folder, a zip archive, a note or a file with the notes of an app.
 *
 * @throws ForgeError `not_found`, `invalid`
 */
export async function openSource(path: string): Promise<ImportSource> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw notFound('file', { say: `${path} does not exist` });
    throw error;
  });
  if (found.isDirectory()) return openFolder(path);
  if (!found.isFile()) throw invalid(`${path} is neither a folder nor a file`);
  const name = basename(resolve(path));
  const extension = extname(name).toLowerCase();
  if (extension === '.jex')
    throw invalid(`${path} is Joplin's own format: export as "MD - Markdown + Front Matter" instead`);
  if (extension !== '.zip' && !(await isZip(path)) && (EXPORTS.has(extension) || isNoteName(name, [])))
    return openFile(await realpath(path), name);
  return openZip(path, name.replace(/\.zip$/i, ''));
}

async function isZip(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer } = await file.read({ buffer: Buffer.alloc(4) });
  return ZIP_STARTS.includes(buffer.toString('latin1'));
}
