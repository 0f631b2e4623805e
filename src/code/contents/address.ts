import { notFound } from '../../base/core/failure.ts';
import { withoutEndSlashes } from '../../base/core/text/text.ts';
import { BRANCHES } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import { findEntry } from '../../git/trees/find-entry.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import { HEAD, resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { ContentsLocation } from './model.ts';

const FULL_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** At least as long as git shortens ids. */
const SHORT_ID = /^[0-9a-f]{7,64}$/;
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ['branch', BRANCHES],
  ['tag', 'refs/tags/'],
]);

const KINDS = ['branch', 'tag', 'commit'];

interface RefAndPath {
  readonly ref: string;
  /** the ref as the record of an entry names it */
  readonly asked: string;
  readonly path: string;
}

/** Whether an address says with this word what its ref is. */
export function isAddressKind(word: string): boolean {
  return KINDS.includes(word);
}

/**
 * Splits an address into a ref, which may be an abbreviated id of a commit or `HEAD`, and a path. The names of refs may
 * contain slashes, but no ref is a folder of another, so at most one name matches.
 *
 * @returns undefined if no ref matches
 */
export function splitAddress(
  snapshot: Snapshot,
  { kind, refAndPath }: { kind: string; refAndPath: string },
): { readonly ref: string; readonly path: string } | undefined {
  const segments = withoutEndSlashes(refAndPath).split('/');
  const [first = ''] = segments;
  if (kind === 'commit') {
    return SHORT_ID.test(first) ? { ref: first, path: segments.slice(1).join('/') } : undefined;
  }
  const folder = FOLDERS.get(kind);
  if (folder === undefined) return undefined;
  let ref = folder;
  for (const [index, segment] of segments.entries()) {
    ref += index === 0 ? segment : `/${segment}`;
    if (snapshot.ref(ref) !== undefined) return { ref, path: segments.slice(index + 1).join('/') };
  }
  if (kind === 'branch' && first === HEAD) return { ref: HEAD, path: segments.slice(1).join('/') };
  return undefined;
}

/**
 * As `splitAddress`, for an address that does not say what its ref is.
 *
 * @returns the ways to split it: as a branch first, then as a tag, then as the full id of a commit
 */
export function splitAnyAddress(snapshot: Snapshot, refAndPath: string): readonly RefAndPath[] {
  return KINDS.flatMap((kind) => {
    const split = splitAddress(snapshot, { kind, refAndPath });
    // A short id looks like the name of a folder.
    const isVague = kind === 'commit' && split !== undefined && !FULL_ID.test(split.ref);
    return split === undefined || isVague ? [] : { ...split, asked: split.ref };
  });
}

/**
 * Returns the first address with an entry.
 *
 * @throws ForgeError `not_found`
 */
export async function firstWithEntry(
  repository: Repository,
  snapshot: Snapshot,
  addresses: readonly RefAndPath[],
): Promise<ContentsLocation> {
  for (const { ref: name, asked, path } of addresses) {
    const resolved = await resolveRef(snapshot, name);
    if (resolved === undefined) continue;
    const { commit } = resolved;
    const location = { repository, snapshot, ref: { ...resolved, asked }, commit, path };
    if (await hasEntry(location)) return location;
  }
  throw notFound('file');
}

async function hasEntry({ snapshot, commit, path }: ContentsLocation): Promise<boolean> {
  const { tree } = await snapshot.objects.readCommit(commit);
  return (await findEntry(snapshot.objects, tree, path)) !== undefined;
}
