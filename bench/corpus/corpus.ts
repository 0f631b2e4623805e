import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Forge } from './forge.ts';
import { askGit, runGit } from './git.ts';
import { historyStream } from './history.ts';
import { fillNotebook, type Notebook } from './notebook.ts';
import { noiseOfBytes, textOfBytes } from './texts.ts';

/** Paths in the small repository that rows read. */
export const SMALL = { tenKb: 'ten.txt', hundredKb: 'hundred.txt', tenMb: 'ten.bin' } as const;

export const TEN_KB = textOfBytes(10 * 1024, 7);
export const HUNDRED_KB = textOfBytes(100 * 1024, 8);
const TEN_MB_BYTES = 10 * 1024 * 1024;
const LOOKS_MAX = 100;
const LOOK_EVERY_MS = 100;

/** The repositories that rows read and write. Creates each one through the API and git when a row first needs it. */
export class Corpus {
  readonly #forge: Forge;
  readonly #folder: string;
  readonly #size: { readonly commits: number; readonly notes: number };
  #notebook: Promise<Notebook> | null = null;
  readonly #made = new Map<string, Promise<string>>();

  /** @param folder a temporary folder for the repositories to push from */
  constructor(forge: Forge, folder: string, size: { commits: number; notes: number }) {
    this.#forge = forge;
    this.#folder = folder;
    this.#size = size;
  }

  /** A repository with a few files. No row changes it. */
  small(): Promise<string> {
    return this.#once('small', async (name) => this.#push(await this.#smallHistory(), name));
  }

  /** A repository that rows commit to. */
  smallToWrite(suffix: string): Promise<string> {
    return this.#once(`small-${suffix}`, async (name) => this.#push(await this.#smallHistory(), name));
  }

  /** A repository with a long history. No row changes it. */
  large(): Promise<string> {
    return this.#once('large', async (name) => this.#push(await this.largeHistory(), name));
  }

  largeToWrite(suffix: string): Promise<string> {
    return this.#once(`large-${suffix}`, async (name) => this.#push(await this.largeHistory(), name));
  }

  /** Empty repositories. @returns a word that the names of all of them contain, and no others */
  many(count: number): Promise<string> {
    return this.#once('manifold', async (name) => {
      for (let made = 0; made < count; made += 1) await this.#forge.createRepository(`${name}-${made}`);
      return name;
    });
  }

  /** An organization with teams. @returns its name */
  organization(teams: number): Promise<string> {
    return this.#once('guild', (name) => this.#forge.createOrganization(name, teams));
  }

  /** The bare repository from which the large ones are pushed. */
  largeHistory(): Promise<string> {
    return this.#once('from-large', async (name) => {
      const bare = await this.#initBare(name);
      await runGit(['-C', bare, 'fast-import', '--quiet'], historyStream(this.#size.commits));
      // fast-import packs loosely. Real repositories do not stay like that for long.
      await runGit(['-C', bare, 'repack', '-adfq', '--depth=50', '--window=10']);
      return bare;
    });
  }

  /** A bare clone of the large repository on this machine. */
  largeMirror(): Promise<string> {
    return this.#once('mirror', async (name) => {
      const folder = join(this.#folder, name);
      await runGit(['clone', '--quiet', '--mirror', this.#forge.publicRemoteOf(await this.large()), folder]);
      return folder;
    });
  }

  /** @throws Skipped */
  notebook(): Promise<Notebook> {
    this.#notebook ??= fillNotebook(this.#forge, this.#folder, this.#size.notes);
    return this.#notebook;
  }

  #smallHistory(): Promise<string> {
    return this.#once('from-small', async (name) => {
      const work = join(this.#folder, name);
      await mkdir(work, { recursive: true });
      await runGit(['init', '-q', '-b', 'main', work]);
      await writeFile(join(work, 'README.md'), '# Small\n');
      await writeFile(join(work, SMALL.tenKb), TEN_KB);
      await writeFile(join(work, SMALL.hundredKb), HUNDRED_KB);
      await writeFile(join(work, SMALL.tenMb), noiseOfBytes(TEN_MB_BYTES, 3));
      await runGit(['-C', work, 'add', '-A']);
      await runGit(['-C', work, 'commit', '-q', '-m', 'Begin']);
      return work;
    });
  }

  async #initBare(name: string): Promise<string> {
    const bare = join(this.#folder, name);
    await runGit(['init', '-q', '--bare', '-b', 'main', bare]);
    return bare;
  }

  async #push(from: string, suffix: string): Promise<string> {
    const name = await this.#forge.createRepository(suffix);
    await runGit(['-C', from, 'push', '--quiet', this.#forge.remoteOf(name), 'main:main']);
    await this.#requireTip(from, name);
    await this.#untilShown(name);
    return name;
  }

  /** Checks that the server has the pushed commit. */
  async #requireTip(from: string, name: string): Promise<void> {
    const tip = await askGit(['-C', from, 'rev-parse', 'main']);
    const listed = await askGit(['ls-remote', this.#forge.publicRemoteOf(name), 'refs/heads/main']);
    if (!listed.startsWith(tip)) throw new Error(`${name} is at ${listed}, not at ${tip}`);
  }

  /** Waits until the API shows what was pushed: other servers do so a while after the push. */
  async #untilShown(name: string): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const { body } = await this.#forge.ask('GET', this.#forge.repositoryPath(name));
      const { empty }: { empty: boolean } = JSON.parse(body.toString());
      if (!empty) return;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`${name} is still empty for the API after a push`);
  }

  #once(key: string, make: (name: string) => Promise<string>): Promise<string> {
    const made = this.#made.get(key) ?? make(key);
    this.#made.set(key, made);
    return made;
  }
}
