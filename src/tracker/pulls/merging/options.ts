import type { Static } from 'typebox';
import { malformed } from '../../../base/core/failure.ts';
import type { MergeWish } from '../model.ts';
import { MergeBody } from './schema.ts';

/** All styles of merges, in the order in which people choose among them. */
export const MERGE_WISH_STYLES: readonly MergeWish['style'][] = [
  'merge',
  'rebase',
  'rebase-merge',
  'squash',
  'fast-forward-only',
  'manually-merged',
];

/**
 * Reads what a request for a merge asks for. The names of its fields may have any case.
 *
 * @throws ForgeError `malformed`
 */
export function mergeWishOf(sent: Static<typeof MergeBody>): MergeWish {
  const body = inAnyCase(sent);
  const style = MERGE_WISH_STYLES.find((each) => each === body.Do);
  if (style === undefined) throw malformed(`[Do]: must be one of ${MERGE_WISH_STYLES.join(', ')}`);
  const { head_commit_id: head, MergeCommitID: commit } = body;
  return {
    style,
    title: (body.MergeTitleField ?? '').trim(),
    message: (body.MergeMessageField ?? '').trim(),
    head: head === undefined || head === '' ? undefined : head.toLowerCase(),
    mergedCommit: commit === undefined || commit === '' ? undefined : commit.toLowerCase(),
    deletesBranch: body.delete_branch_after_merge,
    isForced: body.force_merge ?? false,
    waits: body.merge_when_checks_succeed ?? false,
  };
}

type Body = Static<typeof MergeBody>;

/** Gives the fields of a body their names in the usual case. */
function inAnyCase(sent: Body): Body {
  const names = Object.keys(MergeBody.properties);
  const renamed = Object.entries(sent).map(([key, value]) => {
    const name = names.find((each) => each.toLowerCase() === key.toLowerCase()) ?? key;
    const { type } = (MergeBody.properties as Record<string, { type?: string }>)[name] ?? {};
    // The schema has checked those that have the usual case already.
    if (type !== undefined && typeof value !== type) throw malformed(`[${name}]: must be a ${type}`);
    return [name, value];
  });
  return Object.fromEntries(renamed);
}
