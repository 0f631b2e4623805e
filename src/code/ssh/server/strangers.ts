import { ForgeError } from '../../../base/core/failure.ts';
import { addressGroup } from '../../../base/core/fairness/address-group.ts';
import { Allowance } from '../../../base/core/fairness/allowance.ts';
import { runFor } from '../../../base/core/fairness/caller.ts';
import { SSH_LIMITS } from '../limits.ts';

/** A connection that has not signed in. */
export interface Stranger {
  end(): void;
}

/** Bounds the connections that have not signed in, of each network and of all. */
export class Strangers {
  /** by network, the oldest first */
  readonly #networks = new Map<string, Set<Stranger>>();
  readonly #handshakes = new Allowance({
    what: 'connections',
    unitsMax: SSH_LIMITS.handshakesPerNetworkMax,
    periodMs: SSH_LIMITS.handshakesMs,
    callersRememberedMax: SSH_LIMITS.handshakeNetworksRememberedMax,
  });
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Adds a connection. If there are too many, the oldest one of the network with most of them ends.
   *
   * @returns a function that removes it; undefined if its network has too many, or opened too many lately
   */
  add(address: string, stranger: Stranger): (() => void) | undefined {
    const network = addressGroup(address);
    const mine = this.#networks.get(network) ?? new Set();
    if (mine.size >= SSH_LIMITS.strangersPerNetworkMax || !this.#maySpend(network)) return undefined;
    this.#networks.set(network, mine.add(stranger));
    this.#count += 1;
    if (this.#count > SSH_LIMITS.strangersMax) this.#endOne();
    return () => {
      if (!mine.delete(stranger)) return;
      this.#count -= 1;
      if (mine.size === 0 && this.#networks.get(network) === mine) this.#networks.delete(network);
    };
  }

  #maySpend(network: string): boolean {
    const caller = { share: `network ${network}`, isAnonymous: true, isServer: false };
    try {
      runFor(caller, () => this.#handshakes.spend(1));
      return true;
    } catch (error) {
      if (error instanceof ForgeError) return false;
      throw error;
    }
  }

  #endOne(): void {
    const networks = [...this.#networks.values()];
    const most = networks.reduce((one, other) => (other.size > one.size ? other : one), new Set<Stranger>());
    const [oldest] = most;
    oldest?.end();
  }
}
