import { OWN_PASSWORD } from '../../../src/people/authentication/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  ownOperations: ['userChangePassword'],
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
