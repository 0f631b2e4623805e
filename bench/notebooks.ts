import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Forge, forgeByPassword } from './corpus/forge.ts';
import { runGit } from './corpus/git.ts';
import { fillNotebook, NOTES_PATH, type Note, type Notebook, notesOf } from './corpus/notebook.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { ADMINISTRATOR, quireCommand } from './servers/quire.ts';
import { ServerProcess } from './servers/server-process.ts';
import { median, quantile } from './statistics.ts';

// Measures a large notebook: lists, saves, a push that changes many notes, and clients that poll. Prints a table as
// Markdown. This is a separate program, because such a notebook would slow down the setup of `bench/run.ts`.
//
//   node bench/notebooks.ts              10,000 notes
//   node bench/notebooks.ts 500          another number of notes
//   node bench/notebooks.ts 500 /tmp/p   stores CPU profiles of the server there

const NOTES = Number(process.argv[2] ?? 10_000);
const BYTES_EACH = 2_000;
const SAMPLES = 30;
const CHANGED = Math.min(1_000, Math.floor(NOTES / 4));
const POLLERS = 50;
const POLL_EVERY_MS = 5_000;
const POLLED_MS = 20_000;

/** Response times of one kind of request, and the CPU time that the server used for them. */
class Timings {
  readonly #ms: number[] = [];
  #cpuMs = 0;

  async add(work: () => Promise<unknown>): Promise<void> {
    const { cpuMs } = server;
    const before = cpuMs?.() ?? Number.NaN;
    this.#ms.push((await timedAnswer(work)).ms);
    this.#cpuMs += (cpuMs?.() ?? Number.NaN) - before;
  }

  print(what: string): void {
    row(`${what}: median of ${this.#ms.length}`, median(this.#ms));
    row(`${what}: p90`, quantile(this.#ms, 0.9));
    row(`${what}: CPU of the server`, this.#cpuMs / this.#ms.length);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'quire-notebooks-'));
const profile = process.argv[3] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${process.argv[3]}`];
let server = await ServerProcess.start(quireCommand(folder, []));
try {
  const forge = await forgeByPassword(server.url, ADMINISTRATOR.login, ADMINISTRATOR.password);
  print(
    `${NOTES} notes; ${JSON.stringify(describeMachine())}\n\n| what | ms, or as stated |\n| --- | ---: |`,
  );
  const notebook = await fillNotebook(forge, folder, NOTES, BYTES_EACH);
  row('first list after the push of all notes', notebook.firstListMs);
  memory('after the first list');
  await server.stop();
  // A new process, so that earlier work does not change the times of the lists.
  server = await ServerProcess.start(quireCommand(folder, profile));
  await measure(new Forge(server.url, forge), notebook);
  print(`\nload average at the end: ${loadNow()}`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(forge: Forge, { headers, notes }: Notebook): Promise<void> {
  await forge.ask('GET', NOTES_PATH.replace(/notes$/, 'settings'), { headers });
  memory('before the lists');
  await measureLists(forge, headers);
  memory('after the lists');
  await measureSaves(forge, headers, notes);
  memory('after the saves');
  await measurePush(forge, headers);
  memory('after the push');
  await measurePolling(forge, headers);
}

async function measureLists(forge: Forge, headers: SentHeaders): Promise<void> {
  await repeated('complete list', async () => requireNotes(await forge.ask('GET', NOTES_PATH, { headers })));
  const { headers: known } = await forge.ask('GET', NOTES_PATH, { headers });
  const unchanged = { ...headers, 'if-none-match': known.get('etag') ?? '' };
  const settings = NOTES_PATH.replace(/notes$/, 'settings');
  await repeated('settings', () => forge.ask('GET', settings, { headers }));
  await repeated('list, nothing changed (304)', () => forge.ask('GET', NOTES_PATH, { headers: unchanged }));
}

/** Measures, in turns: a save, a list for a client that has all other notes, and a commit of a file. */
async function measureSaves(forge: Forge, headers: SentHeaders, notes: readonly Note[]): Promise<void> {
  const saves = new Timings();
  const lists = new Timings();
  const commits = new Timings();
  const file = `${forge.repositoryPath('Notes')}/contents/category-0/measured`;
  let sha: string | undefined;
  for (let turn = 0; turn < SAMPLES; turn += 1) {
    const note = notes[(turn * 37) % notes.length];
    const since = Math.floor(Date.now() / 1000);
    await saves.add(() =>
      forge.ask('PUT', `${NOTES_PATH}/${note?.id}`, { headers, json: { content: `Saved ${turn}\n` } }),
    );
    await lists.add(() => forge.ask('GET', `${NOTES_PATH}?pruneBefore=${since}`, { headers }));
    const json = {
      content: Buffer.from(`${turn}`).toString('base64'),
      ...(sha === undefined ? {} : { sha }),
    };
    await commits.add(async () => {
      const { body } = await forge.ask(sha === undefined ? 'POST' : 'PUT', file, { headers, json });
      sha = (JSON.parse(body.toString()) as { content: { sha: string } }).content.sha;
    });
  }
  saves.print('save of a note');
  commits.print('commit of a file');
  lists.print('list after one change');
}

/** Edits, moves and renames notes in one commit. Their ids must not change. */
async function measurePush(forge: Forge, headers: SentHeaders): Promise<void> {
  const before = notesOf(await forge.ask('GET', NOTES_PATH, { headers }));
  const bare = join(folder, 'changed');
  await runGit(['clone', '--quiet', '--bare', forge.remoteOf('Notes'), bare]);
  // A list ends with the notes that were saved last. Those are now too short to be recognized after a rename.
  const changed = before.slice(0, CHANGED);
  await runGit(['-C', bare, 'fast-import', '--quiet', '--force', '--date-format=now'], changesOf(changed));
  const startedAt = performance.now();
  await runGit(['-C', bare, 'push', '--quiet', forge.remoteOf('Notes'), 'main']);
  row(`push that changes ${CHANGED} notes`, performance.now() - startedAt);
  const answer = await timedAnswer(() => forge.ask('GET', NOTES_PATH, { headers }));
  row('first list after the push', answer.ms);
  const after = new Map(notesOf(answer.value).map((note) => [note.id, note]));
  const lost = before.filter(({ id }) => !after.has(id));
  const stale = changed.filter(({ id }) => after.get(id)?.content.endsWith('Changed.\n') !== true);
  row('notes with another id after the push', lost.length);
  row('notes without their change after the push', stale.length);
}

/** Edits all notes. Of each three, renames the second and moves the third to another category. */
function* changesOf(notes: readonly (Note & { readonly internalPath?: string })[]): Generator<string> {
  yield 'commit refs/heads/main\ncommitter Bench <bench@example.org> now\ndata 8\nChange.\n\nfrom refs/heads/main^0\n';
  for (const [index, note] of notes.entries()) {
    const path = (note.internalPath ?? '').replace(/^\/[^/]+\//, '');
    const moved = [path, path.replace(/(\.[a-z]+)$/, ` renamed$1`), `Moved/${path}`][index % 3] ?? path;
    if (moved !== path) yield `D "${path}"\n`;
    const text = `${note.content}Changed.\n`;
    yield `M 100644 inline "${moved}"\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  }
  yield '\ndone\n';
}

async function measurePolling(forge: Forge, headers: SentHeaders): Promise<void> {
  const cpuMs = server.cpuMs;
  if (cpuMs === null) return;
  const { headers: known } = await forge.ask('GET', NOTES_PATH, { headers });
  const unchanged = { ...headers, 'if-none-match': known.get('etag') ?? '' };
  const before = cpuMs();
  const startedAt = performance.now();
  const poll = async (index: number) => {
    await sleep((index * POLL_EVERY_MS) / POLLERS);
    while (performance.now() - startedAt < POLLED_MS) {
      await forge.ask('GET', NOTES_PATH, { headers: unchanged });
      await sleep(POLL_EVERY_MS);
    }
  };
  await Promise.all(Array.from({ length: POLLERS }, (_, index) => poll(index)));
  const share = (cpuMs() - before) / (performance.now() - startedAt);
  row(`${POLLERS} clients that poll every ${POLL_EVERY_MS / 1000} s: % of one core`, share * 100);
}

type SentHeaders = Readonly<Record<string, string>>;

function requireNotes(answer: { status: number; body: Buffer }): void {
  if (notesOf({ ...answer, headers: new Headers() }).length !== NOTES)
    throw new Error('the list lacks notes');
}

async function repeated(what: string, work: () => Promise<unknown>): Promise<void> {
  const timings = new Timings();
  for (let sample = 0; sample < SAMPLES; sample += 1) await timings.add(work);
  timings.print(what);
}

async function timedAnswer<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now();
  const value = await work();
  return { value, ms: performance.now() - startedAt };
}

function memory(when: string): void {
  const used = server.memoryMb();
  if (used === null) return;
  row(`memory of the server ${when}, MB`, used.now);
  row(`memory of the server ${when}, highest, MB`, used.peak);
}

function row(what: string, value: number): void {
  print(`| ${what} | ${value.toFixed(1)} |`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
