import { setImmediate } from 'node:timers/promises';
import { invalid } from '../../base/core/failure.ts';
import { type Glob, parseGlob, StepBudget } from '../../base/core/text/globs.ts';
import type { Oid, TreeEntry } from '../../git/format/model.ts';
import { isQuoted } from '../../git/format/name-bytes.ts';
import { newObject } from '../../git/format/new-object.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import type { CommitEdit } from '../../git/trees/commit-builder.ts';
import { findEntry } from '../../git/trees/find-entry.ts';
import { expand, forPaths, type Variables } from './expand.ts';
import { TEMPLATE_LIMITS } from './limits.ts';

/** Files of a template that list the files with variables, one pattern per line. A new repository does not get them. */
const LISTS = ['.forgejo/template', '.gitea/template'];

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface File {
  readonly path: string;
  readonly entry: TreeEntry;
}

/**
 * Returns the edits that turn the tree `root` of a template, which the session has, into the tree of a new repository:
 * they fill in the text and the paths of the listed files. Links stay as they are, and so do the files they lead to.
 *
 * @throws ForgeError `invalid` for a template beyond the limits, or with impossible paths once they are filled in
 */
export async function editsToFillIn(
  session: WriteSession,
  root: Oid,
  variables: Variables,
): Promise<readonly CommitEdit[]> {
  const lists = await readLists(session.objects, root);
  if (lists.size === 0) return [];
  const globs = [...lists.values()].flatMap(globsIn);
  const files = globs.length === 0 ? [] : await listFiles(session.objects, root);
  const listed = await matching(
    files.filter(({ entry }) => isFile(entry)),
    globs,
  );
  const filled = await fillIn(
    session,
    listed.filter(({ path }) => !lists.has(path)),
    variables,
  );
  requireDistinctPaths(files, filled);
  const moved = filled.filter(({ from, path }) => from !== path);
  return [
    ...[...lists.keys()].map(removal),
    ...moved.map(({ from }) => removal(from)),
    ...filled.map(({ path, oid, mode }): CommitEdit => ({ kind: 'put', path, oid, mode })),
  ];
}

function removal(path: string): CommitEdit {
  return { kind: 'remove', path };
}

/** Returns the existing lists: path -> text. */
async function readLists(objects: ObjectReader, root: Oid): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const path of LISTS) {
    const entry = await findEntry(objects, root, path);
    if (entry === undefined || !isFile(entry)) continue;
    const text = await readText(objects, entry.oid, TEMPLATE_LIMITS.templateListBytesMax);
    if (text === undefined) throw invalid(`${path} of the template is too large, or is not UTF-8`);
    found.set(path, text);
  }
  return found;
}

function globsIn(list: string): readonly Glob[] {
  const lines = list.split('\n').map((line) => line.trim());
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (patterns.length > TEMPLATE_LIMITS.templatePatternsMax)
    throw invalid('the template has too many patterns');
  return patterns.flatMap((pattern) => {
    const options = { alternativesMax: TEMPLATE_LIMITS.templateAlternativesMax };
    const isLong = pattern.length > TEMPLATE_LIMITS.templatePatternCharsMax;
    const globs = isLong ? undefined : parseGlob(pattern, options);
    if (globs === undefined) throw invalid(`invalid pattern in the template file: ${pattern.slice(0, 100)}`);
    return globs;
  });
}

/** Matching gives way to other work after this, ms. */
const MATCHED_AT_ONCE_MS = 10;

async function matching(files: readonly File[], globs: readonly Glob[]): Promise<readonly File[]> {
  const budget = new StepBudget(TEMPLATE_LIMITS.templateMatchStepsMax);
  const found: File[] = [];
  let since = performance.now();
  for (const file of files) {
    for (const glob of globs) {
      if (performance.now() - since > MATCHED_AT_ONCE_MS) {
        await setImmediate();
        since = performance.now();
      }
      if (!glob.matches(file.path, budget)) continue;
      found.push(file);
      break;
    }
  }
  return found;
}

function isFile({ mode }: TreeEntry): boolean {
  return mode === '100644' || mode === '100755';
}

/** Lists every entry that is not a folder, except for names that are not UTF-8 and the entries below them. */
async function listFiles(objects: ObjectReader, root: Oid): Promise<readonly File[]> {
  const files: File[] = [];
  const folders: { path: string; oid: Oid }[] = [{ path: '', oid: root }];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await objects.readTree(folder.oid)) {
      entries += 1;
      if (entries > TEMPLATE_LIMITS.templateEntriesMax)
        throw invalid('the template has too many files to fill in');
      if (isQuoted(entry.name)) continue;
      const path = `${folder.path}${entry.name}`;
      if (entry.mode === '040000') folders.push({ path: `${path}/`, oid: entry.oid });
      else files.push({ path, entry });
    }
  }
  return files;
}

interface Filled {
  readonly from: string;
  readonly path: string;
  readonly oid: Oid;
  readonly mode: '100644' | '100755';
}

/** Returns the files that differ once they are filled in. */
async function fillIn(
  session: WriteSession,
  files: readonly File[],
  variables: Variables,
): Promise<readonly Filled[]> {
  const inPaths = forPaths(variables);
  const filled: Filled[] = [];
  let bytes = 0;
  for (const { path: from, entry } of files) {
    const path = expand(from, inPaths, GIT_LIMITS.treePathBytesMax);
    const text = await readText(session.objects, entry.oid, TEMPLATE_LIMITS.templateFileBytesMax);
    const put =
      text === undefined ? undefined : expand(text, variables, TEMPLATE_LIMITS.templateFileBytesMax);
    if (path === from && put === text) continue;
    const mode = entry.mode === '100755' ? '100755' : '100644';
    if (put === undefined || put === text) {
      filled.push({ from, path, mode, oid: entry.oid });
      continue;
    }
    const blob = newObject(session.base.objectFormat, 'blob', Buffer.from(put));
    bytes += blob.content.length;
    if (bytes > TEMPLATE_LIMITS.templateBytesMax) throw invalid('the template has too much to fill in');
    await session.writeObjects([blob]);
    filled.push({ from, path, mode, oid: blob.oid });
  }
  return filled;
}

/** @throws ForgeError `invalid` if two files would have one path */
function requireDistinctPaths(files: readonly File[], filled: readonly Filled[]): void {
  const left = new Set(filled.map(({ from }) => from));
  const taken = new Set(files.map(({ path }) => path).filter((path) => !left.has(path)));
  for (const { path } of filled) {
    if (taken.has(path)) throw invalid(`two files of the template become one: ${path.slice(0, 200)}`);
    taken.add(path);
  }
}

/** undefined for a larger file, or one that is not UTF-8 */
async function readText(objects: ObjectReader, oid: Oid, bytesMax: number): Promise<string | undefined> {
  const info = await objects.info(oid);
  if (info === undefined || info.sizeBytes > bytesMax) return undefined;
  try {
    return strictUtf8.decode(await objects.readBlob(oid, { blobBytesMax: bytesMax }));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
