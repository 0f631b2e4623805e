import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askGit, runGit } from '../corpus/git.ts';
import { type GitShell, quoted } from '../corpus/git-shell.ts';
import type { LoadRequest } from '../load/job.ts';
import type { Sample } from '../model.ts';
import { sum } from '../statistics.ts';
import { addressOf, requireSame } from './http.ts';
import type { Bench, ReadyRow, Row } from './model.ts';
import { timeEach, timeTogether } from './timing.ts';

export const CLONES_TOGETHER = 8;

/** Source of a clone: the server, or git without the server. */
interface Origin {
  readonly kind: Row['kind'];
  readonly idEnd: string;
  readonly aboutEnd: string;
  /** arguments of `git clone` for this source */
  source(bench: Bench): Promise<readonly string[]>;
}

const SERVER: Origin = {
  kind: 'row',
  idEnd: '',
  aboutEnd: '',
  source: async ({ forge, corpus }) => [forge.publicRemoteOf(await corpus.large())],
};

const BY_HAND: Origin = {
  kind: 'yardstick',
  idEnd: '-by-hand',
  aboutEnd: ' with --no-local from a folder',
  source: async ({ corpus }) => ['--no-local', await corpus.largeMirror()],
};

/** git with the server, and git without it for comparison. */
export const TRANSPORT: readonly Row[] = [
  pushRow({
    id: 'push',
    about: 'git push of one commit',
    kind: 'row',
    remote: ({ forge, corpus }) => corpus.smallToWrite('pushed').then((name) => forge.remoteOf(name)),
  }),
  pushRow({
    id: 'push-by-hand',
    about: 'git push of one commit into a folder',
    kind: 'yardstick',
    remote: async (bench) => mirrorOf(bench, await bench.corpus.smallToWrite('pushed'), 'push-target'),
  }),
  {
    id: 'first-push',
    about: 'git push of the large history into an empty repository',
    kind: 'row',
    atOnce: 1,
    prepare: readyFirstPushes,
  },
  {
    id: 'index-pack-by-hand',
    about: 'git pack-objects and git index-pack of the same history, without a server',
    kind: 'yardstick',
    atOnce: 1,
    prepare: readyPacksByHand,
  },
  ...[SERVER, BY_HAND].flatMap((origin) => [
    cloneRow({ id: 'clone', about: 'git clone --bare of the large repository', origin, flags: [] }),
    cloneRow({
      id: 'clone-shallow',
      about: 'git clone --bare --depth 1 of the large repository',
      origin,
      flags: ['--depth', '1'],
    }),
    cloneRow({ id: 'clones-8', about: 'eight clones at once', origin, flags: [], together: CLONES_TOGETHER }),
  ]),
  {
    id: 'upload-pack',
    about: 'the request of a clone for all objects, answered over HTTP',
    kind: 'row',
    atOnce: 1,
    prepare: readyUploadPack,
  },
  {
    id: 'upload-pack-by-hand',
    about: 'git upload-pack --stateless-rpc by hand, with the same request',
    kind: 'yardstick',
    atOnce: 1,
    prepare: async (bench) => {
      const mirror = await bench.corpus.largeMirror();
      const request = await wantEverything(bench);
      requirePack(await uploadPackByHand(mirror, request));
      const file = join(bench.folder, 'request-of-a-clone');
      await writeFile(file, request);
      const command = `GIT_PROTOCOL=version=2 git upload-pack --stateless-rpc ${quoted(mirror)}`;
      const [shell] = bench.shells;
      const work = () => shell.run(`${command} <${quoted(file)} >/dev/null`);
      return { round: () => timeEach(bench.size.clones, work), cpuMs: () => shell.cpuMs() };
    },
  },
];

function pushRow(row: {
  id: string;
  about: string;
  kind: Row['kind'];
  remote(bench: Bench): Promise<string>;
}): Row {
  const { id, about, kind } = row;
  return {
    id,
    about,
    kind,
    atOnce: 1,
    prepare: async (bench) => {
      const remote = await row.remote(bench);
      const work = await mirrorOf(bench, await bench.corpus.smallToWrite('pushed'), `${id}-from`);
      return readyPushes(bench, { work, remote, kind });
    },
  };
}

async function readyFirstPushes({ forge, corpus, size, server, shells }: Bench): Promise<ReadyRow> {
  const from = quoted(await corpus.largeHistory());
  let made = 0;
  let targets: string[] = [];
  const begin = async () => {
    targets = [];
    while (targets.length < size.clones) {
      made += 1;
      targets.push(forge.remoteOf(await forge.createRepository(`first-${made}`)));
    }
  };
  const push = (index: number) =>
    shells[0].run(`git -C ${from} push --quiet ${quoted(targets[index] ?? '')} main:main`);
  return { begin, round: () => timeEach(size.clones, push), cpuMs: server?.cpuMs ?? null };
}

async function readyPacksByHand({ corpus, folder, size, shells }: Bench): Promise<ReadyRow> {
  const from = quoted(await corpus.largeHistory());
  const into = join(folder, 'indexed');
  await runGit(['init', '-q', '--bare', into]);
  const pack = `git -C ${from} pack-objects -q --revs --stdout --delta-base-offset`;
  const index = `git -C ${quoted(into)} index-pack --stdin --strict`;
  const work = async () => {
    await shells[0].run(`echo main | ${pack} | ${index} >/dev/null`);
    await rm(join(into, 'objects/pack'), { recursive: true });
  };
  return { round: () => timeEach(size.clones, work), cpuMs: () => shells[0].cpuMs() };
}

async function mirrorOf({ forge, folder }: Bench, name: string, into: string): Promise<string> {
  const path = join(folder, into);
  await runGit(['clone', '--quiet', '--mirror', forge.publicRemoteOf(name), path]);
  return path;
}

function readyPushes(bench: Bench, where: { work: string; remote: string; kind: Row['kind'] }): ReadyRow {
  const { work, remote, kind } = where;
  const [shell] = bench.shells;
  let number = 0;
  let tip = '';
  const round = async (): Promise<Sample> => {
    const from = number;
    number += bench.size.pushes;
    const commits = await commitMany(work, from, bench.size.pushes);
    tip = commits.at(-1) ?? tip;
    return timeEach(commits.length, (index) =>
      shell.git(['-C', work, 'push', '--quiet', remote, `${commits[index]}:refs/heads/main`]),
    );
  };
  const check = async () => {
    const listed = await askGit(['ls-remote', remote, 'refs/heads/main']);
    requireSame('the pushed commit', listed.split('\t')[0], tip);
  };
  return { round, check, cpuMs: cpuOf(bench, kind) };
}

/** Creates commits on top of each other, to push one by one, oldest first. */
async function commitMany(repository: string, from: number, count: number): Promise<readonly string[]> {
  const begin = await askGit(['-C', repository, 'rev-parse', 'main']);
  const stream = Array.from({ length: count }, (_, index) => {
    const text = `Push ${from + index}\n`;
    const parent = index === 0 ? [`from ${begin}`] : [];
    const lines = ['commit refs/heads/main', 'committer Bench <bench@example.org> 1700000000 +0000'];
    lines.push(`data ${text.length}`, text, ...parent, `M 100644 inline pushed-${from + index}.txt`);
    lines.push(`data ${text.length}`, text, '');
    return lines.join('\n');
  });
  await runGit(['-C', repository, 'fast-import', '--quiet'], stream);
  const listed = await askGit(['-C', repository, 'rev-list', '--reverse', `${begin}..main`]);
  return listed.split('\n');
}

function cloneRow(row: {
  id: string;
  about: string;
  origin: Origin;
  flags: readonly string[];
  together?: number;
}): Row {
  const { origin, flags, together } = row;
  return {
    id: row.id + origin.idEnd,
    about: row.about + origin.aboutEnd,
    kind: origin.kind,
    atOnce: together ?? 1,
    prepare: async (bench) => {
      const source = await origin.source(bench);
      const tip = await askGit(['-C', await bench.corpus.largeHistory(), 'rev-parse', 'main']);
      const into = join(bench.folder, `${row.id}${origin.idEnd}`);
      const target = (index: number) => join(into, `${index}`);
      const words = ['clone', '--quiet', '--bare', ...withFolderUrl(source, flags), ...flags];
      const clone = (index: number) => shellAt(bench, index).git([...words, target(index)]);
      const round = async () => {
        await rm(into, { recursive: true, force: true });
        return together === undefined
          ? timeEach(bench.size.clones, (index) => clone(index))
          : timeTogether(together, clone);
      };
      const check = async () => {
        requireSame('the cloned commit', await askGit(['-C', target(0), 'rev-parse', 'main']), tip);
        await rm(into, { recursive: true, force: true });
      };
      return { round, check, cpuMs: cpuOf(bench, origin.kind) };
    },
  };
}

function shellAt({ shells }: Bench, index: number): GitShell {
  return shells[index % shells.length] ?? shells[0];
}

/** CPU time of the server if it does the work, otherwise of all children of git. */
function cpuOf({ server, shells }: Bench, kind: Row['kind']): ReadyRow['cpuMs'] {
  if (kind === 'row') return server?.cpuMs ?? null;
  return () => sum(shells.map((shell) => shell.cpuMs()));
}

/** git ignores --depth for a source given as a path. */
function withFolderUrl(source: readonly string[], flags: readonly string[]): readonly string[] {
  if (flags.length === 0) return source;
  return source.map((word) => (word.startsWith('/') ? `file://${word}` : word));
}

/** @see gitprotocol-v2(5), fetch */
async function wantEverything({ corpus }: Bench): Promise<string> {
  const tip = await askGit(['-C', await corpus.largeHistory(), 'rev-parse', 'main']);
  const capabilities = ['command=fetch\n', 'object-format=sha1\n'].map(pktLine).join('');
  const asked = ['thin-pack\n', 'no-progress\n', 'ofs-delta\n', `want ${tip}\n`, 'done\n'];
  return `${capabilities}0001${asked.map(pktLine).join('')}0000`;
}

function pktLine(text: string): string {
  return (text.length + 4).toString(16).padStart(4, '0') + text;
}

function requirePack(bytes: Buffer): void {
  requireSame('begin of the answer', bytes.toString('latin1', 4, 13), 'packfile\n');
  requireSame('begin of the pack', bytes.toString('latin1', 18, 22), 'PACK');
}

function uploadPackByHand(folder: string, request: string): Promise<Buffer> {
  return runGit(['upload-pack', '--stateless-rpc', folder], request, { GIT_PROTOCOL: 'version=2' });
}

async function readyUploadPack(bench: Bench): Promise<ReadyRow> {
  const { forge, corpus, load, size } = bench;
  const name = await corpus.large();
  const body = await wantEverything(bench);
  const wanted = await uploadPackByHand(await corpus.largeMirror(), body);
  requirePack(wanted);
  const request: LoadRequest = {
    method: 'POST',
    path: `/${forge.login}/${name}.git/git-upload-pack`,
    headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' },
    body,
  };
  // Pack sizes vary slightly, because the order in which threads find deltas does.
  const bytes = { min: Math.floor(wanted.length * 0.98), max: Math.ceil(wanted.length * 1.02) };
  const round = () =>
    load.run({
      ...addressOf(forge.url),
      lanes: [Array.from({ length: size.clones }, () => request)],
      repeatForMs: null,
      expected: { status: 200, sha256: null, bytes },
    });
  return { round, cpuMs: bench.server?.cpuMs ?? null };
}
