import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { PayloadUser, VerificationSchema } from '../verification/schema.ts';

const PayloadCommit = Type.Object(
  {
    id: Type.String(),
    message: Type.String(),
    url: Type.String(),
    author: reference(PayloadUser),
    committer: reference(PayloadUser),
    verification: reference(VerificationSchema),
    timestamp: Type.String({ format: 'date-time' }),
    added: Type.Null(),
    removed: Type.Null(),
    modified: Type.Null(),
  },
  { $id: 'PayloadCommit' },
);

export const BranchSchema = Type.Object(
  {
    name: Type.String(),
    commit: reference(PayloadCommit),
    protected: Type.Boolean(),
    required_approvals: Type.Integer(),
    enable_status_check: Type.Boolean(),
    status_check_contexts: Type.Array(Type.String()),
    user_can_push: Type.Boolean(),
    user_can_merge: Type.Boolean(),
    effective_branch_protection_name: Type.String({
      description: "'' for a branch without protection, and for callers who do not administer the repository",
    }),
  },
  { $id: 'Branch' },
);

export const CreateBranchBody = Type.Object(
  {
    new_branch_name: Type.String(),
    old_ref_name: Type.Optional(Type.String({ description: 'branch, tag or commit to start from' })),
    old_branch_name: Type.Optional(Type.String({ description: 'deprecated: use `old_ref_name`' })),
  },
  { $id: 'CreateBranchRepoOption' },
);

export const UpdateBranchBody = Type.Object(
  { name: Type.String({ description: 'new name of the branch' }) },
  { $id: 'UpdateBranchRepoOption' },
);
