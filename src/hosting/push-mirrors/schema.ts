import { Type } from 'typebox';
import { PUSH_MIRROR_LIMITS } from './limits.ts';

const branchFilter = {
  description: 'patterns of the branches to push, separated by commas; empty: all of them',
};

export const PushMirrorSchema = Type.Object(
  {
    repo_name: Type.String(),
    remote_name: Type.String({ description: 'the name of the push mirror in addresses' }),
    remote_address: Type.String({ description: 'without credentials' }),
    branch_filter: Type.String(branchFilter),
    created: Type.String({ format: 'date-time' }),
    last_update: Type.String({
      format: 'date-time',
      description: 'the end of the last update, which may have failed; 1970 if there was none',
    }),
    last_error: Type.String({ description: 'why the last update failed; empty after a success' }),
    interval: Type.String({ description: '0s: only on request, and after changes with sync_on_commit' }),
    sync_on_commit: Type.Boolean(),
    public_key: Type.String({ description: 'always empty: push mirrors use http or https' }),
  },
  { $id: 'PushMirror' },
);

const Text = Type.Optional(Type.String());

export const CreatePushMirrorBody = Type.Object(
  {
    remote_address: Type.String({ description: 'an http or https address' }),
    remote_username: Text,
    remote_password: Text,
    branch_filter: Type.Optional(
      Type.String({ ...branchFilter, maxLength: PUSH_MIRROR_LIMITS.pushMirrorFilterCharsMax }),
    ),
    interval: Type.Optional(
      Type.String({
        description:
          'a duration from 10m0s such as 8h0m0s, which is the default; 0s: only on request, and after changes with sync_on_commit',
      }),
    ),
    sync_on_commit: Type.Optional(Type.Boolean({ description: 'push each change soon' })),
    use_ssh: Type.Optional(Type.Boolean({ description: 'must be false: there are no pushes over SSH' })),
  },
  { $id: 'CreatePushMirrorOption' },
);
