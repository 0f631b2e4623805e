import { globSync } from 'node:fs';
import path from 'node:path';
import type { FeatureProbes, Probe } from './probe.ts';

// Assembles the probes of all features: `probes.ts` in the folder of its tests, in the order of the folders of src/.

const TESTS = path.resolve(import.meta.dirname, '../..');
const { ORDER }: { ORDER: readonly string[] } = await import(
  path.resolve(TESTS, '../.dependency-cruiser.mjs')
);

const files = globSync('{*,*/*}/probes.ts', { cwd: TESTS }).filter(
  (file) => path.join(TESTS, file) !== import.meta.filename,
);
const features = files.toSorted((one, other) => positionOf(one) - positionOf(other));
const parts = await Promise.all(
  features.map(async (file): Promise<FeatureProbes> => (await import(path.join(TESTS, file))).PROBES),
);

function positionOf(file: string): number {
  return ORDER.indexOf(path.dirname(file));
}

export const REPOSITORY_PROBES: readonly Probe[] = parts.flatMap(({ repository = [] }) => repository);
export const ORGANIZATION_PROBES: readonly Probe[] = parts.flatMap(({ organization = [] }) => organization);
export const OTHER_PROBES: readonly Probe[] = parts.flatMap(({ others = [] }) => others);
export const ALL_PROBES: readonly Probe[] = [...REPOSITORY_PROBES, ...ORGANIZATION_PROBES, ...OTHER_PROBES];
export const OWN_OPERATIONS: readonly string[] = parts.flatMap(({ ownOperations = [] }) => ownOperations);
export const OPEN_ROUTES: readonly string[] = parts.flatMap(({ open = [] }) => open);
