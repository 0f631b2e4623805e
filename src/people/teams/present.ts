import { answerOf } from '../../api/operations/answers.ts';
import type { Addresses } from '../../http/app.ts';
import type { Organization } from '../organizations/model.ts';
import { presentOrganization } from '../organizations/present.ts';
import type { Team } from './model.ts';
import { unitWord } from './options.ts';
import { type TeamRecord, TeamSchema } from './schema.ts';

/** @param organization null if the response has none */
export function presentTeam(team: Team, organization: Organization | null, addresses: Addresses): TeamRecord {
  const units = [...team.units].map(([unit, level]) => [unitWord(unit), level] as const);
  return {
    id: team.id,
    name: team.name,
    description: team.description,
    organization: organization === null ? null : presentOrganization(organization, addresses),
    includes_all_repositories: team.includesAllRepositories,
    permission: team.level,
    units: units.map(([word]) => word),
    units_map: Object.fromEntries(units),
    can_create_org_repo: team.canCreateRepositories,
  };
}

/** A team in an answer without its organization. */
export const TeamAnswer = answerOf(TeamSchema, (team: Team, _viewer, addresses) =>
  presentTeam(team, null, addresses),
);

interface OwnedTeam {
  readonly team: Team;
  readonly organization: Organization | null;
}

export const OwnedTeamAnswer = answerOf(TeamSchema, ({ team, organization }: OwnedTeam, _viewer, addresses) =>
  presentTeam(team, organization, addresses),
);
