import { SITE } from '../../../src/people/accounts/actions.ts';
import { TOKEN } from '../../../src/people/tokens/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  ownOperations: ['adminCreateUserAccessToken', 'adminDeleteUserAccessToken', 'adminListUserAccessTokens'],
  others: [
    { label: 'own tokens', method: 'GET', url: '/api/v1/users/:username/tokens', action: TOKEN.list },
    {
      label: 'create token',
      method: 'POST',
      url: '/api/v1/users/:username/tokens',
      action: TOKEN.create,
      sent: { json: { name: '' } },
    },
    {
      label: 'delete token',
      method: 'DELETE',
      url: '/api/v1/users/:username/tokens/:token',
      action: TOKEN.delete,
    },
    {
      label: "another's tokens",
      method: 'GET',
      url: '/api/v1/users/:username/tokens',
      action: TOKEN.list,
      filled: { ':username': 'ada' },
    },
    {
      label: "another's tokens, as administrator",
      method: 'GET',
      url: '/api/v1/admin/users/:username/tokens',
      action: SITE.listAccounts,
      filled: { ':username': 'ada' },
    },
    {
      label: 'create token for another',
      method: 'POST',
      url: '/api/v1/admin/users/:username/tokens',
      action: SITE.editAccount,
      filled: { ':username': 'ada' },
      sent: { json: { name: '' } },
    },
    {
      label: "delete another's token",
      method: 'DELETE',
      url: '/api/v1/admin/users/:username/tokens/:token',
      action: SITE.editAccount,
      filled: { ':username': 'ada' },
    },
  ],
};
