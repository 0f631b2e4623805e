import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { askGit, runGit } from '../corpus/git.ts';
import { quoted } from '../corpus/git-shell.ts';
import { LARGE } from '../corpus/history.ts';
import { cpuMsOfSelf } from '../servers/process-usage.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { addressOf, atOnceEach, requireSame } from './http.ts';
import type { Bench, ReadyRow, Row } from './model.ts';
import { timeEach, timeRepeated } from './timing.ts';

/** Yardsticks: the simplest possible way to do what the server does. */
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
  commitByHand('commit-by-hand', 'hash-object, mktree, commit-tree and update-ref by process', ''),
  commitByHand(
    'commit-by-hand-durable',
    'the same four commands with core.fsync=all',
    '-c core.fsync=all -c core.fsyncMethod=fsync',
  ),
];

/** A server that returns exactly the response of ours, and does nothing else. */
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
    begin: async () => void (await run(bench.size.warmUpAgainMs)),
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

/**
 * Adds one file to the small repository and commits it, as a script does with git only. The script is given the facts
 * about the previous commit, so it runs exactly four commands.
 */
function commitByHand(id: string, about: string, settings: string): Row {
  return {
    id,
    about,
    kind: 'yardstick',
    atOnce: 1,
    prepare: async ({ forge, corpus, folder, shells, size }) => {
      const bare = join(folder, id);
      await runGit(['clone', '--quiet', '--mirror', forge.publicRemoteOf(await corpus.small()), bare]);
      const [shell] = shells;
      const begin = () => shell.run(commitScript(bare, settings));
      let made = 0;
      const commit = () => {
        made += 1;
        return shell.run(`commit_file ${made}`);
      };
      const check = async () => {
        const content = await askGit(['-C', bare, 'cat-file', 'blob', `main:file-${made}.txt`]);
        requireSame('the committed file', content, `Commit ${made}`);
      };
      return { begin, round: () => timeEach(size.writes, commit), check, cpuMs: () => shell.cpuMs() };
    },
  };
}

/** Defines the shell function `commit_file NUMBER`. */
function commitScript(bare: string, settings: string): string {
  const git = `git -C ${quoted(bare)} ${settings}`;
  return [
    `base=$(${git} ls-tree main)`,
    `parent=$(${git} rev-parse main)`,
    'commit_file() {',
    `  blob=$(echo "Commit $1" | ${git} hash-object -w --stdin) &&`,
    `  tree=$(printf '%s\n100644 blob %s\tfile-%s.txt\n' "$base" "$blob" "$1" | ${git} mktree) &&`,
    `  commit=$(${git} commit-tree "$tree" -p "$parent" -m "Add file-$1.txt") &&`,
    `  ${git} update-ref refs/heads/main "$commit" "$parent" &&`,
    '  parent=$commit',
    '}',
  ].join('\n');
}
