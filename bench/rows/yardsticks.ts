import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SMALL } from '../corpus/corpus.ts';
import { GIT_ENVIRONMENT, runGit } from '../corpus/git.ts';
import { LARGE } from '../corpus/history.ts';
import type { Bench, ReadyRow, Row } from '../model.ts';
import { CAN_READ_USAGE, cpuMsOfEndedChildren, cpuMsOfSelf } from '../servers/process-usage.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { addressOf, atOnceEach, requireSame } from './http.ts';
import { timeEach, timeRepeated } from './timing.ts';

/** What the server is held against: each thing done as plainly as it can be. */
export const YARDSTICKS: readonly Row[] = [
  ...atOnceEach(
    { id: 'bare-repository', about: 'bare Fastify route, JSON of a repository GET', kind: 'yardstick' },
    async (bench, atOnce) =>
      readyBareRoute(bench, atOnce, bench.forge.repositoryPath(await bench.corpus.small())),
  ),
  ...atOnceEach(
    { id: 'bare-contents', about: 'bare Fastify route, JSON of a contents GET of 10 KB', kind: 'yardstick' },
    async (bench, atOnce) => {
      const repository = bench.forge.repositoryPath(await bench.corpus.large());
      return readyBareRoute(bench, atOnce, `${repository}/contents/${LARGE.file}`);
    },
  ),
  {
    id: 'sqlite-read',
    about: 'one prepared SQLite read of a row by name',
    kind: 'yardstick',
    atOnce: 1,
    prepare: readySqliteRead,
  },
  {
    id: 'fsync',
    about: 'fsync of 4 KB, alone',
    kind: 'yardstick',
    atOnce: 1,
    prepare: readyFsync,
  },
  commitByHand('commit-by-hand', 'hash-object, mktree, commit-tree and update-ref by process', []),
  commitByHand('commit-by-hand-durable', 'the same four commands with core.fsync=all', [
    '-c',
    'core.fsync=all',
  ]),
];

/** A server that knows nothing but the very answer of ours. */
async function readyBareRoute(bench: Bench, atOnce: number, path: string): Promise<ReadyRow> {
  const answer = await bench.forge.ask('GET', path);
  const text = JSON.stringify(JSON.parse(answer.body.toString()));
  const server = await ServerProcess.start({
    args: [join(import.meta.dirname, '../servers/bare-server.ts'), text],
    environment: {},
    logFile: join(bench.folder, 'bare-server.log'),
  });
  const bytes = Buffer.byteLength(text);
  const request = { method: 'GET', path: '/0', headers: {}, body: '' };
  const run = (repeatForMs: number) =>
    bench.load.run({
      ...addressOf(server.url),
      lanes: Array.from({ length: atOnce }, () => [request]),
      repeatForMs,
      expected: { status: 200, sha256: hash('sha256', text), bytes: { min: bytes, max: bytes } },
    });
  return {
    round: () => run(bench.size.roundMs),
    warmUp: () => run(bench.size.warmUpMs),
    close: () => server.stop(),
    cpuMs: server.cpuMs,
  };
}

async function readySqliteRead({ folder, size }: Bench): Promise<ReadyRow> {
  const database = new DatabaseSync(join(folder, 'yardstick.db'));
  database.exec(
    'create table accounts (id integer primary key, name text unique, email text, made_at integer)',
  );
  const insert = database.prepare('insert into accounts (name, email, made_at) values (?, ?, ?)');
  database.exec('begin');
  for (let index = 0; index < 1000; index += 1) insert.run(`name-${index}`, `${index}@example.org`, index);
  database.exec('commit');
  const read = database.prepare('select * from accounts where name = ?');
  const work = (index: number) => {
    if (read.get(`name-${index % 1000}`) === undefined) throw new Error('a row is missing');
  };
  return {
    round: async () => timeRepeated(size.roundMs / 4, work),
    close: async () => database.close(),
    cpuMs: cpuMsOfSelf,
  };
}

async function readyFsync({ folder, size }: Bench): Promise<ReadyRow> {
  const file = openSync(join(folder, 'yardstick.bin'), 'w');
  const block = Buffer.alloc(4096, 1);
  const work = () => {
    writeSync(file, block);
    fsyncSync(file);
  };
  return {
    round: async () => timeRepeated(size.roundMs / 4, work),
    close: async () => closeSync(file),
    cpuMs: cpuMsOfSelf,
  };
}

/** One file added to the small repository and committed, as a script does it that has git and nothing else. */
function commitByHand(id: string, about: string, settings: readonly string[]): Row {
  return {
    id,
    about,
    kind: 'yardstick',
    atOnce: 1,
    prepare: async ({ forge, corpus, folder, size }) => {
      const bare = join(folder, id);
      await runGit(['clone', '--quiet', '--mirror', forge.publicRemoteOf(await corpus.small()), bare]);
      const git = (args: readonly string[], input = '') => gitNow(['-C', bare, ...settings, ...args], input);
      let made = 0;
      const commit = () => {
        made += 1;
        const parent = git(['rev-parse', 'main']);
        const tree = git(['ls-tree', 'main']);
        return () => commitOne(git, { parent, tree, made });
      };
      return {
        // What is needed to know beforehand is not part of the four commands.
        round: async () => {
          const latenciesMs: number[] = [];
          for (let turn = 0; turn < size.writes; turn += 1) {
            const work = commit();
            const { latenciesMs: took } = await timeEach(1, async () => work());
            latenciesMs.push(...took);
          }
          return { latenciesMs, elapsedMs: latenciesMs.reduce((total, ms) => total + ms, 0) };
        },
        check: async () =>
          requireSame('the file of before', git(['cat-file', '-t', `main:${SMALL.tenKb}`]), 'blob'),
        cpuMs: CAN_READ_USAGE ? cpuMsOfEndedChildren : null,
      };
    },
  };
}

function commitOne(
  git: (args: readonly string[], input?: string) => string,
  base: { parent: string; tree: string; made: number },
): void {
  const { parent, tree, made } = base;
  const blob = git(['hash-object', '-w', '--stdin'], `Commit ${made}\n`.repeat(50));
  const entry = `100644 blob ${blob}\tfile-${made}.txt`;
  const changed = git(['mktree'], `${tree}\n${entry}\n`);
  const commit = git(['commit-tree', changed, '-p', parent, '-m', `Add file-${made}.txt`]);
  git(['update-ref', 'refs/heads/main', commit, parent]);
}

/** The quickest way to run git from here: nothing is waited for but git. */
function gitNow(args: readonly string[], input: string): string {
  const { status, stdout, stderr } = spawnSync('git', args, {
    env: GIT_ENVIRONMENT,
    input,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout.trim();
}
