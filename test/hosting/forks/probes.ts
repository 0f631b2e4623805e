import { FORK } from '../../../src/hosting/forks/actions.ts';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  ownOperations: [
    'repoSyncForkBranch',
    'repoSyncForkBranchInfo',
    'repoSyncForkDefault',
    'repoSyncForkDefaultInfo',
  ],
  repository: [
    { label: 'list forks', method: 'GET', url: `${REPOSITORY_URL}/forks`, action: REPOSITORY.read },
    {
      label: 'fork',
      method: 'POST',
      url: `${REPOSITORY_URL}/forks`,
      action: REPOSITORY.fork,
      sent: { json: { name: 'not a name' } },
    },
    {
      label: 'compare with parent',
      method: 'GET',
      url: `${REPOSITORY_URL}/sync_fork`,
      action: REPOSITORY.fetch,
    },
    {
      label: 'compare branch with parent',
      method: 'GET',
      url: `${REPOSITORY_URL}/sync_fork/:branch`,
      action: REPOSITORY.fetch,
    },
    {
      label: 'sync fork',
      method: 'POST',
      url: `${REPOSITORY_URL}/sync_fork`,
      action: FORK.syncFork,
    },
    {
      label: 'sync branch of fork',
      method: 'POST',
      url: `${REPOSITORY_URL}/sync_fork/:branch`,
      action: FORK.syncFork,
    },
    {
      label: 'merge upstream',
      method: 'POST',
      url: `${REPOSITORY_URL}/merge-upstream`,
      action: FORK.syncFork,
      sent: { json: {} },
    },
  ],
};
