import { setTimeout as sleep } from 'node:timers/promises';
import { ATTACKS } from './attacks.ts';
import { RawConnection } from './raw-http.ts';
import { SSH_ATTACKS } from './ssh-attacks.ts';
import type { Targets } from './targets.ts';

const ADDRESSES = 50;
/** Over SSH, the addresses are of this machine, because no header can name one. */
const SSH_NETWORK = '127.0.1';
/** An attacker whose connection ended opens the next one after this. */
const REST_MS = 100;

const NAMES = [...Object.keys(ATTACKS), ...Object.keys(SSH_ATTACKS)];

/** What the server answered to one kind of attack: status, `no answer` or what became of it over SSH, and how often. */
export interface Outcome {
  readonly attack: string;
  readonly attempts: number;
  readonly answers: Readonly<Record<string, number>>;
}

/** Returns the attacks with a text in their names. */
export function attacksNamed(text: string): readonly string[] {
  return NAMES.filter((name) => name.includes(text));
}

/** Holds a number of hostile connections open at a time, of all kinds in turn. */
export class Attackers {
  readonly #targets: Targets;
  readonly #names: readonly string[];
  readonly #answers = new Map<string, Map<string, number>>();
  #turn = 0;

  constructor(targets: Targets, names: readonly string[]) {
    this.#targets = targets;
    this.#names = names;
  }

  /** Attacks over `connections` connections at a time until `signal` fires. */
  async run(connections: number, signal: AbortSignal): Promise<void> {
    const names = this.#names;
    await Promise.all(
      Array.from({ length: connections }, (_, index) =>
        this.#repeat(names[index % names.length] ?? '', index % ADDRESSES, signal),
      ),
    );
  }

  outcomes(): readonly Outcome[] {
    return this.#names.map((attack) => {
      const answers = Object.fromEntries(this.#answers.get(attack) ?? []);
      const attempts = Object.values(answers).reduce((total, count) => total + count, 0);
      return { attack, attempts, answers };
    });
  }

  async #repeat(name: string, host: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#turn += 1;
      const answer = await this.#attack(name, host, signal);
      if (!signal.aborted) this.#count(name, answer);
      await sleep(REST_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #attack(name: string, host: number, signal: AbortSignal): Promise<string> {
    const about = { targets: this.#targets, turn: this.#turn, signal };
    const attack = ATTACKS[name];
    if (attack === undefined)
      return (await SSH_ATTACKS[name]?.({ ...about, address: `${SSH_NETWORK}.${host + 1}` })) ?? '';
    const connection = new RawConnection(this.#targets.url, signal);
    const head = await attack({ ...about, connection, address: `198.51.100.${host}` });
    return head === undefined ? 'no answer' : answerOf(head);
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
