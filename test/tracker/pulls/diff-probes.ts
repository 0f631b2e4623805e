import { PULL } from '../../../src/tracker/pulls/actions.ts';
import { type Probe, REPOSITORY_URL } from '../../api/access/probe.ts';

const PULL_URL = `${REPOSITORY_URL}/pulls/:number`;
const READ = { method: 'GET', action: PULL.read } as const;
const MISSING = { filled: { ':number': '999999' }, isOfMissing: true } as const;
const TEXT = { filled: { ...MISSING.filled, ':diffType': 'diff' }, isOfMissing: true } as const;

export const DIFF_PROBES: readonly Probe[] = [
  { label: 'pinned pull requests', url: `${REPOSITORY_URL}/pulls/pinned`, ...READ },
  { label: 'commits of pull request', url: `${PULL_URL}/commits`, ...READ, ...MISSING },
  { label: 'files of pull request', url: `${PULL_URL}/files`, ...READ, ...MISSING },
  { label: 'diff of pull request', url: `${PULL_URL}.:diffType(^diff|patch$)`, ...READ, ...TEXT },
  {
    label: 'diff of pull request, web',
    url: '/:owner/:repo/pulls/:number.:diffType(^diff|patch$)',
    ...READ,
    ...TEXT,
  },
  {
    label: 'pull request of commit',
    url: `${REPOSITORY_URL}/commits/:sha/pull`,
    ...READ,
    filled: { ':sha': '1'.repeat(40) },
    isOfMissing: true,
  },
];
