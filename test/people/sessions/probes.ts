import { ACCOUNT, SITE } from '../../../src/people/accounts/actions.ts';
import { SESSION } from '../../../src/people/sessions/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const OF_ADA = { ':username': 'ada', ':id': '999999' } as const;

export const PROBES: FeatureProbes = {
  ownOperations: [
    'adminEndUserSession',
    'adminEndUserSessions',
    'adminListUserSessions',
    'userEndOtherSessions',
    'userEndSession',
    'userListSessions',
  ],
  others: [
    { label: 'own sessions', method: 'GET', url: '/api/v1/user/sessions', action: SESSION.list },
    { label: 'end other sessions', method: 'DELETE', url: '/api/v1/user/sessions', action: SESSION.end },
    {
      label: 'end session',
      method: 'DELETE',
      url: '/api/v1/user/sessions/:id',
      action: SESSION.end,
      filled: OF_ADA,
      isOfMissing: true,
    },
    {
      label: "another's sessions",
      method: 'GET',
      url: '/api/v1/admin/users/:username/sessions',
      action: SITE.listAccounts,
      filled: OF_ADA,
    },
    {
      label: "end another's sessions",
      method: 'DELETE',
      url: '/api/v1/admin/users/:username/sessions',
      action: SITE.editAccount,
      filled: OF_ADA,
    },
    {
      label: "end another's session",
      method: 'DELETE',
      url: '/api/v1/admin/users/:username/sessions/:id',
      action: SITE.editAccount,
      filled: OF_ADA,
      isOfMissing: true,
    },
    { label: 'start of the settings', method: 'GET', url: '/user/settings', action: ACCOUNT.readSelf },
    { label: 'sessions page', method: 'GET', url: '/user/settings/sessions', action: SESSION.list },
    { label: 'end session on the page', method: 'POST', url: '/user/settings/sessions', action: SESSION.end },
    { label: 'sign-out page', method: 'GET', url: '/user/logout', action: SESSION.end },
    { label: 'sign out', method: 'POST', url: '/user/logout', action: SESSION.end },
  ],
};
