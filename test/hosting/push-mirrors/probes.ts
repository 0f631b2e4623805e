import { PUSH_MIRROR } from '../../../src/hosting/push-mirrors/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const PUSH_MIRRORS_URL = `${REPOSITORY_URL}/push_mirrors`;
const OF_MISSING = { filled: { ':name': 'none' }, isOfMissing: true } as const;

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list push mirrors', method: 'GET', url: PUSH_MIRRORS_URL, action: PUSH_MIRROR.read },
    {
      label: 'add push mirror',
      method: 'POST',
      url: PUSH_MIRRORS_URL,
      action: PUSH_MIRROR.change,
      sent: { json: { remote_address: 'file:///etc' } },
    },
    {
      label: 'read push mirror',
      method: 'GET',
      url: `${PUSH_MIRRORS_URL}/:name`,
      action: PUSH_MIRROR.read,
      ...OF_MISSING,
    },
    {
      label: 'delete push mirror',
      method: 'DELETE',
      url: `${PUSH_MIRRORS_URL}/:name`,
      action: PUSH_MIRROR.change,
      ...OF_MISSING,
    },
    {
      label: 'update push mirrors',
      method: 'POST',
      url: `${REPOSITORY_URL}/push_mirrors-sync`,
      action: PUSH_MIRROR.change,
    },
  ],
};
