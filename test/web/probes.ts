import type { FeatureProbes } from '../access/probe.ts';

export const PROBES: FeatureProbes = {
  open: [
    'GET /',
    'GET /api/healthz',
    'GET /metrics',
    'GET /swagger.v1.json',
    'GET /api/swagger',
    'GET /api/swagger/:file',
    'GET /api/v1/version',
    'GET /api/v1/settings/api',
  ],
};
