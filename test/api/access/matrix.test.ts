import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { SERVER } from '../../../src/api/access/actions.ts';
import { printedSshAccess } from '../../code/ssh/access.ts';
import type { Person } from '../../support/forge/forge.ts';
import type { FactorState } from './browsers.ts';
import {
  type Caller,
  COMPARED_VIEWERS,
  type ComparedCredential,
  callersOf,
  comparedCallers,
} from './callers.ts';
import { type Cast, KINDS, ORGANIZATION_KINDS, startCast } from './forge.ts';
import { allTables, byPlace, filled, headingOf, placeOf, printed, RENEW, type Tables } from './page.ts';
import { type Probe, routeName } from './probe.ts';
import { ALL_PROBES, OPEN_ROUTES, ORGANIZATION_PROBES, OTHER_PROBES, REPOSITORY_PROBES } from './probes.ts';
import { HAS_ALL_CELLS, Table, tried } from './tables.ts';
import { Wallet } from './wallet.ts';

const FILE = path.resolve(import.meta.dirname, '../../../docs/access-matrix.md');

/** The credentials that depend on a second factor, in the order in which the accounts of the viewers change. */
const OF_FACTORS: readonly (readonly [FactorState, readonly ComparedCredential[]])[] = [
  ['a second factor', ['session with a second factor', 'password of an account with a second factor']],
  [
    'needs a second factor',
    [
      'session without the required second factor',
      'password without the required second factor',
      'token: all, without the required second factor',
    ],
  ],
];

function newTables(): Tables {
  const repository = { probes: REPOSITORY_PROBES };
  const organization = { probes: ORGANIZATION_PROBES };
  return {
    repositories: [...KINDS, ...ORGANIZATION_KINDS].map(
      (kind) => new Table(headingOf.repository(kind), { ...repository, kind }),
    ),
    organizations: ORGANIZATION_KINDS.map(
      (kind) => new Table(headingOf.organization(kind), { ...organization, kind }),
    ),
    others: new Table(headingOf.others, { probes: OTHER_PROBES, kind: 'public' }),
  };
}

/**
 * Tries all requests of some callers. The tables of one subject are made at the same time, because their probes change
 * different repositories and organizations: a server that answers several requests at a time takes less CPU for each.
 */
async function measure(
  cast: Cast,
  wallet: Wallet,
  { repositories, organizations, others }: Tables,
  callersIn: (table: Table) => readonly Caller[],
): Promise<void> {
  for (const tables of [repositories, organizations, [others]])
    await Promise.all(tables.map((table) => table.measure(cast, wallet, callersIn(table))));
}

/** Accounts change only after the tables, whose columns have passwords. */
async function measureAll(cast: Cast, wallet: Wallet, tables: Tables): Promise<void> {
  await measure(cast, wallet, tables, ({ kind }) => callersOf(kind));
  const others = comparedCallers(['session', 'OAuth2 token: all', 'OAuth2 token: read:repository']);
  await measure(cast, wallet, tables, () => others);
  const people = comparedPeople(cast, tables);
  // An account that needs a second factor creates no token, and some databases have not tried this one yet.
  for (const person of people) await cast.tokenFor(person, ['all']);
  for (const [state, credentials] of OF_FACTORS) {
    for (const person of people) await wallet.browsers.change(person, state);
    await measure(cast, wallet, tables, () => comparedCallers(credentials));
  }
}

function comparedPeople(cast: Cast, tables: Tables): ReadonlySet<Person> {
  return new Set(
    allTables(tables).flatMap(({ kind }) => COMPARED_VIEWERS.map((viewer) => cast.viewer(viewer, kind))),
  );
}

async function openStatuses(cast: Cast, wallet: Wallet): Promise<string[]> {
  const lines = ['| route | status for everyone |', '|---|---|'];
  const callers: Caller[] = ['anonymous', { viewer: 'stranger', credential: 'token: public-only' }];
  for (const route of OPEN_ROUTES) {
    const [method = '', url = ''] = route.split(' ');
    const sent = { headers: { 'ocs-apirequest': 'true' } };
    const probe: Probe = { label: route, method, url, action: SERVER.describe, sent };
    const statuses = new Set<string>();
    for (const caller of callers) statuses.add(await tried(cast, wallet, { probe, caller, kind: 'public' }));
    lines.push(`| ${route} | ${[...statuses].join(', ')} |`);
  }
  return lines;
}

function uncovered(cast: Cast): string[] {
  const covered = new Set([...OPEN_ROUTES, ...ALL_PROBES.map(({ method, url }) => routeName(method, url))]);
  const routes = cast.forge.forge.running.app.statedRoutes.filter(({ method }) => method !== 'HEAD');
  return [...new Set(routes.map(({ method, url }) => routeName(method, url)))].filter(
    (route) => !covered.has(route),
  );
}

test('the server grants what docs/access-matrix.md says, which covers every route', {
  timeout: 900_000,
}, async (t) => {
  const cast = await startCast(t);
  const wallet = new Wallet(cast);
  const tables = newTables();
  const committed = byPlace((await readFile(FILE, 'utf8').catch(() => '')).split('\n'));

  await measureAll(cast, wallet, tables);
  // The last one, because open routes end tokens, too.
  const open = await openStatuses(cast, wallet);

  for (const table of allTables(tables))
    table.fill((firstCell) => committed.get(placeOf(table.heading, firstCell)));
  const missing = uncovered(cast);
  const ssh = filled(await printedSshAccess(t), committed);
  const now = printed({ tables, ssh, open, uncovered: missing });
  assert.deepEqual(missing, [], 'give each of these routes a probe in test/<wing>/<feature>/probes.ts');
  if (process.env[RENEW] !== undefined && HAS_ALL_CELLS) await writeFile(FILE, now.join('\n'));
  const expected = process.env[RENEW] === undefined || !HAS_ALL_CELLS ? committed : byPlace(now);
  const current = byPlace(now);
  const changed = [...current].filter(([place, line]) => line !== expected.get(place));
  const gone = [...expected.keys()].filter((place) => !current.has(place));
  assert.deepEqual(
    [...changed.map(([, line]) => line), ...gone],
    [],
    `the server does not do what docs/access-matrix.md says: check each change, then run ${RENEW}=1 npm test -- test/api/access/matrix.test.ts`,
  );
});
