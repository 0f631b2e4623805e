import { TOPIC } from '../../../src/hosting/topics/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list topics', method: 'GET', url: `${REPOSITORY_URL}/topics`, action: TOPIC.list },
    {
      label: 'replace topics',
      method: 'PUT',
      url: `${REPOSITORY_URL}/topics`,
      action: TOPIC.change,
      sent: { json: { topics: [] } },
    },
    {
      label: 'add topic',
      method: 'PUT',
      url: `${REPOSITORY_URL}/topics/:topic`,
      action: TOPIC.change,
      filled: { ':topic': 'looms' },
    },
    {
      label: 'remove topic',
      method: 'DELETE',
      url: `${REPOSITORY_URL}/topics/:topic`,
      action: TOPIC.change,
      filled: { ':topic': 'looms' },
    },
  ],
  others: [{ label: 'search topics', method: 'GET', url: '/api/v1/topics/search', action: TOPIC.search }],
};
