import { Pace } from '../../../base/core/fairness/pace.ts';
import { Deadline } from '../../../base/core/time/deadline.ts';
import { GIT_LIMITS } from '../../../git/limits.ts';
import { SSH_LIMITS } from '../limits.ts';
import type { SshClient } from '../model.ts';

/** Waits for what a client does next, for a time in which hooks of the client may run, or which it takes to compute. */
export async function whileQuiet<T>(client: SshClient, next: Promise<T>): Promise<T> {
  const deadline = new Deadline(SSH_LIMITS.quietMs, () => client.drop());
  try {
    return await next;
  } finally {
    deadline.finish();
  }
}

/** Requires a client to move bytes, or ends its connection. */
export function paceOf(client: SshClient, patienceMs: number): Pace {
  const bytesPerSecondMin = GIT_LIMITS.transferBytesPerSecondMin;
  return new Pace({ patienceMs, bytesPerSecondMin }, () => client.drop());
}

/** What a client sends. It may be quiet before it begins, and again whenever `mayBeQuiet` was called. */
export class ClientInput {
  readonly #client: SshClient;
  readonly #pace: Pace;
  #isQuiet = true;

  constructor(client: SshClient, patienceMs: number) {
    this.#client = client;
    this.#pace = paceOf(client, patienceMs);
  }

  /** Lets the client be quiet until it sends something. */
  mayBeQuiet(): void {
    this.#isQuiet = true;
  }

  /** Requires the client to send, although nothing has been read since it could be quiet. */
  mustSend(): void {
    this.#isQuiet = false;
  }

  async *read(): AsyncGenerator<Buffer> {
    const iterator = this.#client.input[Symbol.asyncIterator]();
    for (;;) {
      const next = iterator.next();
      const wait = this.#isQuiet ? whileQuiet(this.#client, next) : next.finally(this.#pace.wait());
      const { value, done } = await wait;
      if (done === true) return;
      this.#isQuiet = false;
      this.#pace.moved(value.length);
      yield value;
    }
  }
}

/** Waits for the first bytes of a source, and returns all of them. */
export async function begun(source: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}
