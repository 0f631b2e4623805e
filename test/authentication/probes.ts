import { OWN_PASSWORD } from '../../src/authentication/actions.ts';
import type { FeatureProbes } from '../access/probe.ts';

export const PROBES: FeatureProbes = {
  others: [
    {
      label: 'change own password',
      method: 'PUT',
      url: '/api/v1/user/password',
      action: OWN_PASSWORD.change,
      sent: { json: {} },
    },
  ],
};
