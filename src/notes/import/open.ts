import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { invalid, notFound } from '../../core/failure.ts';
import { openFolder } from './folder-source.ts';
import type { ImportSource } from './model.ts';
import { openZip } from './zip-source.ts';

/**
 * Opens a folder or a zip archive.
 *
 * @throws ForgeError `not_found`, `invalid`
 */
export async function openSource(path: string): Promise<ImportSource> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw notFound(`${path} does not exist`);
    throw error;
  });
  if (found.isDirectory()) return openFolder(path);
  if (!found.isFile()) throw invalid(`${path} is neither a folder nor a zip archive`);
  return openZip(path, basename(resolve(path)).replace(/\.zip$/i, ''));
}
