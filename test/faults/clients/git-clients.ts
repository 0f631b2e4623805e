import { randomBytes } from 'node:crypto';
import { git, tryGit } from '../../support/git/git.ts';
import type { Ledger, Oid } from '../ledger.ts';
import { type Client, REPOSITORY, type Target } from './client.ts';
import { addCommit, Pusher } from './pushing.ts';

const WIDE_BRANCHES = ['refs/heads/wide/a', 'refs/heads/wide/b', 'refs/heads/wide/c'] as const;
const WIDE_FILES = 12;
const WIDE_FILE_BYTES = 4 * 1024;
const WORD_BYTES = 6;

/** Pushes single commits to its own branch, rewinds and deletes the branch, and pushes tags. */
export class SingleCommits implements Client {
  readonly #pusher: Pusher;
  readonly #ref: string;
  readonly #tagPrefix: string;
  #step = 0;

  constructor(options: { folder: string; ledger: Ledger; name: string }) {
    this.#pusher = new Pusher(options.folder, options.ledger);
    this.#ref = `refs/heads/single/${options.name}`;
    this.#tagPrefix = `${options.name}-`;
  }

  async step(target: Target): Promise<void> {
    this.#step += 1;
    const at = this.#pusher.at(this.#ref);
    if (at !== null && this.#step % 11 === 0) return this.#move(target, null);
    if (at !== null && this.#step % 7 === 0) return this.#tag(target, at);
    // A commit without a parent makes the earlier history unreachable.
    await this.#move(target, await this.#commit(this.#step % 5 === 0 ? null : at));
  }

  retry(target: Target): Promise<void> {
    return this.#pusher.retry(target);
  }

  #commit(parent: Oid | null): Promise<Oid> {
    const word = randomBytes(WORD_BYTES).toString('hex');
    return addCommit(this.#pusher.folder, {
      parent,
      message: word,
      files: { 'word.txt': Buffer.from(word) },
    });
  }

  #move(target: Target, to: Oid | null): Promise<void> {
    return this.#pusher.push(target, { changes: [{ ref: this.#ref, to }], atomic: false });
  }

  async #tag(target: Target, at: Oid): Promise<void> {
    const name = this.#tagPrefix + randomBytes(WORD_BYTES).toString('hex');
    await git(this.#pusher.folder, ['tag', '-a', '-m', name, name, at]);
    const to = await git(this.#pusher.folder, ['rev-parse', `refs/tags/${name}`]);
    await this.#pusher.push(target, { changes: [{ ref: `refs/tags/${name}`, to }], atomic: false });
  }
}

/** Pushes larger packs, each to several branches, and every second one atomically. */
export class WidePushes implements Client {
  readonly #pusher: Pusher;
  #step = 0;

  constructor(options: { folder: string; ledger: Ledger }) {
    this.#pusher = new Pusher(options.folder, options.ledger);
  }

  async step(target: Target): Promise<void> {
    this.#step += 1;
    const changes = [];
    for (const ref of WIDE_BRANCHES) changes.push({ ref, to: await this.#commit(ref) });
    await this.#pusher.push(target, { changes, atomic: this.#step % 2 === 0 });
  }

  retry(target: Target): Promise<void> {
    return this.#pusher.retry(target);
  }

  #commit(ref: string): Promise<Oid> {
    const names = Array.from({ length: WIDE_FILES }, (_, index) => `folder-${index % 3}/${index}.bin`);
    const files = Object.fromEntries(names.map((name) => [name, randomBytes(WIDE_FILE_BYTES)]));
    const parent = this.#step % 6 === 0 ? null : this.#pusher.at(ref);
    return addCommit(this.#pusher.folder, { parent, message: 'wide', files });
  }
}

/** Keeps a mirror current and checks that every fetch is complete. */
export class Fetcher implements Client {
  readonly #folder: string;

  /** @param folder an empty bare repository */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async step(target: Target): Promise<void> {
    const run = await this.#fetch(target);
    // A prune may delete unreachable objects while they are fetched.
    if (run.exitCode !== 0 && !target.isPruning) await target.report(`git fetch: ${run.stderr}`);
  }

  async retry(target: Target): Promise<void> {
    const run = await this.#fetch(target);
    if (run.exitCode !== 0) throw new Error(`git fetch: ${run.stderr}`);
  }

  #fetch(target: Target) {
    return tryGit(this.#folder, ['fetch', '-q', '--prune', target.remote(REPOSITORY), '+refs/*:refs/*']);
  }
}
