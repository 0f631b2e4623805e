import { ACCOUNT } from '../../../src/people/accounts/actions.ts';
import { OWN_PASSWORD, SIGN_IN } from '../../../src/people/authentication/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const OWN_ACCOUNT = '/user/settings/account';

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
    { label: 'account page', method: 'GET', url: OWN_ACCOUNT, action: ACCOUNT.readSelf },
    { label: 'address form', method: 'GET', url: `${OWN_ACCOUNT}/emails`, action: ACCOUNT.readSelf },
    { label: 'change addresses', method: 'POST', url: `${OWN_ACCOUNT}/emails`, action: ACCOUNT.changeEmails },
    { label: 'password form', method: 'GET', url: `${OWN_ACCOUNT}/password`, action: ACCOUNT.readSelf },
    {
      label: 'change password on the page',
      method: 'POST',
      url: `${OWN_ACCOUNT}/password`,
      action: OWN_PASSWORD.changeOnPage,
    },
    { label: 'deletion form', method: 'GET', url: `${OWN_ACCOUNT}/delete`, action: ACCOUNT.readSelf },
    { label: 'delete own account', method: 'POST', url: `${OWN_ACCOUNT}/delete`, action: ACCOUNT.deleteSelf },
  ],
};
