import { REPOSITORY_TEAMS, TEAM_REPOSITORIES } from '../../../src/hosting/team-repositories/actions.ts';
import { type FeatureProbes, IN_TEAM, REPOSITORY_URL, TEAM_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'list teams',
      method: 'GET',
      url: `${REPOSITORY_URL}/teams`,
      action: REPOSITORY_TEAMS.listTeams,
    },
    {
      label: 'check team',
      method: 'GET',
      url: `${REPOSITORY_URL}/teams/:team`,
      action: REPOSITORY_TEAMS.listTeams,
    },
    {
      label: 'add team',
      method: 'PUT',
      url: `${REPOSITORY_URL}/teams/:team`,
      action: REPOSITORY_TEAMS.changeTeams,
    },
    {
      label: 'remove team',
      method: 'DELETE',
      url: `${REPOSITORY_URL}/teams/:team`,
      action: REPOSITORY_TEAMS.changeTeams,
      filled: { ':team': 'idle' },
    },
  ],
  organization: [
    {
      label: 'list team repositories',
      method: 'GET',
      url: `${TEAM_URL}/repos`,
      action: TEAM_REPOSITORIES.listRepositories,
      filled: IN_TEAM,
    },
    {
      label: 'read team repository',
      method: 'GET',
      url: `${TEAM_URL}/repos/:org/:repo`,
      action: TEAM_REPOSITORIES.listRepositories,
      filled: IN_TEAM,
    },
    {
      label: 'add team repository',
      method: 'PUT',
      url: `${TEAM_URL}/repos/:org/:repo`,
      action: TEAM_REPOSITORIES.changeRepositories,
      filled: IN_TEAM,
    },
    {
      label: 'remove team repository',
      method: 'DELETE',
      url: `${TEAM_URL}/repos/:org/:repo`,
      action: TEAM_REPOSITORIES.changeRepositories,
      filled: { ...IN_TEAM, ':repo': 'unlinked' },
    },
  ],
};
