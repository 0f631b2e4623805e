import { OWN_PASSWORD, SIGN_IN } from '../../../src/people/authentication/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  open: ['GET /user/login', 'POST /user/login'],
  ownOperations: ['userChangePassword'],
  others: [
    {
      label: 'change own password',
      method: 'PUT',
      url: '/api/v1/user/password',
      action: OWN_PASSWORD.change,
      sent: { json: {} },
    },
    { label: 'confirm page', method: 'GET', url: '/user/confirm', action: SIGN_IN.confirm },
    { label: 'confirm', method: 'POST', url: '/user/confirm', action: SIGN_IN.confirm },
  ],
};
