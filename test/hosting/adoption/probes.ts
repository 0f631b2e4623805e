import { ADOPTION } from '../../../src/hosting/adoption/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const MISSING = { ':owner': 'ada', ':repo': 'none' };
const URL = '/api/v1/admin/unadopted/:owner/:repo';

export const PROBES: FeatureProbes = {
  others: [
    { label: 'list unadopted', method: 'GET', url: '/api/v1/admin/unadopted', action: ADOPTION.list },
    {
      label: 'adopt repository',
      method: 'POST',
      url: URL,
      action: ADOPTION.change,
      filled: MISSING,
      isOfMissing: true,
    },
    {
      label: 'delete unadopted',
      method: 'DELETE',
      url: URL,
      action: ADOPTION.change,
      filled: MISSING,
      isOfMissing: true,
    },
  ],
};
