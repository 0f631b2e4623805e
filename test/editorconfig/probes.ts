import { EDITORCONFIG } from '../../src/editorconfig/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'editorconfig',
      method: 'GET',
      url: `${REPOSITORY_URL}/editorconfig/*`,
      action: EDITORCONFIG.read,
    },
  ],
};
