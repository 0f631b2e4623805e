import type { FeatureProbes } from '../access/probe.ts';

export const PROBES: FeatureProbes = { open: ['GET /-/objects/*'] };
