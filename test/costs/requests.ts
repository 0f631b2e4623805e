import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batch, download, objectOf, upload } from '../hosting/lfs/objects.ts';
import { git } from '../support/git/git.ts';
import type { SendOptions } from '../support/http/http.ts';
import { createClient, tokensFor } from '../support/http/oauth.ts';
import { PageReader } from '../support/http/page-reader.ts';
import { commit, type Stage } from './stage.ts';

/** @param turn 1 for the first request after a start, 2 for the next one */
type Prepare = (stage: Stage, turn: number) => Promise<() => Promise<unknown>>;

export interface CountedRequest {
  readonly name: string;
  /** Does what comes before, and returns what is counted. */
  readonly prepare: Prepare;
}

const API = '/api/v1';
const ENGINE = `${API}/repos/ada/engine`;
const TARGET = `${API}/repos/ada/target`;
const NOTES = '/index.php/apps/notes/api/v1/notes';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly options?: SendOptions;
  /** by token, unless stated */
  readonly by?: 'token' | 'password' | 'no one';
}

/** Sends a request, which must succeed. */
async function send({ forge, ada }: Stage, { method, path, options = {}, by = 'token' }: Sent) {
  const credentials = {
    token: ada,
    password: { name: ada.name, password: ada.password },
    'no one': undefined,
  };
  const as = credentials[by];
  const answer = await forge.send(method, path, { ...options, ...(as === undefined ? {} : { as }) });
  if (answer.status >= 400) throw new Error(`${method} ${path} returned ${answer.status}: ${answer.text}`);
  return answer;
}

function counted(name: string, sent: (turn: number) => Sent): CountedRequest {
  return { name, prepare: async (stage, turn) => () => send(stage, sent(turn)) };
}

function get(name: string, path: string, by: Sent['by'] = 'token'): CountedRequest {
  return counted(name, () => ({ method: 'GET', path, by }));
}

/** Signs in before, so that only the request of a browser that has signed in is counted. */
function bySession(name: string, path: string): CountedRequest {
  return {
    name,
    async prepare({ forge, ada }) {
      const reader = new PageReader(forge);
      await reader.signIn(ada);
      return async () => {
        const { status, text } = await reader.get(path);
        if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${text}`);
      };
    },
  };
}

/** Lets an application act for the user before, so that only its request is counted. */
function byApplication(name: string, path: string): CountedRequest {
  return {
    name,
    async prepare({ forge, ada }) {
      const reader = new PageReader(forge);
      await reader.signIn(ada);
      const { access: token } = await tokensFor(forge, await createClient(ada), { reader });
      return async () => {
        const { status, text } = await forge.get(path, { as: { token } });
        if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${text}`);
      };
    },
  };
}

function change(name: string, method: string, sent: (turn: number) => [string, unknown?]): CountedRequest {
  return counted(name, (turn) => {
    const [path, json] = sent(turn);
    return { method, path, ...(json === undefined ? {} : { options: { json } }) };
  });
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function filesOf(turn: number): readonly unknown[] {
  return Array.from({ length: 16 }, (_, index) => ({
    operation: 'create',
    path: `many-${turn}/file-${index}.txt`,
    content: base64(`file ${index}\n`),
  }));
}

const LISTS: readonly CountedRequest[] = [
  get('version', `${API}/version`, 'no one'),
  get('repository, anonymous', ENGINE, 'no one'),
  get('repository, by token', ENGINE),
  get('repository, by password', ENGINE, 'password'),
  byApplication('repository, by OAuth2 token', ENGINE),
  bySession('repository, by session', ENGINE),
  bySession('page of a repository, by session', '/ada/engine'),
  get('search, page of 10', `${API}/repos/search?limit=10`),
  get('search, page of 50', `${API}/repos/search?limit=50`),
  get('search of a word', `${API}/repos/search?q=repository&limit=10`),
  get('own repositories, page of 50', `${API}/user/repos?limit=50`),
  get('own migrations', `${API}/user/migrations`),
  get('own organizations', `${API}/user/orgs`),
  get('teams of an organization', `${API}/orgs/guild/teams`),
];

const CONTENTS: readonly CountedRequest[] = [
  get('contents of a file of 10 KB', `${ENGINE}/contents/10kb.txt`),
  get('contents of a file of 100 KB', `${ENGINE}/contents/100kb.txt`),
  get('contents of a directory of 24', `${ENGINE}/contents`),
  get('raw file of 10 KB', `${ENGINE}/raw/10kb.txt`),
  get('raw file of 2 MB', `${ENGINE}/raw/2mb.txt`),
  get('tree, with all below', `${ENGINE}/git/trees/main?recursive=true`),
  get('archive', `${ENGINE}/archive/main.zip`),
];

const HISTORY: readonly CountedRequest[] = [
  get('commits', `${ENGINE}/commits`),
  get('commits of a file', `${ENGINE}/commits?path=README.md`),
  get('one commit', `${ENGINE}/git/commits/main`),
  get('comparison of 3 commits', `${ENGINE}/compare/topic...main`),
  get('branches', `${ENGINE}/branches`),
  get('tags', `${ENGINE}/tags`),
];

const CHANGES: readonly CountedRequest[] = [
  change('create a repository', 'POST', (turn) => [`${API}/user/repos`, { name: `new-${turn}` }]),
  change('create a repository with a first commit', 'POST', (turn) => [
    `${API}/user/repos`,
    { name: `begun-${turn}`, auto_init: true },
  ]),
  change('commit of a file', 'POST', (turn) => [
    `${TARGET}/contents/new-${turn}.txt`,
    { content: base64(`new ${turn}\n`) },
  ]),
  change('commit of 16 files', 'POST', (turn) => [`${TARGET}/contents`, { files: filesOf(turn) }]),
  change('create a branch', 'POST', (turn) => [`${TARGET}/branches`, { new_branch_name: `new-${turn}` }]),
  change('delete a branch', 'DELETE', (turn) => [`${TARGET}/branches/new-${turn}`]),
];

const GIT: readonly CountedRequest[] = [
  get('refs for a fetch', '/ada/engine.git/info/refs?service=git-upload-pack', 'password'),
  {
    name: 'clone',
    prepare: async (stage) => {
      const folder = await stage.folder();
      return () => git(folder, ['clone', '-q', '--bare', stage.ada.remote('ada/engine'), '.']);
    },
  },
  {
    name: 'clone of depth 1',
    prepare: async (stage) => {
      const folder = await stage.folder();
      return () => git(folder, ['clone', '-q', '--depth=1', stage.ada.remote('ada/engine'), '.']);
    },
  },
  {
    name: 'fetch without news',
    prepare:
      async ({ source }) =>
      () =>
        git(source, ['fetch', '-q', 'origin']),
  },
  {
    name: 'push of one commit',
    prepare: async ({ source }, turn) => {
      await writeFile(join(source, 'pushed.txt'), `pushed ${turn}\n`);
      await commit(source, `Push ${turn}`);
      return () => git(source, ['push', '-q', 'origin', 'main']);
    },
  },
];

const ISSUES: readonly CountedRequest[] = [
  get('issues, page of 30', `${ENGINE}/issues?limit=30`),
  get('search of issues', `${ENGINE}/issues?q=text`),
  get('one issue', `${ENGINE}/issues/1`),
  get('comments of an issue', `${ENGINE}/issues/1/comments`),
  change('create an issue', 'POST', (turn) => [`${ENGINE}/issues`, { title: `New ${turn}`, body: 'text' }]),
  change('comment on an issue', 'POST', (turn) => [
    `${ENGINE}/issues/2/comments`,
    { body: `New comment ${turn}` },
  ]),
];

async function firstNote(stage: Stage): Promise<string> {
  const listed = await send(stage, { method: 'GET', path: `${NOTES}?exclude=content`, by: 'password' });
  return `${NOTES}/${listed.body[0].id}`;
}

const NOTE_REQUESTS: readonly CountedRequest[] = [
  get('notes', NOTES, 'password'),
  {
    name: 'notes, unchanged',
    prepare: async (stage) => {
      const listed = await send(stage, { method: 'GET', path: NOTES, by: 'password' });
      const headers = { 'if-none-match': listed.headers.get('etag') ?? '' };
      return () => send(stage, { method: 'GET', path: NOTES, options: { headers }, by: 'password' });
    },
  },
  {
    name: 'one note',
    prepare: async (stage) => {
      const path = await firstNote(stage);
      return () => send(stage, { method: 'GET', path, by: 'password' });
    },
  },
  {
    name: 'save a note',
    prepare: async (stage, turn) => {
      const path = await firstNote(stage);
      const options = { json: { content: `saved ${turn}\n` } };
      return () => send(stage, { method: 'PUT', path, options, by: 'password' });
    },
  },
];

const LARGE = 'ada/large';
const contentOf = (turn: number) => `a large file ${turn}\n`;

const LARGE_FILES: readonly CountedRequest[] = [
  {
    name: 'batch and upload of a large file',
    prepare:
      async ({ ada }, turn) =>
      () =>
        upload(ada, LARGE, contentOf(turn)),
  },
  {
    name: 'batch of a large file',
    prepare:
      async ({ ada }, turn) =>
      () =>
        batch(ada, LARGE, 'download', [objectOf(contentOf(turn))]),
  },
  {
    name: 'batch and download of a large file',
    prepare:
      async ({ ada }, turn) =>
      () =>
        download(ada, LARGE, objectOf(contentOf(turn))),
  },
];

/** The main requests. A later one may use what an earlier one has created. */
export const COUNTED_REQUESTS: readonly CountedRequest[] = [
  ...LISTS,
  ...CONTENTS,
  ...HISTORY,
  ...CHANGES,
  ...GIT,
  ...ISSUES,
  ...NOTE_REQUESTS,
  ...LARGE_FILES,
];
