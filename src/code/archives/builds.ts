import { callerThatStays, runFor } from '../../base/core/fairness/caller.ts';
import type { Broadcast } from '../../base/core/spool/broadcast.ts';

export interface BuildWork {
  /** the name of the bytes */
  readonly name: string;
  /** Yields the archive. Its slots and disk space count for the caller that starts the build. */
  readonly bytes: (signal: AbortSignal) => AsyncIterable<Buffer>;
  /** Keeps a complete archive. Requests that arrive meanwhile share the build. Never rejects. */
  readonly store: (archive: { sizeBytes: number; read(): AsyncIterable<Buffer> }) => Promise<void>;
}

/** Builds each archive once for all clients that want it at the same time, each of which reads at its own pace. */
export class ArchiveBuilds {
  readonly #newBytes: () => Broadcast;
  readonly #builds = new Map<string, ArchiveBuild>();
  /** also builds that no client can join any more */
  readonly #running = new Set<Promise<void>>();

  /** @param newBytes returns room for the bytes of one archive */
  constructor(newBytes: () => Broadcast) {
    this.#newBytes = newBytes;
  }

  /** builds that run, or whose archives are being stored */
  get size(): number {
    return this.#running.size;
  }

  /** Waits until there are none. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Returns the name of the bytes of a running build. */
  nameOf(key: string): string | undefined {
    return this.#builds.get(key)?.name;
  }

  /** Starts a build, or returns an equal one that is running. */
  get(key: string, workOf: () => BuildWork): ArchiveBuild {
    const running = this.#builds.get(key);
    if (running !== undefined) return running;
    const work = workOf();
    const build = new ArchiveBuild(this.#newBytes(), work.name, () => {
      if (this.#builds.get(key) === build) this.#builds.delete(key);
    });
    this.#builds.set(key, build);
    const ended = build.run(work).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
    return build;
  }
}

export class ArchiveBuild {
  /** the name of its bytes */
  readonly name: string;
  /** resolves with the first bytes; fails if there are none */
  readonly started: Promise<void>;
  readonly #begin = Promise.withResolvers<void>();
  readonly #bytes: Broadcast;
  readonly #ending = new AbortController();
  readonly #onEnded: () => void;
  #clients = 0;
  #isComplete = false;

  constructor(bytes: Broadcast, name: string, onEnded: () => void) {
    this.name = name;
    this.#bytes = bytes;
    this.#onEnded = onEnded;
    this.started = this.#begin.promise;
    // The clients may be gone by then.
    this.started.catch(() => {});
  }

  /** Adds a client. The build ends when all clients have left. @returns a function for the client to leave */
  join(): () => void {
    this.#clients += 1;
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      this.#clients -= 1;
      if (this.#clients > 0 || this.#isComplete) return;
      this.#onEnded();
      this.#ending.abort(new Error('all clients have left'));
    };
  }

  read(): AsyncGenerator<Buffer> {
    return this.#bytes.read();
  }

  /** Builds and keeps the archive. Never rejects. */
  run(work: BuildWork): Promise<void> {
    return runFor(callerThatStays(), () => this.#run(work));
  }

  async #run(work: BuildWork): Promise<void> {
    try {
      await this.#build(work);
      await work.store({ sizeBytes: this.#bytes.size, read: () => this.read() });
    } catch (error) {
      this.#bytes.fail(error);
      this.#begin.reject(error);
    } finally {
      this.#onEnded();
      await this.#bytes.close().catch(() => {});
    }
  }

  async #build(work: BuildWork): Promise<void> {
    for await (const chunk of work.bytes(this.#ending.signal)) {
      await this.#bytes.append(chunk);
      this.#begin.resolve();
    }
    this.#isComplete = true;
    this.#bytes.end();
  }
}
