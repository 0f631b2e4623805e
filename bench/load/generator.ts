import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Sample } from '../model.ts';
import type { LoadJob, LoadOutcome } from './job.ts';

/** Sends requests from a separate process. */
export class LoadGenerator {
  readonly #child: ChildProcess;
  readonly #gone: Promise<unknown>;

  constructor() {
    const worker = join(import.meta.dirname, 'worker.ts');
    this.#child = fork(worker, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#gone = once(this.#child, 'exit');
  }

  /** @throws Error if a response is not the expected one */
  async run(job: LoadJob): Promise<Sample> {
    const answered = once(this.#child, 'message') as Promise<[LoadOutcome]>;
    this.#child.send(job);
    const gone = this.#gone.then((): never => {
      throw new Error('the load generator ended');
    });
    const [outcome] = await Promise.race([answered, gone]);
    if (outcome.kind === 'failed') throw new Error(`the load generator: ${outcome.why}`);
    return { latenciesMs: outcome.latenciesMs, elapsedMs: outcome.elapsedMs };
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
