import { TAG } from '../../../src/code/tags/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const URL = `${REPOSITORY_URL}/tags`;
const MISSING = { '*': 'missing' };

export const PROBES: FeatureProbes = {
  ownOperations: ['repoCreateGitTag'],
  repository: [
    { label: 'list tags', method: 'GET', url: URL, action: TAG.read },
    { label: 'tag', method: 'GET', url: `${URL}/*`, action: TAG.read, filled: MISSING },
    {
      label: 'annotated tag',
      method: 'GET',
      url: `${REPOSITORY_URL}/git/tags/:sha`,
      action: TAG.read,
      filled: { ':sha': 'COMMIT' },
    },
    {
      label: 'create tag',
      method: 'POST',
      url: URL,
      action: TAG.create,
      sent: { json: { tag_name: 'not a name' } },
    },
    {
      label: 'create annotated tag',
      method: 'POST',
      url: `${REPOSITORY_URL}/git/tags`,
      action: TAG.create,
      sent: { json: { tag: 'not a name', message: 'm', object: 'x' } },
    },
    {
      label: 'delete tag',
      method: 'DELETE',
      url: `${URL}/*`,
      action: TAG.delete,
      filled: MISSING,
      isOfMissing: true,
    },
  ],
};
