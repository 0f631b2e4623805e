import { Type } from 'typebox';
import { REPOSITORY_LIMITS } from '../repositories/limits.ts';

/** Quire accepts and ignores `webhooks`, `git_hooks`, `avatar` and `protected_branch`: it does not have them yet. */
export const GenerateRepositoryBody = Type.Object(
  {
    name: Type.String(),
    owner: Type.String(),
    description: Type.Optional(Type.String({ maxLength: REPOSITORY_LIMITS.descriptionCharsMax })),
    private: Type.Optional(Type.Boolean()),
    default_branch: Type.Optional(Type.String()),
    git_content: Type.Optional(Type.Boolean()),
    topics: Type.Optional(Type.Boolean()),
    labels: Type.Optional(Type.Boolean()),
    webhooks: Type.Optional(Type.Boolean()),
    git_hooks: Type.Optional(Type.Boolean()),
    avatar: Type.Optional(Type.Boolean()),
    protected_branch: Type.Optional(Type.Boolean()),
  },
  { $id: 'GenerateRepoOption' },
);
