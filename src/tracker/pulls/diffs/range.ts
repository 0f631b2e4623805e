import { notFound } from '../../../base/core/failure.ts';
import type { Oid } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { History } from '../../../git/interface/history.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';
import type { PullState } from '../model.ts';
import type { PullRange } from './model.ts';

/**
 * Finds the commits between which the differences of a pull request are. The differences of an open one follow its base.
 * Those of a merged or closed one stay as they were.
 *
 * @param snapshot of the base
 * @throws ForgeError `not_found` if the base is gone, and was never compared with the head; `busy`
 */
export async function rangeOf(
  history: Pick<History, 'mergeBase'>,
  snapshot: Snapshot,
  pull: PullState,
): Promise<PullRange> {
  const head = { snapshot, oid: pull.head.sha };
  const tip = snapshot.ref(branchRef(pull.baseBranch));
  const known = knownStart(pull);
  const isMerged = pull.merge !== null;
  const isFinal = isMerged || (!pull.isOpen && pull.check?.head === head.oid);
  if (known !== null && (isFinal || tip === undefined)) return { from: { snapshot, oid: known }, head };
  if (tip === undefined || isMerged) throw notFound('common commit');
  const common = await history.mergeBase({ snapshot, oid: tip }, head);
  return { from: { snapshot, oid: common ?? tip }, head };
}

/** Returns the start that the last check has found. Unrelated histories start at the tip of the base. */
function knownStart({ mergeBase, check }: PullState): Oid | null {
  return mergeBase ?? check?.base ?? null;
}
