import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { postgresServerUrl } from '../../support/database/postgres-databases.ts';
import { meantStatus } from '../../support/forge/ocs.ts';
import { severalAtOnce } from '../../support/several-at-once.ts';
import { addressOf } from './address.ts';
import { type Caller, callersOf, callerTitle, isCompared, OF_SCOPES } from './callers.ts';
import { type AnyKind, type Cast, OWNER } from './forge.ts';
import type { Probe } from './probe.ts';
import type { Wallet } from './wallet.ts';

export const HAS_ALL_CELLS = postgresServerUrl() === undefined;
/** What a cell contains instead of a status. */
const IMPOSSIBLE = '–';
export const NOT_TRIED = '·';

/** The statuses of requests, by caller. */
export class Table {
  readonly heading: string;
  readonly probes: readonly Probe[];
  readonly kind: AnyKind;
  /** statuses in the order of the probes, by the title of the caller */
  readonly columns = new Map<string, string[]>();

  constructor(heading: string, { probes, kind }: { probes: readonly Probe[]; kind: AnyKind }) {
    this.heading = heading;
    this.probes = probes;
    this.kind = kind;
  }

  /** Tries all requests, one caller after the other. */
  async measure(cast: Cast, wallet: Wallet, callers: readonly Caller[]): Promise<void> {
    for (const caller of callers) {
      const statuses: string[] = [];
      const statusOf = (probe: Probe) => this.#cell(cast, wallet, { probe, caller });
      for (const group of groupsOf(this.probes)) statuses.push(...(await severalAtOnce(group, statusOf)));
      this.columns.set(callerTitle(caller), statuses);
    }
  }

  /** Fills the cells that were not tried from the lines of a page. */
  fill(lineOf: (firstCell: string) => string | undefined): void {
    for (const [index, { label }] of this.probes.entries()) {
      const cells = cellsOf(lineOf(`| ${label}`));
      for (const [at, caller] of callersOf(this.kind).entries()) {
        const column = this.columns.get(callerTitle(caller)) ?? [];
        if (column[index] === NOT_TRIED) column[index] = cells[at + 1] ?? NOT_TRIED;
      }
    }
  }

  lines(): readonly string[] {
    const titles = callersOf(this.kind).map(callerTitle);
    const columns = titles.map((title) => this.columns.get(title) ?? []);
    return [
      `| | ${titles.join(' | ')} |`,
      `|---|${titles.map(() => '---|').join('')}`,
      ...this.probes.map(
        ({ label }, index) => `| ${label} | ${columns.map((column) => column[index]).join(' | ')} |`,
      ),
    ];
  }

  async #cell(
    cast: Cast,
    wallet: Wallet,
    { probe, caller }: { probe: Probe; caller: Caller },
  ): Promise<string> {
    return isTried(probe, caller, this.probes)
      ? tried(cast, wallet, { probe, caller, kind: this.kind })
      : NOT_TRIED;
  }
}

/** Returns the cells of a row, with its label as the first one. */
export function cellsOf(line = ''): readonly string[] {
  return line.replace(/^\| /, '').replace(/ \|$/, '').split(' | ');
}

/** Sends a request of a caller, and returns its status. What the request has deleted is there again afterwards. */
export async function tried(
  cast: Cast,
  wallet: Wallet,
  { probe, caller, kind }: { probe: Probe; caller: Caller; kind: AnyKind },
): Promise<string> {
  const send = await wallet.senderFor(probe, caller, kind);
  if (send === 'impossible') return IMPOSSIBLE;
  const self = caller === 'anonymous' ? 'ada' : cast.viewer(caller.viewer, kind).name;
  const url = await addressOf(cast, probe, kind, self);
  const answer = await send(probe.method, url, probe.sent ?? {});
  if (probe.action === REPOSITORY.delete && answer.status === 204) {
    await cast.createRepository(kind, 'doomed');
    wallet.forget(`${OWNER[kind]}/doomed`);
  }
  await wallet.restore(probe, caller, kind);
  return String(meantStatus(url, answer));
}

/**
 * Whether a cell is tried on this database. The embedded database tries each cell. PostgreSQL tries each route with a few
 * callers, because the route may have SQL of its own, and each action with all callers for whom the same SQL may decide
 * differently. It tries all requests of compared callers, because the page lists only their differences.
 */
function isTried(probe: Probe, caller: Caller, probes: readonly Probe[]): boolean {
  if (HAS_ALL_CELLS || caller === 'anonymous' || isCompared(caller.credential)) return true;
  if (OF_SCOPES.includes(caller.credential)) return false;
  return caller.viewer === 'owner' || probes.find(({ action }) => action === probe.action) === probe;
}

/** Groups probes that follow each other and only read, whose order cannot matter. */
function groupsOf(probes: readonly Probe[]): Probe[][] {
  const groups: Probe[][] = [];
  for (const probe of probes) {
    const group = groups.at(-1);
    if (group?.[0]?.method === 'GET' && probe.method === 'GET') group.push(probe);
    else groups.push([probe]);
  }
  return groups;
}
