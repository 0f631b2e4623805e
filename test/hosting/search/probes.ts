import { REPOSITORY_SEARCH } from '../../../src/hosting/search/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  others: [
    {
      label: 'search repositories',
      method: 'GET',
      url: '/api/v1/repos/search',
      action: REPOSITORY_SEARCH.search,
    },
  ],
};
