import { SITE } from '../../../src/people/accounts/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  open: [
    'GET /user/activate_email/:token',
    'POST /user/activate_email/:token',
    'GET /user/undo_email/:token',
    'POST /user/undo_email/:token',
  ],
  ownOperations: ['adminVerifyUserEmail'],
  others: [
    {
      label: 'verify e-mail',
      method: 'POST',
      url: '/api/v1/admin/users/:username/emails/verify',
      action: SITE.editAccount,
      filled: { ':username': 'ada' },
      sent: { json: { email: 'missing@example.org' } },
      isOfMissing: true,
    },
  ],
};
