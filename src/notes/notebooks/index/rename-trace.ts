import type { Oid } from '../../../git/format/model.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { readNoteText } from '../text/text.ts';
import { findRenames, type NewFile } from './renames.ts';
import { compareTrees, type FileChange, folderTree, type TreeSource } from './tree-changes.ts';

/**
 * Follows renames commit by commit from `from` to `to`, so that a note keeps its id if one commit renames it and later
 * commits rewrite it.
 *
 * @returns path at `from` → path at `to`; empty unless a short line of commits leads from `from` to `to`
 */
export async function traceRenames(
  source: TreeSource,
  folder: string,
  from: Oid,
  to: Oid,
): Promise<ReadonlyMap<string, string>> {
  const commits = await lineOfCommits(source, from, to);
  const paths = new Map<string, string>();
  let before = await folderTree(source, from, folder);
  // The caller compares the two ends itself.
  for (const commit of commits.length > 1 ? commits : []) {
    const after = await folderTree(source, commit, folder);
    follow(paths, await renamesBetween(source, await compareTrees(source, before, after)));
    before = after;
  }
  return paths;
}

/** Lists the commits after `from` up to `to`, oldest first, along first parents; empty if that line misses `from`. */
async function lineOfCommits(source: TreeSource, from: Oid, to: Oid): Promise<readonly Oid[]> {
  const line: Oid[] = [];
  let at: Oid | undefined = to;
  while (at !== undefined && at !== from) {
    if (line.length === NOTE_LIMITS.noteRenameCommitsMax) return [];
    line.unshift(at);
    at = (await source.objects.readCommit(at)).parents[0];
  }
  return at === from ? line : [];
}

type Step = ReadonlyMap<string, string>;

/** Maps paths that a change has removed to the paths under which it has added the same files. */
export async function renamesBetween(source: TreeSource, changes: readonly FileChange[]): Promise<Step> {
  const gone = changes.flatMap(({ path, before, after }) =>
    after === null && before !== null ? [{ path, oid: before }] : [],
  );
  const came = changes.flatMap(({ path, before, after }) =>
    before === null && after !== null ? [{ path, oid: after }] : [],
  );
  if (gone.length === 0 || came.length === 0) return new Map();
  if (gone.length * came.length > NOTE_LIMITS.noteRenamePairsMax) return new Map();
  const [old, fresh] = await Promise.all([readFiles(source, gone), readFiles(source, came)]);
  return new Map(findRenames(old, fresh, []).map(({ from, to }) => [from.path, to.path]));
}

function readFiles(
  source: TreeSource,
  files: readonly { path: string; oid: Oid }[],
): Promise<readonly NewFile[]> {
  return Promise.all(
    files.map(async ({ path, oid }) => ({
      path,
      oid,
      content: (await readNoteText(source.objects, oid)).content,
    })),
  );
}

function follow(paths: Map<string, string>, step: Step): void {
  const moved = new Set<string>();
  for (const [origin, at] of paths) {
    const next = step.get(at);
    if (next === undefined) continue;
    paths.set(origin, next);
    moved.add(at);
  }
  for (const [from, to] of step) {
    if (!moved.has(from)) paths.set(from, to);
  }
}
