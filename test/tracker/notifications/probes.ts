import { NOTIFICATION } from '../../../src/tracker/notifications/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const ALL_URL = '/api/v1/notifications';
const THREAD = { url: `${ALL_URL}/threads/:id`, isOfMissing: true } as const;
const IN_REPOSITORY = { url: `${REPOSITORY_URL}/notifications` } as const;

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'repository notifications', method: 'GET', ...IN_REPOSITORY, action: NOTIFICATION.readIn },
    {
      label: 'mark repository notifications',
      method: 'PUT',
      ...IN_REPOSITORY,
      action: NOTIFICATION.changeIn,
    },
  ],
  others: [
    { label: 'notifications', method: 'GET', url: ALL_URL, action: NOTIFICATION.read },
    { label: 'mark notifications', method: 'PUT', url: ALL_URL, action: NOTIFICATION.change },
    { label: 'new notifications', method: 'GET', url: `${ALL_URL}/new`, action: NOTIFICATION.read },
    { label: 'notification', method: 'GET', ...THREAD, action: NOTIFICATION.read },
    { label: 'mark notification', method: 'PATCH', ...THREAD, action: NOTIFICATION.change },
  ],
};
