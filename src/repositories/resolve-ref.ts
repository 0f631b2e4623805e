import type { Oid, Snapshot } from '../git/model.ts';

/** What a name given by a caller means: always a full ref name or an id, decided once and never again. */
export interface ResolvedRef {
  readonly kind: 'branch' | 'tag' | 'commit';
  /** short name of the branch or tag; the full id of a commit */
  readonly name: string;
  readonly commit: Oid;
}

const HEX_PATTERN = /^[0-9a-f]{4,64}$/i;

/**
 * Finds what `text` names: a branch, else a tag, else a commit by its id, which may be cut short.
 *
 * A ref beats an id of the same spelling: nobody can make such a ref here, but an imported history may hold one.
 */
export async function resolveRef(snapshot: Snapshot, text: string): Promise<ResolvedRef | undefined> {
  return (await resolveName(snapshot, text)) ?? (await resolveId(snapshot, text));
}

async function resolveName(snapshot: Snapshot, text: string): Promise<ResolvedRef | undefined> {
  const candidates = text.startsWith('refs/') ? [text] : [`refs/heads/${text}`, `refs/tags/${text}`];
  for (const ref of candidates) {
    const oid = snapshot.peeled(ref) ?? snapshot.ref(ref);
    if (oid === undefined) continue;
    const commit = await snapshot.objects.peelToCommit(oid);
    if (commit !== undefined) return { ...shortName(ref), commit };
  }
  return undefined;
}

function shortName(ref: string): { kind: ResolvedRef['kind']; name: string } {
  if (ref.startsWith('refs/heads/')) return { kind: 'branch', name: ref.slice('refs/heads/'.length) };
  if (ref.startsWith('refs/tags/')) return { kind: 'tag', name: ref.slice('refs/tags/'.length) };
  return { kind: 'commit', name: ref };
}

async function resolveId(snapshot: Snapshot, text: string): Promise<ResolvedRef | undefined> {
  if (!HEX_PATTERN.test(text)) return undefined;
  const oid = await snapshot.objects.resolvePrefix(text.toLowerCase());
  const commit = oid === undefined ? undefined : await snapshot.objects.peelToCommit(oid);
  return commit === undefined ? undefined : { kind: 'commit', name: commit, commit };
}
