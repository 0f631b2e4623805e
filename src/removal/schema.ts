import { type Static, Type } from 'typebox';
import { LIMITS } from '../core/limits.ts';

export const TransferRepositoryBody = Type.Object(
  {
    new_owner: Type.String(),
    team_ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: LIMITS.teamsPerOrganizationMax })),
  },
  { $id: 'TransferRepoOption' },
);
export type TransferRepository = Static<typeof TransferRepositoryBody>;
