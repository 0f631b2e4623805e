import type { Oid } from '../../../git/format/model.ts';
import { branchNameOf, branchRef, isOwnRef } from '../../../git/format/ref-names.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';

/** The result of resolving a name from a caller. Later steps use only this. */
interface ResolvedRef {
  readonly kind: 'branch' | 'tag' | 'commit';
  /** short name of the branch or tag; the full id of a commit */
  readonly name: string;
  readonly commit: Oid;
}

const HEX_PATTERN = /^[0-9a-f]{4,64}$/i;

/** The name of the default branch in every repository. No new ref can have it. */
export const HEAD = 'HEAD';

/**
 * Resolves `text` to a branch, or else a tag, or else a commit by its full or abbreviated id. `HEAD` is the default branch.
 *
 * A ref wins over an id with the same spelling. No caller can create such a ref, but an imported history may have one.
 */
export async function resolveRef(snapshot: Snapshot, text: string): Promise<ResolvedRef | undefined> {
  return (await resolveName(snapshot, text)) ?? (await resolveCommitId(snapshot, text));
}

async function resolveName(snapshot: Snapshot, text: string): Promise<ResolvedRef | undefined> {
  if (isOwnRef(text)) return undefined;
  for (const ref of candidatesFor(snapshot, text)) {
    const oid = snapshot.peeled(ref) ?? snapshot.ref(ref);
    if (oid === undefined) continue;
    const commit = await snapshot.objects.peelToCommit(oid);
    if (commit !== undefined) return { ...shortName(ref), commit };
  }
  return undefined;
}

function candidatesFor(snapshot: Snapshot, text: string): readonly string[] {
  if (text === HEAD) return [snapshot.head];
  return text.startsWith('refs/') ? [text] : [branchRef(text), `refs/tags/${text}`];
}

function shortName(ref: string): { kind: ResolvedRef['kind']; name: string } {
  const branch = branchNameOf(ref);
  if (branch !== undefined) return { kind: 'branch', name: branch };
  if (ref.startsWith('refs/tags/')) return { kind: 'tag', name: ref.slice('refs/tags/'.length) };
  return { kind: 'commit', name: ref };
}

/** Resolves the full or abbreviated id of a commit; undefined for an id that several objects share. */
export async function resolveCommitId(snapshot: Snapshot, text: string): Promise<ResolvedRef | undefined> {
  if (!HEX_PATTERN.test(text)) return undefined;
  const oid = await snapshot.objects.resolvePrefix(text.toLowerCase());
  const commit = oid === undefined ? undefined : await snapshot.objects.peelToCommit(oid);
  return commit === undefined ? undefined : { kind: 'commit', name: commit, commit };
}
