import { BRANCH } from '../../../src/code/branches/actions.ts';
import { type FeatureProbes, NO_NAME, REPOSITORY_URL } from '../../api/access/probe.ts';

const URL = `${REPOSITORY_URL}/branches`;

export const PROBES: FeatureProbes = {
  repository: [
    { label: 'list branches', method: 'GET', url: URL, action: BRANCH.read },
    { label: 'branch', method: 'GET', url: `${URL}/*`, action: BRANCH.read, filled: { '*': 'main' } },
    {
      label: 'create branch',
      method: 'POST',
      url: URL,
      action: BRANCH.create,
      sent: { json: { new_branch_name: 'not a name' } },
    },
    {
      label: 'rename branch',
      method: 'PATCH',
      url: `${URL}/*`,
      action: BRANCH.rename,
      filled: { '*': 'main' },
      sent: NO_NAME,
    },
    {
      label: 'delete branch',
      method: 'DELETE',
      url: `${URL}/*`,
      action: BRANCH.delete,
      filled: { '*': 'missing' },
      isOfMissing: true,
    },
  ],
};
