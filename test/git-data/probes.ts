import { GIT_DATA } from '../../src/git-data/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../access/probe.ts';

const URL = `${REPOSITORY_URL}/git`;

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'git blob',
      method: 'GET',
      url: `${URL}/blobs/:sha`,
      action: GIT_DATA.read,
      filled: { ':sha': 'BLOB' },
    },
    {
      label: 'git tree',
      method: 'GET',
      url: `${URL}/trees/:sha`,
      action: GIT_DATA.read,
      filled: { ':sha': 'main' },
    },
    {
      label: 'git commit',
      method: 'GET',
      url: `${URL}/commits/:sha`,
      action: GIT_DATA.read,
      filled: { ':sha': 'COMMIT' },
    },
  ],
};
