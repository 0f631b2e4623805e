import { LANGUAGE } from '../../../src/hosting/languages/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list languages', method: 'GET', url: `${REPOSITORY_URL}/languages`, action: LANGUAGE.list },
  ],
};
