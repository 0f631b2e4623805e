import { ARCHIVE } from '../../../src/code/archives/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'archive',
      method: 'GET',
      url: `${REPOSITORY_URL}/archive/*`,
      action: ARCHIVE.get,
      filled: { '*': 'main.zip' },
    },
  ],
};
