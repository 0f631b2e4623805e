import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = {
  open: [
    'GET /api/v1/gitignore/templates',
    'GET /api/v1/gitignore/templates/:name',
    'GET /api/v1/licenses',
    'GET /api/v1/licenses/:name',
    'GET /api/v1/label/templates',
    'GET /api/v1/label/templates/:name',
  ],
};
