import { ACCOUNT_REPOSITORIES } from '../../../src/hosting/repositories/actions.ts';
import { STAR, WATCH } from '../../../src/hosting/stars/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const STAR_URL = '/api/v1/user/starred/:owner/:repo';

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'star', method: 'PUT', url: STAR_URL, action: STAR.change },
    { label: 'own star', method: 'GET', url: STAR_URL, action: STAR.read },
    { label: 'unstar', method: 'DELETE', url: STAR_URL, action: STAR.change },
    { label: 'list stargazers', method: 'GET', url: `${REPOSITORY_URL}/stargazers`, action: STAR.list },
    { label: 'watch', method: 'PUT', url: `${REPOSITORY_URL}/subscription`, action: WATCH.change },
    { label: 'own watch', method: 'GET', url: `${REPOSITORY_URL}/subscription`, action: WATCH.read },
    { label: 'unwatch', method: 'DELETE', url: `${REPOSITORY_URL}/subscription`, action: WATCH.change },
    { label: 'list watchers', method: 'GET', url: `${REPOSITORY_URL}/subscribers`, action: WATCH.list },
  ],
  others: [
    {
      label: 'own stars',
      method: 'GET',
      url: '/api/v1/user/starred',
      action: ACCOUNT_REPOSITORIES.listRepositories,
    },
    {
      label: "another's stars",
      method: 'GET',
      url: '/api/v1/users/:username/starred',
      action: ACCOUNT_REPOSITORIES.listRepositoriesOf,
      filled: { ':username': 'ada' },
    },
    {
      label: 'own watches',
      method: 'GET',
      url: '/api/v1/user/subscriptions',
      action: ACCOUNT_REPOSITORIES.listRepositories,
    },
    {
      label: "another's watches",
      method: 'GET',
      url: '/api/v1/users/:username/subscriptions',
      action: ACCOUNT_REPOSITORIES.listRepositoriesOf,
      filled: { ':username': 'ada' },
    },
  ],
};
