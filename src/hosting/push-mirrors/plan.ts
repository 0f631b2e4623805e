import type { Oid } from '../../git/format/model.ts';
import { branchNameOf, malformedRefName } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { RemoteTarget } from '../../git/remote/remote-target.ts';
import { COPIED_REFS } from '../mirrors/source.ts';
import type { BranchFilter } from './branch-filter.ts';

/**
 * Returns the changes of refs after which a target has the branches, tags and notes of a repository, and no others.
 * Branches that the filter leaves out, and refs with malformed names, stay as they are there. An empty repository
 * changes nothing: its target may be the only copy of something.
 */
export function changesFor(
  snapshot: Snapshot,
  target: Pick<RemoteTarget, 'refs'>,
  filter: BranchFilter,
): readonly RefUpdate[] {
  const isPushed = (ref: string) => {
    const branch = branchNameOf(ref);
    return branch === undefined || filter.includes(branch);
  };
  const ours = COPIED_REFS.flatMap((prefix) => [...snapshot.refs(prefix)]);
  if (ours.length === 0) return [];
  const moved = ours.flatMap(([ref, oid]): RefUpdate[] => {
    const old = target.refs.get(ref) ?? null;
    return old === oid || !isPushed(ref) ? [] : [{ ref, old, new: oid }];
  });
  const gone = [...target.refs].flatMap(([ref, old]): RefUpdate[] => {
    const isCopied = COPIED_REFS.some((prefix) => ref.startsWith(prefix)) && isPushed(ref);
    // A command cannot name others, and a record cannot show them.
    const isNamed = malformedRefName(ref) === undefined;
    return isCopied && isNamed && snapshot.ref(ref) === undefined ? [{ ref, old, new: null }] : [];
  });
  // First, because a name that goes can be in the way of one that comes.
  return [...gone, ...moved];
}

/**
 * Returns objects that a target has, and this repository, too: former tips of the refs that change, and other tips.
 *
 * @param countMax bounds the other tips
 */
export async function sharedWith(
  snapshot: Snapshot,
  target: Pick<RemoteTarget, 'refs'>,
  updates: readonly RefUpdate[],
  countMax: number,
): Promise<readonly Oid[]> {
  const shared = new Set<Oid>();
  for (const { old } of updates) {
    if (old !== null && (await snapshot.objects.info(old)) !== undefined) shared.add(old);
  }
  for (const [ref, oid] of target.refs) {
    if (shared.size >= countMax) break;
    if (snapshot.ref(ref) === oid) shared.add(oid);
  }
  return [...shared];
}

export function tipsOf(updates: readonly RefUpdate[]): readonly Oid[] {
  return [...new Set(updates.flatMap((update) => update.new ?? []))];
}
