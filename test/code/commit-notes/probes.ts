import { COMMIT_NOTE } from '../../../src/code/commit-notes/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const URL = `${REPOSITORY_URL}/git/notes/:sha`;
const MAIN = { ':sha': 'main' };

export const PROBES: FeatureProbes = {
  ownOperations: ['repoRemoveNote', 'repoSetNote'],
  repository: [
    {
      label: 'note on a commit',
      method: 'GET',
      url: URL,
      action: COMMIT_NOTE.read,
      filled: MAIN,
      isOfMissing: true,
    },
    {
      label: 'set note on a commit',
      method: 'POST',
      url: URL,
      action: COMMIT_NOTE.set,
      filled: { ':sha': 'missing' },
      sent: { json: { message: 'Tested.' } },
      isOfMissing: true,
    },
    {
      label: 'remove note on a commit',
      method: 'DELETE',
      url: URL,
      action: COMMIT_NOTE.remove,
      filled: MAIN,
      isOfMissing: true,
    },
  ],
};
