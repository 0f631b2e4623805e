import { GIT_DATA } from '../../../src/code/git-data/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const URL = `${REPOSITORY_URL}/git`;

export const PROBES: FeatureProbes = {
  ownOperations: ['GetBlobs', 'repoCreateGitBlob', 'repoCreateGitCommit', 'repoCreateGitTree'],
  repository: [
    {
      label: 'git blob',
      method: 'GET',
      url: `${URL}/blobs/:sha`,
      action: GIT_DATA.read,
      filled: { ':sha': 'BLOB' },
    },
    {
      label: 'git blobs',
      method: 'GET',
      url: `${URL}/blobs`,
      action: GIT_DATA.read,
      query: '?shas=BLOB',
    },
    {
      label: 'git tree',
      method: 'GET',
      url: `${URL}/trees/:sha`,
      action: GIT_DATA.read,
      filled: { ':sha': 'main' },
    },
    {
      label: 'git commit',
      method: 'GET',
      url: `${URL}/commits/:sha`,
      action: GIT_DATA.read,
      filled: { ':sha': 'COMMIT' },
    },
    {
      label: 'create git blob',
      method: 'POST',
      url: `${URL}/blobs`,
      action: GIT_DATA.write,
      sent: { json: { content: 'not base64', encoding: 'base64' } },
    },
    {
      label: 'create git tree',
      method: 'POST',
      url: `${URL}/trees`,
      action: GIT_DATA.write,
      sent: { json: { tree: [] } },
    },
    {
      label: 'create git commit',
      method: 'POST',
      url: `${URL}/commits`,
      action: GIT_DATA.write,
      sent: { json: { message: 'no tree', tree: 'x' } },
    },
  ],
};
