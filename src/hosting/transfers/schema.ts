import { Type } from 'typebox';
import { TEAM_LIMITS } from '../../people/teams/limits.ts';

/** Larger ids would not fit into the database's integers. */
const TeamId = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

export const TransferRepositoryBody = Type.Object(
  {
    new_owner: Type.String(),
    team_ids: Type.Optional(Type.Array(TeamId, { maxItems: TEAM_LIMITS.teamsPerOrganizationMax })),
  },
  { $id: 'TransferRepoOption' },
);
