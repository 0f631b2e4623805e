import { FOLLOW } from '../../../src/people/follows/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const OWN = '/api/v1/user/following/:username';
const OF = '/api/v1/users/:username';

export const PROBES: FeatureProbes = {
  others: [
    { label: 'own followers', method: 'GET', url: '/api/v1/user/followers', action: FOLLOW.readOwn },
    { label: 'own followed', method: 'GET', url: '/api/v1/user/following', action: FOLLOW.readOwn },
    {
      label: 'check own follow',
      method: 'GET',
      url: OWN,
      action: FOLLOW.readOwn,
      filled: { ':username': 'zoe' },
      isOfMissing: true,
    },
    {
      label: 'follow a missing account',
      method: 'PUT',
      url: OWN,
      action: FOLLOW.change,
      filled: { ':username': 'missing' },
      isOfMissing: true,
    },
    {
      label: 'unfollow',
      method: 'DELETE',
      url: OWN,
      action: FOLLOW.change,
      filled: { ':username': 'zoe' },
    },
    {
      label: 'followers of a limited account',
      method: 'GET',
      url: `${OF}/followers`,
      action: FOLLOW.list,
      filled: { ':username': 'lin' },
    },
    {
      label: 'accounts that a user follows',
      method: 'GET',
      url: `${OF}/following`,
      action: FOLLOW.list,
      filled: { ':username': 'ada' },
    },
    {
      label: 'check follow',
      method: 'GET',
      url: `${OF}/following/:target`,
      action: FOLLOW.list,
      filled: { ':username': 'ada', ':target': 'zoe' },
      isOfMissing: true,
    },
  ],
};
