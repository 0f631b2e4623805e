import { Type } from 'typebox';
import { REPOSITORY_LIMITS } from '../repositories/limits.ts';

const Text = Type.Optional(Type.String());
const Flag = Type.Optional(Type.Boolean());

const OfFamily = Type.Optional(
  Type.Boolean({ description: 'with the service gitea or forgejo, and without mirror' }),
);

export const MigrateBody = Type.Object(
  {
    clone_addr: Type.String(),
    repo_name: Type.String(),
    repo_owner: Text,
    uid: Type.Optional(Type.Integer()),
    service: Type.Optional(
      Type.String({
        description:
          'git (the default), gitea, forgejo or others; gitea and forgejo also give description, website and topics',
      }),
    ),
    auth_username: Text,
    auth_password: Text,
    auth_token: Text,
    description: Type.Optional(Type.String({ maxLength: REPOSITORY_LIMITS.descriptionCharsMax })),
    private: Flag,
    mirror: Flag,
    mirror_interval: Type.Optional(
      Type.String({
        description: 'a duration from 10m0s such as 8h0m0s, which is the default; 0: only on request',
      }),
    ),
    lfs: Flag,
    lfs_endpoint: Text,
    issues: OfFamily,
    labels: OfFamily,
    milestones: OfFamily,
    pull_requests: OfFamily,
    releases: OfFamily,
    wiki: Type.Optional(
      Type.Boolean({
        description: 'also the git repository of the wiki, if the source has one; a mirror follows it',
      }),
    ),
  },
  { $id: 'MigrateRepoOptions' },
);
