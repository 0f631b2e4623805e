import { EDITORCONFIG } from '../../../src/code/editorconfig/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

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
