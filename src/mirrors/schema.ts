import { Type } from 'typebox';
import { LIMITS } from '../core/limits.ts';

const Text = Type.Optional(Type.String());
const Flag = Type.Optional(Type.Boolean());

export const MigrateBody = Type.Object(
  {
    clone_addr: Type.String(),
    repo_name: Type.String(),
    repo_owner: Text,
    uid: Type.Optional(Type.Integer()),
    service: Text,
    auth_username: Text,
    auth_password: Text,
    auth_token: Text,
    description: Type.Optional(Type.String({ maxLength: LIMITS.descriptionCharsMax })),
    private: Flag,
    mirror: Flag,
    mirror_interval: Text,
    lfs: Flag,
    lfs_endpoint: Text,
    issues: Flag,
    labels: Flag,
    milestones: Flag,
    pull_requests: Flag,
    releases: Flag,
    wiki: Flag,
  },
  { $id: 'MigrateRepoOptions' },
);
