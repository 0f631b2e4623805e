import { join } from 'node:path';
import { ForgeError, invalid } from '../../base/core/failure.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { BRANCHES, refChangeProblem } from '../format/ref-names.ts';
import { GIT_LIMITS } from '../limits.ts';
import { isPlainFolder, namesIn, readPlainFile } from './plain-files.ts';

/** Namespaces of the refs that are read. */
const NAMESPACES = [BRANCHES, 'refs/tags/', 'refs/notes/'];
/** Spaces on other lines do not count: a search from each of many empty lines would read all of them. */
const OBJECT_FORMAT_SHA256 = /^[ \t]*objectformat[ \t]*=[ \t]*"?sha256"?[ \t]*\r?$/im;
const OID = { sha1: /^[0-9a-f]{40}$/, sha256: /^[0-9a-f]{64}$/ } as const;

/** Returns the format of the objects, as the configuration states it. Nothing else of the configuration is read. */
export async function readObjectFormat(folder: string): Promise<ObjectFormat> {
  const config = await readPlainFile(join(folder, 'config'), GIT_LIMITS.unadoptedConfigBytesMax);
  if (config === 'too large')
    throw new ForgeError({ kind: 'too_large', what: 'the configuration of the repository is too large' });
  return OBJECT_FORMAT_SHA256.test(config?.toString() ?? '') ? 'sha256' : 'sha1';
}

/**
 * Returns the full name of the branch that HEAD points to; null if it points to no branch.
 *
 * @throws ForgeError `invalid` if the folder is not a bare repository
 */
export async function readHead(folder: string): Promise<string | null> {
  const text = await readText(join(folder, 'HEAD'), GIT_LIMITS.unadoptedRefBytesMax);
  const isBare =
    text !== undefined &&
    /^(?:ref: refs\/\S+|[0-9a-f]{40,64})\n?$/.test(text) &&
    (await isPlainFolder(join(folder, 'objects'))) &&
    (await isPlainFolder(join(folder, 'refs')));
  if (!isBare)
    throw invalid('the folder is not a bare repository: it needs the file HEAD, and objects and refs');
  return /^ref: (refs\/heads\/[^\n\0]+)\n?$/.exec(text)?.[1] ?? null;
}

/**
 * Reads the refs of a bare repository.
 *
 * @returns the refs; `hasOthers`: there are symbolic refs, or refs that a client could not push here
 * @see gitrepository-layout(5)
 * @throws ForgeError `too_large`; `invalid` for refs that are broken, or in a form that this server does not read
 */
export async function readRefs(
  folder: string,
  format: ObjectFormat,
): Promise<{ readonly refs: ReadonlyMap<string, Oid>; readonly hasOthers: boolean }> {
  if ((await namesIn(join(folder, 'reftable'))).files.length > 0)
    throw invalid('the refs of this repository are a reftable: convert them to files first');
  const refs = new Map<string, Oid>();
  let hasOthers = false;
  const add = (ref: string, value: string) => {
    const isSymbolic = value.startsWith('ref: ');
    if (!isSymbolic && !OID[format].test(value)) throw invalid(`the repository has a broken ref: ${ref}`);
    const isRead =
      !isSymbolic &&
      NAMESPACES.some((prefix) => ref.startsWith(prefix)) &&
      refChangeProblem({ ref, old: null, new: value as Oid }) === undefined;
    if (!isRead) hasOthers = true;
    else refs.set(ref, value as Oid);
    if (refs.size > GIT_LIMITS.unadoptedRefsMax) throw tooMuch('refs');
  };
  const packed = await readText(join(folder, 'packed-refs'), GIT_LIMITS.unadoptedPackedRefsBytesMax);
  for (const line of (packed ?? '').split('\n')) {
    // Comments, and the objects that the annotated tag of the line before leads to.
    if (/^(?:$|#|\^)/.test(line)) continue;
    const [, value, ref] = /^([0-9a-f]+) (refs\/\S+)$/.exec(line) ?? [];
    if (value === undefined || ref === undefined) throw invalid('the file packed-refs is broken');
    add(ref, value);
  }
  await addLoose(folder, add);
  return { refs, hasOthers };
}

/** Adds the refs that are files. They replace packed ones. */
async function addLoose(folder: string, add: (ref: string, value: string) => void): Promise<void> {
  const waiting = ['refs'];
  let files = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const names = await namesIn(join(folder, at));
    waiting.push(...names.folders.map((name) => `${at}/${name}`));
    files += names.files.length + names.folders.length;
    if (files > GIT_LIMITS.unadoptedRefsMax) throw tooMuch('refs');
    for (const name of names.files) {
      // A git process has made it, and ended before it renamed it.
      if (name.endsWith('.lock')) continue;
      const text = await readText(join(folder, at, name), GIT_LIMITS.unadoptedRefBytesMax);
      if (text !== undefined) add(`${at}/${name}`, text.trimEnd());
    }
  }
}

async function readText(path: string, bytesMax: number): Promise<string | undefined> {
  const content = await readPlainFile(path, bytesMax);
  if (content === 'too large') throw tooMuch('refs');
  return content?.toString();
}

export function tooMuch(what: string): ForgeError {
  return new ForgeError({ kind: 'too_large', what: `the repository has too many ${what}: pack them first` });
}
