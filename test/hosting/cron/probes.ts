import { CRON } from '../../../src/hosting/cron/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  others: [
    { label: 'list cron tasks', method: 'GET', url: '/api/v1/admin/cron', action: CRON.list },
    {
      label: 'run cron task',
      method: 'POST',
      url: '/api/v1/admin/cron/:task',
      action: CRON.run,
      filled: { ':task': 'none' },
      isOfMissing: true,
    },
  ],
};
