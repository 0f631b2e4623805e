import { BLOCK } from '../../../src/people/blocks/actions.ts';
import { type FeatureProbes, ORGANIZATION_URL } from '../../api/access/probe.ts';

const MISSING = { ':username': 'missing' };

export const PROBES: FeatureProbes = {
  ownOperations: ['orgBlockUser', 'orgListBlockedUsers', 'orgUnblockUser', 'userListBlockedUsers'],
  organization: [
    {
      label: 'list blocked users',
      method: 'GET',
      url: `${ORGANIZATION_URL}/list_blocked`,
      action: BLOCK.readOf,
    },
    {
      label: 'block a missing user',
      method: 'PUT',
      url: `${ORGANIZATION_URL}/block/:username`,
      action: BLOCK.changeOf,
      filled: MISSING,
      isOfMissing: true,
    },
    {
      label: 'unblock',
      method: 'PUT',
      url: `${ORGANIZATION_URL}/unblock/:username`,
      action: BLOCK.changeOf,
      filled: { ':username': 'zoe' },
    },
  ],
  others: [
    { label: 'own blocked users', method: 'GET', url: '/api/v1/user/list_blocked', action: BLOCK.read },
    {
      label: 'block a missing user',
      method: 'PUT',
      url: '/api/v1/user/block/:username',
      action: BLOCK.change,
      filled: MISSING,
      isOfMissing: true,
    },
    {
      label: 'unblock',
      method: 'PUT',
      url: '/api/v1/user/unblock/:username',
      action: BLOCK.change,
      filled: { ':username': 'zoe' },
    },
  ],
};
