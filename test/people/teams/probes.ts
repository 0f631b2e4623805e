import { ACCOUNT_TEAMS, TEAM } from '../../../src/people/teams/actions.ts';
import {
  type FeatureProbes,
  IN_OWNERS,
  IN_TEAM,
  NO_NAME,
  ORGANIZATION_URL,
  TEAM_URL,
} from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  organization: [
    { label: 'list teams', method: 'GET', url: `${ORGANIZATION_URL}/teams`, action: TEAM.list },
    { label: 'search teams', method: 'GET', url: `${ORGANIZATION_URL}/teams/search`, action: TEAM.list },
    {
      label: 'create team',
      method: 'POST',
      url: `${ORGANIZATION_URL}/teams`,
      action: TEAM.create,
      sent: NO_NAME,
    },
    { label: 'read team', method: 'GET', url: TEAM_URL, action: TEAM.read, filled: IN_TEAM },
    {
      label: 'edit team',
      method: 'PATCH',
      url: TEAM_URL,
      action: TEAM.edit,
      filled: IN_TEAM,
      sent: { json: {} },
    },
    { label: 'delete team', method: 'DELETE', url: TEAM_URL, action: TEAM.delete, filled: IN_OWNERS },
    {
      label: 'list team members',
      method: 'GET',
      url: `${TEAM_URL}/members`,
      action: TEAM.listMembers,
      filled: IN_TEAM,
    },
    {
      label: 'read team member',
      method: 'GET',
      url: `${TEAM_URL}/members/:username`,
      action: TEAM.listMembers,
      filled: IN_TEAM,
    },
    {
      label: 'add team member',
      method: 'PUT',
      url: `${TEAM_URL}/members/:username`,
      action: TEAM.changeMembers,
      filled: IN_TEAM,
    },
    {
      label: 'remove team member',
      method: 'DELETE',
      url: `${TEAM_URL}/members/:username`,
      action: TEAM.changeMembers,
      filled: IN_OWNERS,
    },
  ],
  others: [{ label: 'own teams', method: 'GET', url: '/api/v1/user/teams', action: ACCOUNT_TEAMS.listTeams }],
};
