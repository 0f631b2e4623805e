import { SITE } from '../../../src/people/accounts/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  open: [
    'GET /user/forgot_password',
    'POST /user/forgot_password',
    'GET /user/recover_account/:token',
    'POST /user/recover_account/:token',
  ],
  ownOperations: ['adminCreateResetLink'],
  others: [
    {
      label: 'reset link',
      method: 'POST',
      url: '/api/v1/admin/users/:username/reset-link',
      action: SITE.editAccount,
      filled: { ':username': 'ada' },
    },
  ],
};
