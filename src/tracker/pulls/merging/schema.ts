import { Type } from 'typebox';

const Text = Type.Optional(Type.String());
const Flag = Type.Optional(Type.Boolean());

/** Clients write the names of these fields in any case. */
export const MergeBody = Type.Object(
  {
    Do: Type.Optional(
      Type.String({
        description: 'merge, rebase, rebase-merge, squash, fast-forward-only or manually-merged; required',
      }),
    ),
    MergeTitleField: Type.Optional(Type.String({ description: 'first line of the message' })),
    MergeMessageField: Type.Optional(Type.String({ description: 'the rest of the message' })),
    MergeCommitID: Type.Optional(
      Type.String({ description: 'for manually-merged: the commit of the base that has the changes' }),
    ),
    head_commit_id: Type.Optional(Type.String({ description: 'the head that the caller has seen' })),
    delete_branch_after_merge: Flag,
    force_merge: Type.Optional(
      Type.Boolean({ description: 'an administrator skips the protection of the base' }),
    ),
    merge_when_checks_succeed: Type.Optional(
      Type.Boolean({ description: 'waits for the protection of the base' }),
    ),
  },
  { $id: 'MergePullRequestOption' },
);

export const UpdateQuery = { style: Text };
