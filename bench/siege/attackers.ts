import { setTimeout as sleep } from 'node:timers/promises';
import { ATTACKS } from './attacks.ts';
import { RawConnection } from './raw-http.ts';
import type { Targets } from './targets.ts';

const ADDRESSES = 50;
/** An attacker whose connection ended opens the next one after this. */
const REST_MS = 100;

/** What the server answered to one kind of attack: status or `no answer`, and how often. */
export interface Outcome {
  readonly attack: string;
  readonly attempts: number;
  readonly answers: Readonly<Record<string, number>>;
}

/** Holds a number of hostile connections open at a time, of all kinds in turn. */
export class Attackers {
  readonly #targets: Targets;
  readonly #answers = new Map<string, Map<string, number>>();
  #turn = 0;

  constructor(targets: Targets) {
    this.#targets = targets;
  }

  /** Attacks over `connections` connections at a time until `signal` fires. */
  async run(connections: number, signal: AbortSignal): Promise<void> {
    const names = Object.keys(ATTACKS);
    await Promise.all(
      Array.from({ length: connections }, (_, index) =>
        this.#repeat(names[index % names.length] ?? '', `198.51.100.${index % ADDRESSES}`, signal),
      ),
    );
  }

  outcomes(): readonly Outcome[] {
    return Object.keys(ATTACKS).map((attack) => {
      const answers = Object.fromEntries(this.#answers.get(attack) ?? []);
      const attempts = Object.values(answers).reduce((total, count) => total + count, 0);
      return { attack, attempts, answers };
    });
  }

  async #repeat(name: string, address: string, signal: AbortSignal): Promise<void> {
    const attack = ATTACKS[name];
    while (attack !== undefined && !signal.aborted) {
      this.#turn += 1;
      const { turn } = this;
      const connection = new RawConnection(this.#targets.url, signal);
      const head = await attack({ targets: this.#targets, connection, address, turn, signal });
      if (!signal.aborted) this.#count(name, head === undefined ? 'no answer' : answerOf(head));
      await sleep(REST_MS, undefined, { signal }).catch(() => {});
    }
  }

  get turn(): number {
    return this.#turn;
  }

  #count(attack: string, answer: string): void {
    const counts = this.#answers.get(attack) ?? new Map<string, number>();
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
    this.#answers.set(attack, counts);
  }
}

function answerOf({ status, hasRetryAfter }: { status: number; hasRetryAfter: boolean }): string {
  return hasRetryAfter ? `${status} with Retry-After` : String(status);
}
