import { PULL } from '../../../src/tracker/pulls/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';
import { DIFF_PROBES } from './diff-probes.ts';
import { REVIEW_OPERATIONS, REVIEW_PROBES } from './review-probes.ts';

const PULLS_URL = `${REPOSITORY_URL}/pulls`;
const PULL_URL = `${PULLS_URL}/:number`;
const MISSING = { filled: { ':number': '999999' }, isOfMissing: true } as const;
const NO_COMMIT = { filled: { ':sha': '1'.repeat(40) }, isOfMissing: true } as const;

export const PROBES: FeatureProbes = {
  ownOperations: ['repoRevertCommit', 'repoCherryPickCommit', ...REVIEW_OPERATIONS],
  repository: [
    { label: 'list pull requests', method: 'GET', url: PULLS_URL, action: PULL.read },
    {
      label: 'open pull request',
      method: 'POST',
      url: PULLS_URL,
      action: PULL.create,
      sent: { json: { title: 'x', base: 'no/base', head: 'no/head' } },
      isOfMissing: true,
    },
    {
      label: 'pull request between branches',
      method: 'GET',
      url: `${PULLS_URL}/:base/*`,
      action: PULL.read,
      isOfMissing: true,
    },
    { label: 'pull request', method: 'GET', url: PULL_URL, action: PULL.read, ...MISSING },
    {
      label: 'edit pull request',
      method: 'PATCH',
      url: PULL_URL,
      action: PULL.change,
      sent: { json: {} },
      ...MISSING,
    },
    {
      label: 'is pull request merged',
      method: 'GET',
      url: `${PULL_URL}/merge`,
      action: PULL.read,
      ...MISSING,
    },
    {
      label: 'merge pull request',
      method: 'POST',
      url: `${PULL_URL}/merge`,
      action: PULL.merge,
      sent: { json: { Do: 'merge' } },
      ...MISSING,
    },
    { label: 'cancel merge', method: 'DELETE', url: `${PULL_URL}/merge`, action: PULL.merge, ...MISSING },
    {
      label: 'update pull request',
      method: 'POST',
      url: `${PULL_URL}/update`,
      action: PULL.merge,
      ...MISSING,
    },
    ...DIFF_PROBES,
    ...(['revert', 'cherry-pick'] as const).map((name) => ({
      label: `${name} commit`,
      method: 'POST',
      url: `${REPOSITORY_URL}/commits/:sha/${name}`,
      action: PULL.apply,
      sent: { json: {} },
      ...NO_COMMIT,
    })),
    ...REVIEW_PROBES,
  ],
};
