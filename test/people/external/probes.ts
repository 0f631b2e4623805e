import { EXTERNAL } from '../../../src/people/external/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  open: [
    'GET /user/oauth2/:provider',
    'GET /user/oauth2/:provider/callback',
    'GET /user/link_account',
    'POST /user/link_account',
  ],
  others: [
    {
      label: 'linked accounts page',
      method: 'GET',
      url: '/user/settings/linked-accounts',
      action: EXTERNAL.list,
    },
    {
      label: 'link or remove an account on the page',
      method: 'POST',
      url: '/user/settings/linked-accounts',
      action: EXTERNAL.change,
    },
  ],
};
