import { setImmediate } from 'node:timers/promises';
import { ForgeError } from '../../base/core/failure.ts';
import type { Oid } from '../format/model.ts';
import type { IndexedLastCommits, LastCommit } from '../interface/history.ts';
import { GIT_LIMITS } from '../limits.ts';
import type { FolderChanges } from './segments/folder-changes.ts';
import { hashOfPath, NONE } from './segments/format.ts';
import type { SegmentFile } from './segments/segment-file.ts';

/**
 * Finds the last commits of entries, as seen from the commit `start`. It searches a chain of first parents for the last
 * change. If there is none, or if the change leads to a later parent, it continues on the next chain. A chain costs one
 * search, however long it is.
 */
export class Lookup {
  readonly #files: readonly SegmentFile[];
  readonly #folder: Buffer;
  readonly #signal: AbortSignal | undefined;
  readonly #folders = new Map<SegmentFile, FolderChanges | null>();
  readonly #hashes = new Map<string, Buffer>();
  readonly #found = new Map<string, LastCommit>();
  readonly #goesOn = new Map<Oid, string[]>();
  readonly #waiting = new Map<number, string[]>();
  #steps = 0;

  constructor(files: readonly SegmentFile[], folder: string, signal: AbortSignal | undefined) {
    this.#files = files;
    this.#folder = hashOfPath(folder);
    this.#signal = signal;
  }

  /** @throws ForgeError `busy` for a history that needs too many steps; the reason of the signal */
  async run(start: number, names: readonly string[]): Promise<IndexedLastCommits> {
    this.#waiting.set(start, [...names]);
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      await this.#visit(next.number, next.names);
    }
    return { found: this.#found, goesOn: this.#goesOn };
  }

  #take(): { number: number; names: readonly string[] } | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    this.#waiting.delete(next[0]);
    return { number: next[0], names: next[1] };
  }

  async #visit(number: number, names: readonly string[]): Promise<void> {
    const segment = this.#files.find((file) => file.has(number));
    if (segment === undefined) throw new Error(`the change index has no commit ${number}`);
    const { start, attach } = segment.chainOf(number);
    const opaque = segment.opaqueUpTo(number) ?? -1;
    const folder = this.#folderIn(segment);
    for (const name of names) {
      await this.#count();
      const entry = folder?.entry(this.#hashOf(name));
      const change = entry === undefined ? undefined : folder?.lastUpTo(number, entry);
      if (change !== undefined && change.number >= start && change.number > opaque) {
        if (change.next === change.number) this.#found.set(name, segment.commit(change.number));
        else this.#goOn(this.#waiting, change.next, name);
      } else if (opaque >= start) this.#goOn(this.#goesOn, segment.commit(opaque).oid, name);
      else if (attach !== NONE) this.#goOn(this.#waiting, attach, name);
      // The caller reads the trees of the first commit.
      else this.#goOn(this.#goesOn, segment.commit(start).oid, name);
    }
  }

  #goOn<Key>(names: Map<Key, string[]>, at: Key, name: string): void {
    const known = names.get(at);
    if (known === undefined) names.set(at, [name]);
    else known.push(name);
  }

  async #count(): Promise<void> {
    this.#steps += 1;
    if (this.#steps > GIT_LIMITS.changeLookupStepsMax) throw tooFar();
    // Reads from memory never wait, so this yields to other requests.
    if (this.#steps % GIT_LIMITS.changeLookupStepsInOneGo === 0) {
      await setImmediate();
      this.#signal?.throwIfAborted();
    }
  }

  #folderIn(segment: SegmentFile): FolderChanges | null {
    const known = this.#folders.get(segment);
    if (known !== undefined) return known;
    const found = segment.folder(this.#folder) ?? null;
    this.#folders.set(segment, found);
    return found;
  }

  #hashOf(name: string): Buffer {
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    const made = hashOfPath(name);
    this.#hashes.set(name, made);
    return made;
  }
}

function tooFar(): ForgeError {
  const what = 'the history of this folder has too many branches to search';
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: 60 });
}
