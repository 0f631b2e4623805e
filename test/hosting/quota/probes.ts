import { QUOTA } from '../../../src/hosting/quota/actions.ts';
import { type FeatureProbes, ORGANIZATION_URL } from '../../api/access/probe.ts';

const GROUPS = '/api/v1/admin/quota/groups';
const RULES = '/api/v1/admin/quota/rules';
const OWN = '/api/v1/user/quota';
const GROUP = { ':quotagroup': 'none', ':quotarule': 'none', ':username': 'ada' };

export const PROBES: FeatureProbes = {
  organization: [
    { label: 'quota', method: 'GET', url: `${ORGANIZATION_URL}/quota`, action: QUOTA.readOfOrganization },
    {
      label: 'check quota',
      method: 'GET',
      url: `${ORGANIZATION_URL}/quota/check`,
      action: QUOTA.readOfOrganization,
      query: '?subject=size:all',
    },
    ...['attachments', 'artifacts', 'packages'].map((kind) => ({
      label: `${kind} of the quota`,
      method: 'GET',
      url: `${ORGANIZATION_URL}/quota/${kind}`,
      action: QUOTA.readOfOrganization,
    })),
  ],
  others: [
    { label: 'own quota', method: 'GET', url: OWN, action: QUOTA.readOwn },
    {
      label: 'check own quota',
      method: 'GET',
      url: `${OWN}/check`,
      action: QUOTA.readOwn,
      query: '?subject=size:all',
    },
    ...['attachments', 'artifacts', 'packages'].map((kind) => ({
      label: `${kind} of the own quota`,
      method: 'GET',
      url: `${OWN}/${kind}`,
      action: QUOTA.readOwn,
    })),
    { label: 'list quota rules', method: 'GET', url: RULES, action: QUOTA.read },
    {
      label: 'create quota rule',
      method: 'POST',
      url: RULES,
      action: QUOTA.change,
      sent: { json: {} },
    },
    ...(['GET', 'PATCH', 'DELETE'] as const).map((method) => ({
      label: `${method} quota rule`,
      method,
      url: `${RULES}/:quotarule`,
      action: method === 'GET' ? QUOTA.read : QUOTA.change,
      filled: GROUP,
      isOfMissing: true as const,
      ...(method === 'PATCH' ? { sent: { json: { limit: 1 } } } : {}),
    })),
    { label: 'list quota groups', method: 'GET', url: GROUPS, action: QUOTA.read },
    {
      label: 'create quota group',
      method: 'POST',
      url: GROUPS,
      action: QUOTA.change,
      sent: { json: {} },
    },
    ...(['GET', 'DELETE'] as const).map((method) => ({
      label: `${method} quota group`,
      method,
      url: `${GROUPS}/:quotagroup`,
      action: method === 'GET' ? QUOTA.read : QUOTA.change,
      filled: GROUP,
      isOfMissing: true as const,
    })),
    ...(['PUT', 'DELETE'] as const).flatMap((method) =>
      ['rules/:quotarule', 'users/:username'].map((end) => ({
        label: `${method} ${end.split('/')[0]} of quota group`,
        method,
        url: `${GROUPS}/:quotagroup/${end}`,
        action: QUOTA.change,
        filled: GROUP,
        isOfMissing: true as const,
      })),
    ),
    {
      label: 'list users of quota group',
      method: 'GET',
      url: `${GROUPS}/:quotagroup/users`,
      action: QUOTA.read,
      filled: GROUP,
      isOfMissing: true,
    },
    {
      label: 'quota of a user',
      method: 'GET',
      url: '/api/v1/admin/users/:username/quota',
      action: QUOTA.read,
      filled: { ':username': 'ada' },
    },
    {
      label: 'set quota groups of a user',
      method: 'POST',
      url: '/api/v1/admin/users/:username/quota/groups',
      action: QUOTA.change,
      filled: { ':username': 'ada' },
      sent: { json: {} },
    },
  ],
};
