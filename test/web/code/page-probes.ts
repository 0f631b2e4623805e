import { BRANCH } from '../../../src/code/branches/actions.ts';
import { COMMIT } from '../../../src/code/commits/actions.ts';
import { CONTENTS } from '../../../src/code/contents/actions.ts';
import { TAG } from '../../../src/code/tags/actions.ts';
import type { Probe } from '../../api/access/probe.ts';

const FILE = { ':kind': 'branch', '*': 'main/README.md' };
const BOUNDARY = 'probe';
const EMPTY_UPLOAD = {
  body: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="branch"\r\n\r\nmain\r\n--${BOUNDARY}--\r\n`,
  headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
};

/** Forms without fields change nothing. */
const FORMS: readonly Probe[] = [
  {
    label: 'new branch on the page',
    method: 'POST',
    url: '/:owner/:repo/branches/_new',
    action: BRANCH.create,
  },
  {
    label: 'rename branch on the page',
    method: 'POST',
    url: '/:owner/:repo/branches/rename',
    action: BRANCH.rename,
  },
  {
    label: 'delete branch on the page',
    method: 'POST',
    url: '/:owner/:repo/branches/delete',
    action: BRANCH.delete,
  },
  { label: 'delete tag on the page', method: 'POST', url: '/:owner/:repo/tags/delete', action: TAG.delete },
];

const EDITING: readonly Probe[] = [
  { name: '_edit', words: 'edit a file' },
  { name: '_new', words: 'new file' },
  { name: '_delete', words: 'delete a file' },
  { name: '_upload', words: 'upload files' },
].flatMap(({ name, words }): readonly Probe[] => {
  const url = `/:owner/:repo/${name}/*`;
  const filled = { '*': 'main/README.md' };
  const sent = name === '_upload' ? { sent: EMPTY_UPLOAD } : {};
  return [
    { label: `page: ${words}`, method: 'GET', url, action: CONTENTS.write, filled },
    { label: `form: ${words}`, method: 'POST', url, action: CONTENTS.write, filled, ...sent },
  ];
});

/** Pages of commits, branches and tags, and of lines and files that are found; forms that change files. */
export const CODE_PROBES: readonly Probe[] = [
  {
    label: 'page of commits',
    method: 'GET',
    url: '/:owner/:repo/commits/:kind/*',
    action: COMMIT.read,
    filled: { ':kind': 'branch', '*': 'main' },
  },
  { label: 'page of branches', method: 'GET', url: '/:owner/:repo/branches', action: BRANCH.read },
  { label: 'page of tags', method: 'GET', url: '/:owner/:repo/tags', action: TAG.read },
  {
    label: 'page of blame',
    method: 'GET',
    url: '/:owner/:repo/blame/:kind/*',
    action: CONTENTS.readRaw,
    filled: FILE,
  },
  { label: 'page of code search', method: 'GET', url: '/:owner/:repo/search', action: CONTENTS.readRaw },
  {
    label: 'file finder',
    method: 'GET',
    url: '/:owner/:repo/find/:kind/*',
    action: CONTENTS.readRaw,
    filled: { ':kind': 'branch', '*': 'main' },
  },
  ...FORMS,
  ...EDITING,
];
