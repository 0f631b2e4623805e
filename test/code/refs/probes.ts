import { REF } from '../../../src/code/refs/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const URL = `${REPOSITORY_URL}/git`;
const MAIN = { '*': 'heads/main' };
const MISSING = { '*': 'heads/missing' };

export const PROBES: FeatureProbes = {
  ownOperations: [
    'repoCreateGitRef',
    'repoDeleteGitRef',
    'repoGetGitRef',
    'repoListMatchingGitRefs',
    'repoUpdateGitRef',
  ],
  repository: [
    { label: 'list refs', method: 'GET', url: `${URL}/refs`, action: REF.read },
    { label: 'refs by name', method: 'GET', url: `${URL}/refs/*`, action: REF.read, filled: MAIN },
    { label: 'matching refs', method: 'GET', url: `${URL}/matching-refs/*`, action: REF.read, filled: MAIN },
    { label: 'ref', method: 'GET', url: `${URL}/ref/*`, action: REF.read, filled: MAIN },
    {
      label: 'create ref',
      method: 'POST',
      url: `${URL}/refs`,
      action: REF.create,
      sent: { json: { ref: 'not a name', sha: 'x' } },
    },
    {
      label: 'move ref',
      method: 'PATCH',
      url: `${URL}/refs/*`,
      action: REF.move,
      filled: MISSING,
      sent: { json: { sha: 'x' } },
    },
    { label: 'delete ref', method: 'DELETE', url: `${URL}/refs/*`, action: REF.delete, filled: MISSING },
  ],
};
