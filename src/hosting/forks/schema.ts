import { Type } from 'typebox';
import { GIT_LIMITS } from '../../git/limits.ts';

export const CreateForkBody = Type.Object(
  { organization: Type.Optional(Type.String()), name: Type.Optional(Type.String()) },
  { $id: 'CreateForkOption' },
);

export const MergeUpstreamBody = Type.Object(
  {
    branch: Type.Optional(Type.String({ maxLength: GIT_LIMITS.refNameBytesMax })),
    /** always the case: only fast-forwards are supported */
    ff_only: Type.Optional(Type.Boolean()),
  },
  { $id: 'MergeUpstreamRequest' },
);

export const MergeUpstreamSchema = Type.Object(
  { merge_type: Type.Union([Type.Literal('up-to-date'), Type.Literal('fast-forward')]) },
  { $id: 'MergeUpstreamResponse' },
);

export const SyncForkInfoSchema = Type.Object(
  {
    allowed: Type.Boolean(),
    fork_commit: Type.String(),
    base_commit: Type.String(),
    commits_behind: Type.Integer(),
  },
  { $id: 'SyncForkInfo' },
);
