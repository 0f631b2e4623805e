import { COMMIT } from '../../../src/code/commits/actions.ts';
import { CONTENTS } from '../../../src/code/contents/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list commits', method: 'GET', url: `${REPOSITORY_URL}/commits`, action: COMMIT.read },
    {
      label: 'compare',
      method: 'GET',
      url: `${REPOSITORY_URL}/compare/*`,
      action: COMMIT.read,
      filled: { '*': 'main...main' },
    },
    {
      label: 'diff',
      method: 'GET',
      url: `${REPOSITORY_URL}/git/commits/:sha.:diffType(^diff|patch$)`,
      action: COMMIT.read,
      filled: { ':sha': 'main', ':diffType': 'diff' },
    },
    {
      label: 'diff of a comparison',
      method: 'GET',
      url: '/:owner/:repo/compare/*',
      action: CONTENTS.readRaw,
      filled: { '*': 'main...main.diff' },
    },
  ],
};
