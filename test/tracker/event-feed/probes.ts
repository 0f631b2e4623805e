import { EVENT } from '../../../src/tracker/event-feed/actions.ts';
import { type FeatureProbes, ORGANIZATION_URL, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'repository events', method: 'GET', url: `${REPOSITORY_URL}/events`, action: EVENT.listIn },
  ],
  organization: [
    {
      label: 'organization events',
      method: 'GET',
      url: `${ORGANIZATION_URL}/events`,
      action: EVENT.listOfOrganization,
    },
  ],
  others: [
    { label: 'events', method: 'GET', url: '/api/v1/events', action: EVENT.list },
    { label: 'events of a user', method: 'GET', url: '/api/v1/users/:username/events', action: EVENT.listOf },
  ],
  ownOperations: [
    'quireListEvents',
    'quireListEventsOfRepository',
    'quireListEventsOfOrganization',
    'quireListEventsOfUser',
  ],
};
