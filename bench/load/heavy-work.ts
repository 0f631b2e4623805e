import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Corpus } from '../corpus/corpus.ts';
import type { Forge } from '../corpus/forge.ts';
import { askGit, runGit } from '../corpus/git.ts';
import { LARGE } from '../corpus/history.ts';
import { NOTES_PATH } from '../corpus/notebook.ts';

const CLONES = 8;
const PUSHED_FILE_BYTES = 10_000_000;
const LIST_READERS = 8;
const ARCHIVED_COMMITS = 400;

/** Work that takes much memory, or that could delay the other requests of a server. */
export class HeavyWork {
  readonly #forge: Forge;
  readonly #corpus: Corpus;
  readonly #folder: string;
  #folders = 0;
  #pushes = 0;

  /** @param folder a temporary folder for clones */
  constructor(forge: Forge, corpus: Corpus, folder: string) {
    this.#forge = forge;
    this.#corpus = corpus;
    this.#folder = folder;
  }

  async prepare(): Promise<void> {
    await this.#corpus.large();
    await this.#corpus.notebook();
  }

  async clones(): Promise<void> {
    const remote = this.#forge.publicRemoteOf(await this.#corpus.large());
    await Promise.all(Array.from({ length: CLONES }, () => this.#clone(remote)));
  }

  /** Pushes files of 10 MB, which do not compress, to a new repository. */
  async push(files: number): Promise<void> {
    const work = this.#newFolder();
    await mkdir(work);
    await runGit(['init', '-q', '-b', 'main', work]);
    // The time is for the server.
    await runGit(['-C', work, 'config', 'core.compression', '0']);
    await runGit(['-C', work, 'config', 'pack.window', '0']);
    for (let file = 0; file < files; file += 1) {
      await writeFile(join(work, `noise-${file}`), randomBytes(PUSHED_FILE_BYTES));
    }
    await runGit(['-C', work, 'add', '-A']);
    await runGit(['-C', work, 'commit', '-q', '-m', 'Begin']);
    this.#pushes += 1;
    const name = await this.#forge.createRepository(`pushed-${this.#pushes}`);
    await runGit(['-C', work, 'push', '--quiet', this.#forge.remoteOf(name), 'main:main']);
    await rm(work, { recursive: true });
  }

  /** Reads complete lists of notes, one after the other. */
  async lists(count: number): Promise<void> {
    const { headers, notes } = await this.#corpus.notebook();
    let bytes = 0;
    for (let read = 0; read < count; read += 1) {
      const { status, body } = await this.#forge.ask('GET', NOTES_PATH, { headers });
      if (status !== 200 || body.length < notes.length || (bytes > 0 && body.length !== bytes))
        throw new Error(`the list is wrong: ${status}, ${body.length} bytes`);
      bytes = body.length;
    }
  }

  async readers(listsEach: number): Promise<void> {
    await Promise.all(Array.from({ length: LIST_READERS }, () => this.lists(listsEach)));
  }

  /** Sends small requests at an even rate, however long they take, until the signal. */
  async small(perSecond: number, until: AbortSignal): Promise<void> {
    const repository = this.#forge.repositoryPath(await this.#corpus.large());
    const paths = [
      '/api/v1/version',
      repository,
      `${repository}/contents/${LARGE.file}`,
      `${repository}/contents/${LARGE.hundred}`,
      `${repository}/commits?limit=10`,
    ];
    const startedAt = performance.now();
    const sent: Promise<void>[] = [];
    while (!until.aborted) {
      sent.push(this.#require(paths[sent.length % paths.length] ?? ''));
      const nextAt = startedAt + (sent.length * 1000) / perSecond;
      await sleep(Math.max(nextAt - performance.now(), 0));
    }
    await Promise.all(sent);
  }

  /** Clones and builds archives of ever other commits until the signal. */
  async clonesAndArchives(until: AbortSignal): Promise<void> {
    const remote = this.#forge.publicRemoteOf(await this.#corpus.large());
    const repeated = async (work: (turn: number) => Promise<void>) => {
      for (let turn = 0; !until.aborted; turn += 1) await work(turn);
    };
    const commits = await this.#someCommits();
    const path = this.#forge.repositoryPath(await this.#corpus.large());
    await Promise.all([
      ...Array.from({ length: CLONES }, () => repeated(() => this.#clone(remote))),
      repeated((turn) => this.#require(`${path}/archive/${commits[turn % commits.length]}.zip`)),
    ]);
  }

  async #someCommits(): Promise<readonly string[]> {
    const bare = await this.#corpus.largeHistory();
    const commits = await askGit(['-C', bare, 'rev-list', `--max-count=${ARCHIVED_COMMITS}`, 'main']);
    return commits.split('\n');
  }

  async #clone(remote: string): Promise<void> {
    const clone = this.#newFolder();
    await runGit(['clone', '--quiet', '--bare', remote, clone]);
    await rm(clone, { recursive: true });
  }

  async #require(path: string): Promise<void> {
    const { status } = await this.#forge.ask('GET', path);
    if (status !== 200) throw new Error(`GET ${path} returns ${status}`);
  }

  #newFolder(): string {
    this.#folders += 1;
    return join(this.#folder, `heavy-${this.#folders}`);
  }
}
