import type { FeatureProbes } from '../../api/access/probe.ts';

export const PROBES: FeatureProbes = { open: ['GET /api/v1/nodeinfo'] };
