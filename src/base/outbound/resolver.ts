import { lookup, Resolver } from 'node:dns/promises';
import { FairSlots } from '../core/fairness/fair-slots.ts';
import { HostsFile } from './hosts-file.ts';
import { OUTBOUND_LIMITS } from './limits.ts';

interface Settings {
  /** name servers with their ports; absent: those of the machine */
  readonly servers?: readonly string[];
  /** ms that a name server has for an answer */
  readonly answerMs?: number;
}

/**
 * Resolves names of hosts as the machine does. `getaddrinfo` takes one of a few threads of the process for as long as a name
 * server takes, and the owner of a name decides how long that is. So this class asks the name servers itself, which takes no
 * thread. Only names that the name servers do not have, such as those of the hosts file, of search domains or of mDNS, take a
 * thread, and callers share these threads.
 */
export class MachineResolver {
  readonly #settings: Settings;
  readonly #hostsFile = new HostsFile('/etc/hosts');
  readonly #slots = new FairSlots({
    what: 'names of hosts',
    unitsMax: OUTBOUND_LIMITS.outboundLookupsAtOnceMax,
    unitsPerCallerMax: 1,
    unitsForSignedIn: 0,
    queueMax: OUTBOUND_LIMITS.outboundLookupsWaitingMax,
    queuePerCallerMax: OUTBOUND_LIMITS.outboundLookupsWaitingPerCallerMax,
    waitMs: OUTBOUND_LIMITS.outboundConnectMs,
  });

  constructor(settings: Settings = {}) {
    this.#settings = settings;
  }

  /**
   * @param host in lower case, without a dot at its end
   * @throws Error of `node:dns` if the name has no address, or its name servers do not answer; ForgeError `busy`
   */
  async resolve(host: string): Promise<readonly string[]> {
    // A name server of the machine knows names without a dot only with a search domain.
    const isOfMachine = !host.includes('.') || (await this.#hostsFile.has(host));
    const asked = isOfMachine ? [] : await this.#ask(host);
    return asked.length > 0 ? asked : this.#lookUp(host);
  }

  /** @returns nothing if the name servers do not have the name, or there are none */
  async #ask(host: string): Promise<readonly string[]> {
    const { servers, answerMs = OUTBOUND_LIMITS.outboundNameAnswerMs } = this.#settings;
    // A new one has the present settings of the machine.
    const resolver = new Resolver({ timeout: answerMs, tries: OUTBOUND_LIMITS.outboundNameTries });
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    for (const answer of answers)
      if (answer.status === 'rejected' && isLate(answer.reason)) throw answer.reason;
    return [];
  }

  #lookUp(host: string): Promise<readonly string[]> {
    return this.#slots.run(async () => {
      const found = await lookup(host, { all: true, order: 'verbatim' });
      return found.map(({ address }) => address);
    });
  }
}

/** Whether a name has servers that do not answer. To ask for it again would only take a thread for longer. */
function isLate(error: unknown): boolean {
  return ['ETIMEOUT', 'ESERVFAIL'].includes((error as NodeJS.ErrnoException).code ?? '');
}
