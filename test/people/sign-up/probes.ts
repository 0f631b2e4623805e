import { INVITATION } from '../../../src/people/sign-up/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const URL_PATH = '/api/v1/admin/invitations';

export const PROBES: FeatureProbes = {
  open: [
    'GET /user/sign_up',
    'POST /user/sign_up',
    'GET /user/activate/:token',
    'POST /user/activate/:token',
    'GET /user/invitation/:token',
    'POST /user/invitation/:token',
  ],
  ownOperations: ['adminCreateInvitation', 'adminDeleteInvitation', 'adminListInvitations'],
  others: [
    { label: 'invitations', method: 'GET', url: URL_PATH, action: INVITATION.list },
    { label: 'invite', method: 'POST', url: URL_PATH, action: INVITATION.create, sent: { json: {} } },
    {
      label: 'take an invitation back',
      method: 'DELETE',
      url: `${URL_PATH}/:id`,
      action: INVITATION.delete,
      isOfMissing: true,
    },
  ],
};
