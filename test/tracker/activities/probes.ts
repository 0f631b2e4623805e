import { ACTIVITY } from '../../../src/tracker/activities/actions.ts';
import {
  type FeatureProbes,
  IN_TEAM,
  ORGANIZATION_URL,
  REPOSITORY_URL,
  TEAM_URL,
} from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'repository activities',
      method: 'GET',
      url: `${REPOSITORY_URL}/activities/feeds`,
      action: ACTIVITY.listIn,
    },
  ],
  organization: [
    {
      label: 'organization activities',
      method: 'GET',
      url: `${ORGANIZATION_URL}/activities/feeds`,
      action: ACTIVITY.listOfOrganization,
    },
    {
      label: 'team activities',
      method: 'GET',
      url: `${TEAM_URL}/activities/feeds`,
      action: ACTIVITY.listOfTeam,
      filled: IN_TEAM,
    },
  ],
  others: [
    {
      label: 'activities of a user',
      method: 'GET',
      url: '/api/v1/users/:username/activities/feeds',
      action: ACTIVITY.listOf,
    },
    {
      label: 'heatmap',
      method: 'GET',
      url: '/api/v1/users/:username/heatmap',
      action: ACTIVITY.readHeatmap,
    },
  ],
};
