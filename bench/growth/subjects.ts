import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Oid } from '../../src/git/format/model.ts';
import type { RepositoryId } from '../../src/git/interface/snapshot.ts';
import { makeForest } from '../corpus/forest.ts';
import type { Forge } from '../corpus/forge.ts';
import { runGit } from '../corpus/git.ts';
import { idleHistoryStream, LONG, longHistoryStream } from '../corpus/long-history.ts';
import { fillNotebook, NOTES_PATH } from '../corpus/notebook.ts';
import { noiseOfBytes, textOfBytes } from '../corpus/texts.ts';
import { makeIssues } from './issues.ts';
import type { Ground, Subject, Work } from './model.ts';
import { counter, expect, get } from './work.ts';

const REFS_TOGETHER = 10_000;
const MIRRORED_REFS = 10_000;
const MIRRORED_WITHIN_MS = 60_000;
const ASK_AGAIN_MS = 5;
const ANSWERED_WITHIN_MS = 1_800_000;
const ANSWERED_AGAIN_MS = 500;
const PIECE_BYTES = 1024 * 1024;
const FEW_ROUNDS = 5;

export const SUBJECTS: readonly Subject[] = [
  { name: 'repositories', sizes: [1_000, 1_000_000], make: makeRepositories },
  { name: 'commits', sizes: [1_000, 1_000_000], make: makeCommits },
  { name: 'entries of a folder', sizes: [100, 10_000], make: makeEntries },
  // A file of 1 MB stays in memory.
  { name: 'MB of a file', sizes: [2, 1_000], make: makeFile },
  { name: 'refs', sizes: [100, 100_000], make: makeRefs },
  { name: 'commits of a mirror with 10,000 refs', sizes: [1_000, 100_000], make: makeMirror },
  { name: 'notes', sizes: [1_000, 100_000], make: makeNotes },
  { name: 'issues', sizes: [1_000, 1_000_000], make: makeIssues },
];

async function makeRepositories({ database, forge }: Ground, size: number): Promise<readonly Work[]> {
  const { body } = await expect(forge, 'POST', '/api/v1/orgs', 201, { username: 'guild' });
  const { id } = JSON.parse(`${body}`) as { id: number };
  const repositories = await makeForest(database, id, size);
  const name = repositories[26]?.name ?? '';
  // The server has closed the connection meanwhile.
  await forge.ask('GET', '/api/v1/version').catch(() => {});
  await commitTo(forge, 'here');
  const next = counter();
  return [
    get(forge, 'a repository', forge.repositoryPath('here')),
    get(forge, 'a search for one name', `/api/v1/repos/search?q=${name}`),
    get(forge, 'a page of a search that finds half', '/api/v1/repos/search?q=service&limit=50'),
    get(forge, 'a page of all, newest change first', '/api/v1/repos/search?sort=updated&order=desc&limit=50'),
    get(forge, 'the repositories of a user', '/api/v1/users/owner-7/repos'),
    get(forge, 'a page of the repositories of an organization', '/api/v1/orgs/guild/repos?limit=50'),
    {
      about: 'creating a repository',
      run: () => expect(forge, 'POST', '/api/v1/user/repos', 201, { name: `made-${next()}` }),
    },
    commitWork(forge, 'here'),
  ];
}

async function makeCommits({ forge, folder }: Ground, size: number): Promise<readonly Work[]> {
  const bare = join(folder, 'from');
  await runGit(['init', '-q', '--bare', '-b', 'main', bare]);
  await runGit(['-C', bare, 'fast-import', '--quiet'], mostlyIdleHistory(size));
  await push(forge, bare, 'history', ['main']);
  const at = forge.repositoryPath('history');
  const commits = `${at}/commits?limit=50&stat=false&files=false`;
  const listing = `${at}/contents/${LONG.ordinary}`;
  await untilAnswered(forge, listing);
  return [
    get(forge, 'a file', `${at}/contents/page-3.md`),
    get(forge, 'a listing of 10 files', listing),
    get(forge, 'the newest commits', commits),
    get(forge, 'the 10th page of commits', `${commits}&page=10`),
    get(forge, 'the newest commits of a file', `${at}/commits?limit=10&path=page-1.md`),
    get(forge, 'branches', `${at}/branches`),
    commitWork(forge, 'history'),
    pushWork(forge, { bare, name: 'history', branch: 'pushed', from: 'main' }),
    {
      about: 'a clone of depth 1',
      rounds: FEW_ROUNDS,
      run: async () => {
        const into = join(folder, 'shallow');
        await runGit(['clone', '-q', '--bare', '--depth', '1', forge.publicRemoteOf('history'), into]);
        await rm(into, { recursive: true });
      },
    },
  ];
}

/** The latest tenth of the commits changes files. If all did, making a million would take git far longer. */
function* mostlyIdleHistory(commits: number): Generator<string> {
  const changing = commits / 10;
  yield* idleHistoryStream(commits - changing);
  yield* longHistoryStream(changing);
}

async function makeEntries({ forge, folder }: Ground, size: number): Promise<readonly Work[]> {
  const bare = join(folder, 'from');
  await runGit(['init', '-q', '--bare', '-b', 'main', bare]);
  const files = Array.from({ length: size }, (_, index) =>
    fileText(`wide/file-${index}`, textOfBytes(200, index)),
  );
  await runGit(['-C', bare, 'fast-import', '--quiet'], [commitText('main'), ...files]);
  await push(forge, bare, 'wide', ['main']);
  const at = forge.repositoryPath('wide');
  return [
    get(forge, 'a file in the folder', `${at}/contents/wide/file-50`),
    get(forge, 'a raw file in the folder', `${at}/raw/wide/file-50`),
    get(forge, 'the root', `${at}/contents`),
    { ...get(forge, 'a listing of the folder', `${at}/contents/wide`), mayGrow: true },
    commitWork(forge, 'wide', 'wide/'),
    pushWork(forge, { bare, name: 'wide', branch: 'main', from: 'main', path: 'wide/pushed' }),
  ];
}

async function makeFile({ forge, folder }: Ground, size: number): Promise<readonly Work[]> {
  const bare = join(folder, 'from');
  await runGit(['init', '-q', '--bare', '-b', 'main', bare]);
  const file = join(folder, 'large.bin');
  await pipeline(piecesOf(size), createWriteStream(file));
  const blob = `${await runGit(['-C', bare, 'hash-object', '-w', file])}`.trim();
  await runGit(['-C', bare, 'fast-import', '--quiet'], [commitText('main'), `M 100644 ${blob} large.bin\n`]);
  await push(forge, bare, 'large', ['main']);
  const at = forge.repositoryPath('large');
  const headers = (range: string) => ({ ...forge.byToken, range });
  return [
    get(forge, 'what the file is (contents, without its bytes above a limit)', `${at}/contents/large.bin`),
    get(forge, 'the listing with the file', `${at}/contents`),
    {
      about: 'its first KB (Range)',
      rounds: FEW_ROUNDS,
      run: () => expect(forge, 'GET', `${at}/raw/large.bin`, 206, undefined, headers('bytes=0-1023')),
    },
    {
      about: 'its last KB (Range)',
      mayGrow: true,
      rounds: FEW_ROUNDS,
      run: () => expect(forge, 'GET', `${at}/raw/large.bin`, 206, undefined, headers('bytes=-1024')),
    },
    {
      about: 'all of it',
      mayGrow: true,
      rounds: FEW_ROUNDS,
      run: async () => {
        const response = await fetch(`${forge.url}${at}/raw/large.bin`, { headers: forge.byToken });
        let bytes = 0;
        for await (const piece of response.body ?? []) bytes += (piece as Uint8Array).length;
        if (bytes !== (await stat(file)).size) throw new Error(`the file has ${bytes} bytes`);
      },
    },
    commitWork(forge, 'large'),
  ];
}

async function makeRefs({ forge, git, folder }: Ground, size: number): Promise<readonly Work[]> {
  const bare = join(folder, 'from');
  await runGit(['init', '-q', '--bare', '-b', 'main', bare]);
  await runGit(['-C', bare, 'fast-import', '--quiet'], [commitText('main'), fileText('file', 'text\n')]);
  const tip = `${await runGit(['-C', bare, 'rev-parse', 'main'])}`.trim() as Oid;
  await push(forge, bare, 'refs', ['main']);
  const remote = forge.remoteOf('refs');
  await makeBranches({ forge, git }, { name: 'refs', tip, count: size });
  const at = forge.repositoryPath('refs');
  const next = counter();
  return [
    get(forge, 'a branch', `${at}/branches/topic%2F50`),
    get(forge, 'a page of branches', `${at}/branches?limit=50`),
    get(forge, 'a file', `${at}/contents/file`),
    {
      about: 'creating a branch',
      run: () => expect(forge, 'POST', `${at}/branches`, 201, { new_branch_name: `made-${next()}` }),
    },
    commitWork(forge, 'refs'),
    // A push begins with a list of all refs: gitprotocol-pack(5), Reference Discovery.
    { ...pushWork(forge, { bare, name: 'refs', branch: 'main', from: 'main' }), mayGrow: true },
    {
      about: 'git fetch of one branch without news',
      rounds: FEW_ROUNDS,
      run: () => runGit(['-C', bare, 'fetch', '-q', remote, 'refs/heads/main']),
    },
    {
      // The client asks for all and filters them itself.
      about: 'git ls-remote of one branch',
      mayGrow: true,
      rounds: FEW_ROUNDS,
      run: () => runGit(['ls-remote', remote, 'refs/heads/main']),
    },
    {
      about: 'git ls-remote of all',
      mayGrow: true,
      rounds: FEW_ROUNDS,
      run: () => runGit(['ls-remote', remote]),
    },
  ];
}

async function makeMirror({ forge, git, folder }: Ground, size: number): Promise<readonly Work[]> {
  const bare = join(folder, 'from');
  await runGit(['init', '-q', '--bare', '-b', 'main', bare]);
  await runGit(['-C', bare, 'fast-import', '--quiet'], longHistoryStream(size));
  await push(forge, bare, 'source', ['main']);
  const tip = `${await runGit(['-C', bare, 'rev-parse', 'main'])}`.trim() as Oid;
  await makeBranches({ forge, git }, { name: 'source', tip, count: MIRRORED_REFS });
  const source = `${forge.url}/${forge.login}/source.git`;
  const mirror = { clone_addr: source, repo_name: 'mirror', mirror: true, auth_token: forge.token };
  await expect(forge, 'POST', '/api/v1/repos/migrate', 201, mirror);
  const commit = commitWork(forge, 'source');
  const tipOf = async (name: string) => {
    const { body } = await expect(forge, 'GET', `${forge.repositoryPath(name)}/branches/main`, 200);
    return (JSON.parse(`${body}`) as { commit: { id: string } }).commit.id;
  };
  let wanted = '';
  return [
    {
      about: 'a mirror takes one changed ref',
      rounds: FEW_ROUNDS,
      prepare: async () => {
        await commit.run();
        wanted = await tipOf('source');
      },
      run: async () => {
        await expect(forge, 'POST', `${forge.repositoryPath('mirror')}/mirror-sync`, 200);
        const giveUpAt = performance.now() + MIRRORED_WITHIN_MS;
        while ((await tipOf('mirror')) !== wanted) {
          if (performance.now() > giveUpAt) throw new Error('the mirror is not up to date');
          await sleep(ASK_AGAIN_MS);
        }
      },
    },
  ];
}

/** Creates branches that all point to one commit. A push over HTTP would compare each with each other one, in the client. */
async function makeBranches(
  { forge, git }: Pick<Ground, 'forge' | 'git'>,
  { name, tip, count }: { name: string; tip: Oid; count: number },
): Promise<void> {
  const { body } = await expect(forge, 'GET', forge.repositoryPath(name), 200);
  const { id } = JSON.parse(`${body}`) as { id: RepositoryId };
  for (let first = 0; first < count; first += REFS_TOGETHER) {
    await using session = await git.writes.begin(id);
    const updates = Array.from({ length: Math.min(REFS_TOGETHER, count - first) }, (_, index) => ({
      ref: `refs/heads/topic/${first + index}`,
      old: null,
      new: tip,
    }));
    await git.writes.commit(session, updates, { atomic: true, inTransaction: async () => [] });
  }
}

async function makeNotes({ forge, folder }: Ground, size: number): Promise<readonly Work[]> {
  const { headers, notes } = await fillNotebook(forge, folder, size);
  const { id } = notes[Math.floor(size / 2)] ?? { id: 0 };
  await untilAnswered(forge, `${NOTES_PATH}/search?q=note`, headers);
  const etag = (await forge.ask('GET', NOTES_PATH, { headers })).headers.get('etag') ?? '';
  const next = counter();
  const save = () => expect(forge, 'PUT', `${NOTES_PATH}/${id}`, 200, { content: `Text ${next()}` }, headers);
  const list = { about: 'a list for a client that has nothing', mayGrow: true, rounds: FEW_ROUNDS } as const;
  return [
    { about: 'a note', run: () => expect(forge, 'GET', `${NOTES_PATH}/${id}`, 200, undefined, headers) },
    {
      about: 'a list for a client that has everything',
      run: () => expect(forge, 'GET', NOTES_PATH, 304, undefined, { ...headers, 'if-none-match': etag }),
    },
    { about: 'saving a note', run: save },
    {
      about: 'creating a note',
      run: () => expect(forge, 'POST', NOTES_PATH, 200, { title: `Made ${next()}` }, headers),
    },
    { ...list, run: () => expect(forge, 'GET', NOTES_PATH, 200, undefined, headers) },
  ];
}

/** Waits for a job whose result a request needs, because the job would take part in all figures. */
async function untilAnswered(
  forge: Forge,
  path: string,
  headers: Readonly<Record<string, string>> = forge.byToken,
): Promise<void> {
  const giveUpAt = performance.now() + ANSWERED_WITHIN_MS;
  while ((await forge.ask('GET', path, { headers })).status !== 200) {
    if (performance.now() > giveUpAt) throw new Error(`${path} is not answered`);
    await sleep(ANSWERED_AGAIN_MS);
  }
}

/** Creates a repository with one commit. */
async function commitTo(forge: Forge, name: string): Promise<void> {
  await expect(forge, 'POST', '/api/v1/user/repos', 201, { name, auto_init: true });
}

/** A commit of a new file over the API. */
function commitWork(forge: Forge, name: string, folder = ''): Work {
  const next = counter();
  const at = `${forge.repositoryPath(name)}/contents/${folder}`;
  return {
    about: folder === '' ? 'a commit over the API' : 'a commit over the API into the folder',
    run: () => expect(forge, 'POST', `${at}made-${next()}`, 201, { content: '' }),
  };
}

/** A push of one commit, on top of what the source had. */
function pushWork(
  forge: Forge,
  {
    bare,
    name,
    branch,
    from,
    path = 'pushed',
  }: Record<'bare' | 'name' | 'branch' | 'from', string> & { path?: string },
): Work {
  let made = 0;
  let tip = '';
  return {
    about: 'a push of one commit',
    prepare: async () => {
      if (made === 0) tip = `${await runGit(['-C', bare, 'rev-parse', from])}`.trim();
      made += 1;
      const text = `${commitText('next', `${name} ${made}`)}from ${tip}\n${fileText(path, `${made}\n`)}`;
      await runGit(['-C', bare, 'fast-import', '--quiet', '--force'], text);
      tip = `${await runGit(['-C', bare, 'rev-parse', 'next'])}`.trim();
    },
    run: () =>
      runGit(['-C', bare, 'push', '--quiet', '--force', forge.remoteOf(name), `next:refs/heads/${branch}`]),
  };
}

/** Creates a repository and pushes refs into it. */
async function push(forge: Forge, bare: string, name: string, refs: readonly string[]): Promise<void> {
  await expect(forge, 'POST', '/api/v1/user/repos', 201, { name, default_branch: 'main' });
  await runGit(['-C', bare, 'push', '--quiet', forge.remoteOf(name), ...refs]);
}

/** Bytes that hardly compress. */
function* piecesOf(megabytes: number): Generator<Buffer> {
  const piece = noiseOfBytes(PIECE_BYTES, 5);
  for (let index = 0; index < megabytes; index += 1) {
    piece.writeUInt32LE(index);
    yield Buffer.from(piece);
  }
}

/** @see git-fast-import(1), INPUT FORMAT */
function commitText(branch: string, message = 'Begin'): string {
  return `commit refs/heads/${branch}\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata ${message.length}\n${message}\n`;
}

function fileText(path: string, text: string): string {
  return `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
}
