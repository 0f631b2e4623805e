import { CONTENTS } from '../../../src/code/contents/actions.ts';
import { type FeatureProbes, REPOSITORY_URL } from '../../api/access/probe.ts';

const NO_SHA = '0'.repeat(40);

export const PROBES: FeatureProbes = {
  ownOperations: [
    'repoGetContentsExt',
    'repoGetContentsExtRoot',
    'repoGetFileContents',
    'repoGetFileContentsPost',
  ],
  repository: [
    { label: 'list root', method: 'GET', url: `${REPOSITORY_URL}/contents`, action: CONTENTS.read },
    { label: 'read file', method: 'GET', url: `${REPOSITORY_URL}/contents/*`, action: CONTENTS.read },
    {
      label: 'extended root',
      method: 'GET',
      url: `${REPOSITORY_URL}/contents-ext`,
      action: CONTENTS.read,
    },
    {
      label: 'extended file',
      method: 'GET',
      url: `${REPOSITORY_URL}/contents-ext/*`,
      action: CONTENTS.read,
    },
    {
      label: 'several files',
      method: 'GET',
      url: `${REPOSITORY_URL}/file-contents`,
      query: `?body=${encodeURIComponent('{"files":["README.md"]}')}`,
      action: CONTENTS.read,
    },
    {
      label: 'several files by POST',
      method: 'POST',
      url: `${REPOSITORY_URL}/file-contents`,
      action: CONTENTS.readByPost,
      sent: { json: { files: ['README.md'] } },
    },
    { label: 'raw', method: 'GET', url: `${REPOSITORY_URL}/raw/*`, action: CONTENTS.readRaw },
    { label: 'media', method: 'GET', url: `${REPOSITORY_URL}/media/*`, action: CONTENTS.readRaw },
    {
      label: 'change files',
      method: 'POST',
      url: `${REPOSITORY_URL}/contents`,
      action: CONTENTS.write,
      sent: { json: { files: [{ operation: 'update', path: 'README.md', content: '', sha: NO_SHA }] } },
    },
    {
      label: 'create file',
      method: 'POST',
      url: `${REPOSITORY_URL}/contents/*`,
      action: CONTENTS.write,
      filled: { '*': 'new/COUNT' },
      sent: { json: { content: '' } },
    },
    {
      label: 'update file',
      method: 'PUT',
      url: `${REPOSITORY_URL}/contents/*`,
      action: CONTENTS.write,
      sent: { json: { content: '', sha: NO_SHA } },
    },
    {
      label: 'apply patch',
      method: 'POST',
      url: `${REPOSITORY_URL}/diffpatch`,
      action: CONTENTS.write,
      sent: { json: { content: 'no patch' } },
    },
    {
      label: 'delete file',
      method: 'DELETE',
      url: `${REPOSITORY_URL}/contents/*`,
      action: CONTENTS.write,
      sent: { json: { sha: NO_SHA } },
    },
  ],
};
