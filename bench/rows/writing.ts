import { LARGE } from '../corpus/history.ts';
import type { LoadRequest } from '../load/job.ts';
import type { Sample } from '../model.ts';
import { addressOf, atOnceEach, expectStatus, requireSame, sendOnce } from './http.ts';
import type { Bench, ReadyRow, Row } from './model.ts';

const MANY = 16;

/** Writes over the API. */
export const WRITING: readonly Row[] = [
  ...atOnceEach(
    { id: 'commit-small', about: 'file commit into the small repository', kind: 'row' },
    async (bench, atOnce) => readyCommits(bench, [await bench.corpus.smallToWrite(`${atOnce}`)], atOnce),
  ),
  ...atOnceEach(
    { id: 'commit-large', about: 'file commit into the large repository', kind: 'row' },
    async (bench, atOnce) => readyCommits(bench, [await bench.corpus.largeToWrite(`${atOnce}`)], atOnce),
  ),
  {
    id: 'commit-16-repositories',
    about: '16 file commits into 16 repositories',
    kind: 'row',
    atOnce: MANY,
    prepare: async (bench) => {
      const names: string[] = [];
      for (let index = 0; index < MANY; index += 1) {
        names.push(await bench.forge.createRepository(`many-${index}`));
      }
      return readyCommits(bench, names, MANY);
    },
  },
  {
    id: 'list-100-after-commit',
    about: 'listing of 100 entries in the large repository, the first one after a commit',
    kind: 'row',
    atOnce: 1,
    prepare: async (bench) => readyListingAfterCommit(bench, await bench.corpus.largeToWrite('listed')),
  },
];

/** Lane `n` commits to repository `n` modulo the number of repositories. */
function readyCommits(bench: Bench, repositories: readonly string[], atOnce: number): ReadyRow {
  const { forge, size } = bench;
  const perLane = Math.ceil(size.writes / atOnce);
  let made = 0;
  let newest: Commit | undefined;
  const commitsFor = (repository: string): readonly LoadRequest[] =>
    Array.from({ length: perLane }, () => {
      made += 1;
      // Each round uses a new folder, so that trees stay small.
      newest = commitOf(repository, Math.floor(made / size.writes), made);
      return requestOf(forge.repositoryPath(repository), newest, forge.byToken);
    });
  const round = (): Promise<Sample> => {
    const lanes = Array.from({ length: atOnce }, (_, lane) =>
      commitsFor(repositories[lane % repositories.length] ?? ''),
    );
    return sendOnce(bench, lanes, expectStatus(201));
  };
  const check = async () => {
    if (newest !== undefined) await requireReadable(bench, newest);
  };
  return { round, check, cpuMs: bench.server?.cpuMs ?? null };
}

interface Commit {
  readonly repository: string;
  readonly path: string;
  readonly content: string;
}

function commitOf(repository: string, folder: number, number: number): Commit {
  return {
    repository,
    path: `written/${folder}/file-${number}.txt`,
    content: `Commit ${number}\n`.repeat(50),
  };
}

function requestOf(
  repositoryPath: string,
  commit: Commit,
  headers: Readonly<Record<string, string>>,
): LoadRequest {
  const content = Buffer.from(commit.content).toString('base64');
  return {
    method: 'POST',
    path: `${repositoryPath}/contents/${commit.path}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ content, message: `Add ${commit.path}` }),
  };
}

async function requireReadable({ forge }: Bench, { repository, path, content }: Commit): Promise<void> {
  const { body } = await forge.ask('GET', `${forge.repositoryPath(repository)}/raw/${path}`);
  requireSame(path, body.toString(), content);
}

/** Times only the listing. The commit before it invalidates every cache. */
function readyListingAfterCommit(bench: Bench, repository: string): ReadyRow {
  const { forge, load, size } = bench;
  const path = `${forge.repositoryPath(repository)}/contents/${LARGE.hundred}`;
  const request: LoadRequest = { method: 'GET', path, headers: forge.byToken, body: '' };
  let made = 0;
  const round = async (): Promise<Sample> => {
    const latenciesMs: number[] = [];
    for (let turn = 0; turn < Math.ceil(size.writes / 10); turn += 1) {
      made += 1;
      const commit = requestOf(
        forge.repositoryPath(repository),
        commitOf(repository, 0, made),
        forge.byToken,
      );
      await sendOnce(bench, [[commit]], expectStatus(201));
      const listed = await load.run({
        ...addressOf(forge.url),
        lanes: [[request]],
        repeatForMs: null,
        expected: expectStatus(200),
      });
      latenciesMs.push(...listed.latenciesMs);
    }
    return { latenciesMs, elapsedMs: latenciesMs.reduce((total, ms) => total + ms, 0) };
  };
  return { round, cpuMs: null };
}
