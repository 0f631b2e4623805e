import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { SERVER } from '../../../src/api/access/actions.ts';
import { scopesOf } from '../../../src/api/access/policy.ts';
import { SCOPE_CATEGORIES } from '../../../src/api/access/scopes.ts';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { postgresServerUrl } from '../../support/database/postgres-databases.ts';
import type { Person } from '../../support/forge/forge.ts';
import type { Credentials } from '../../support/http/http.ts';
import { severalAtOnce } from '../../support/several-at-once.ts';
import { addressOf } from './address.ts';
import {
  type AnyKind,
  type Cast,
  isOrganization,
  KINDS,
  MEMBERS,
  ORGANIZATION_KINDS,
  type OrganizationKind,
  OWNER,
  startCast,
  VIEWERS,
  type ViewerKind,
} from './forge.ts';
import { type Probe, routeName } from './probe.ts';
import { ALL_PROBES, OPEN_ROUTES, ORGANIZATION_PROBES, OTHER_PROBES, REPOSITORY_PROBES } from './probes.ts';

const FILE = path.resolve(import.meta.dirname, '../../../docs/access-matrix.md');
/** Environment variable: if set, the test writes the file before it compares. */
const RENEW = 'QUIRE_TEST_RENEW';

const CREDENTIALS = [
  'password',
  'token: all',
  'token: the right scopes',
  'token: all other scopes',
  'token: public-only',
  'token: for this repository',
  'token: for another repository',
] as const;
type CredentialKind = (typeof CREDENTIALS)[number];

/** Tokens without a limit differ in their scopes, on which no SQL depends. */
const OF_SCOPES: readonly CredentialKind[] = [
  'token: all',
  'token: the right scopes',
  'token: all other scopes',
];
const HAS_ALL_CELLS = postgresServerUrl() === undefined;
/** What a cell contains instead of a status. */
const IMPOSSIBLE = '–';
const NOT_TRIED = '·';

type Caller = { readonly viewer: ViewerKind; readonly credential: CredentialKind } | 'anonymous';

/** Members of an organization are left out of tables about users, to whom they are strangers. */
function callersOf(kind: AnyKind): readonly Caller[] {
  const viewers = isOrganization(kind) ? [...VIEWERS, ...MEMBERS] : VIEWERS;
  return [
    'anonymous',
    ...viewers.flatMap((viewer) => CREDENTIALS.map((credential) => ({ viewer, credential }))),
  ];
}

function scopesFor(probe: Probe, credential: CredentialKind, kind: AnyKind): readonly string[] {
  const needed = scopesOf(probe.action, isOrganization(kind) ? 'organization' : 'user');
  switch (credential) {
    case 'token: the right scopes':
      return needed;
    case 'token: all other scopes': {
      const categories = needed.map((scope) => scope.split(':')[1]);
      return SCOPE_CATEGORIES.filter((category) => !categories.includes(category)).map(
        (category) => `write:${category}`,
      );
    }
    case 'token: public-only':
      return ['public-only', 'all'];
    default:
      return ['all'];
  }
}

/** Creates each token once: those of the cast, and those that are limited to a repository. */
class Wallet {
  readonly #cast: Cast;
  /** tokens with a limit, by person, scopes and limit */
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(cast: Cast) {
    this.#cast = cast;
  }

  /** @returns `impossible` if the token would name a repository that is hidden from its owner */
  async credentials(
    probe: Probe,
    caller: Caller,
    kind: AnyKind,
  ): Promise<Credentials | undefined | 'impossible'> {
    if (caller === 'anonymous') return undefined;
    const person = this.#cast.viewer(caller.viewer, kind);
    if (caller.credential === 'password') return { name: person.name, password: person.password };
    const scopes = scopesFor(probe, caller.credential, kind);
    const limit = limitOf(probe, caller.credential, kind);
    const token = await (limit === undefined
      ? this.#cast.tokenFor(person, scopes)
      : this.#limited(person, scopes, limit));
    return token === 'impossible' ? token : { token };
  }

  #limited(person: Person, scopes: readonly string[], limit: string): Promise<string> {
    const key = `${person.name} ${scopes} ${limit}`;
    const token = this.#tokens.get(key) ?? this.#make(person, scopes, limit);
    this.#tokens.set(key, token);
    return token;
  }

  async #make(person: Person, scopes: readonly string[], limit: string): Promise<string> {
    const name = `for ${limit}`;
    const as = { name: person.name, password: person.password };
    const json = { name, scopes, repositories: [limit] };
    const made = await this.#cast.forge.send('POST', `/api/v1/users/${person.name}/tokens`, { as, json });
    return made.status === 201 ? made.body.sha1 : 'impossible';
  }

  /** Drops tokens for a repository that was deleted and created again. */
  forget(limit: string): void {
    for (const key of this.#tokens.keys()) if (key.endsWith(` ${limit}`)) this.#tokens.delete(key);
  }
}

function limitOf(probe: Probe, credential: CredentialKind, kind: AnyKind): string | undefined {
  if (credential === 'token: for this repository')
    return `${OWNER[kind]}/${probe.filled?.[':repo'] ?? 'engine'}`;
  return credential === 'token: for another repository' ? 'zoe/open' : undefined;
}

async function tried(
  cast: Cast,
  wallet: Wallet,
  probe: Probe,
  caller: Caller,
  kind: AnyKind,
): Promise<number | typeof IMPOSSIBLE> {
  const as = await wallet.credentials(probe, caller, kind);
  if (as === 'impossible') return IMPOSSIBLE;
  const self = caller === 'anonymous' ? 'ada' : cast.viewer(caller.viewer, kind).name;
  const url = await addressOf(cast, probe, kind, self);
  const { status } = await cast.forge.send(probe.method, url, {
    ...probe.sent,
    ...(as === undefined ? {} : { as }),
  });
  if (probe.action === REPOSITORY.delete && status === 204) {
    await cast.createRepository(kind, 'doomed');
    wallet.forget(`${OWNER[kind]}/doomed`);
  }
  return status;
}

function callerTitle(caller: Caller): string {
  return caller === 'anonymous' ? 'anonymous' : `${caller.viewer}, ${caller.credential}`;
}

/**
 * Whether a cell is tried on this database. The embedded database tries each cell. PostgreSQL tries each route with a few
 * callers, because the route may have SQL of its own, and each action with all callers for whom the same SQL may decide
 * differently.
 */
function isTried(probe: Probe, caller: Caller, probes: readonly Probe[]): boolean {
  if (HAS_ALL_CELLS || caller === 'anonymous') return true;
  if (OF_SCOPES.includes(caller.credential)) return false;
  return caller.viewer === 'owner' || probes.find(({ action }) => action === probe.action) === probe;
}

/** Returns the lines by their section and their first cell, so that a new line changes no other one. */
function byPlace(lines: readonly string[]): ReadonlyMap<string, string> {
  let heading = '';
  return new Map(
    lines.map((line) => {
      if (line.startsWith('#')) heading = line;
      return [line.startsWith('| ') ? `${heading} ${line.split(' | ')[0]}` : `${heading} ${line}`, line];
    }),
  );
}

/** Whether two lines are the same, except for cells that were not tried. */
function isSame(now: string, committed: string): boolean {
  if (!now.includes(NOT_TRIED)) return now === committed;
  const [found, expected] = [now.split(' | '), committed.split(' | ')];
  const isCellSame = (cell: string, at: number) => cell === expected[at] || cell.startsWith(NOT_TRIED);
  return found.length === expected.length && found.every(isCellSame);
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

/** Returns a table with a line for each probe, and a column for each caller. */
async function table(cast: Cast, wallet: Wallet, probes: readonly Probe[], kind: AnyKind): Promise<string[]> {
  const callers = callersOf(kind);
  const lines = probes.map(({ label }) => `| ${label} |`);
  for (const caller of callers) {
    const statuses: (number | string)[] = [];
    const statusOf = async (probe: Probe) =>
      isTried(probe, caller, probes) ? tried(cast, wallet, probe, caller, kind) : NOT_TRIED;
    for (const group of groupsOf(probes)) statuses.push(...(await severalAtOnce(group, statusOf)));
    for (const [index, status] of statuses.entries()) lines[index] += ` ${status} |`;
  }
  return [
    `| | ${callers.map(callerTitle).join(' | ')} |`,
    `|---|${callers.map(() => '---|').join('')}`,
    ...lines,
  ];
}

async function openStatuses(cast: Cast, wallet: Wallet): Promise<string[]> {
  const lines = ['| route | status for everyone |', '|---|---|'];
  const callers: Caller[] = ['anonymous', { viewer: 'stranger', credential: 'token: public-only' }];
  for (const route of OPEN_ROUTES) {
    const [method = '', url = ''] = route.split(' ');
    const probe: Probe = { label: route, method, url, action: SERVER.describe };
    const sent = { headers: { 'ocs-apirequest': 'true' } };
    const statuses = new Set<number | string>();
    for (const caller of callers)
      statuses.add(await tried(cast, wallet, { ...probe, sent }, caller, 'public'));
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

const HEADING = `# Who may do what

\`test/api/access/matrix.test.ts\` generates this page from requests to a real server. To renew it, run
\`${RENEW}=1 npm test -- test/api/access/matrix.test.ts\`. Each cell is the status of the response. On
PostgreSQL, fewer cells are tried: each route with anonymous requests and those of the owner, each action with all
viewers, and no tokens that differ only in their scopes.

Each feature defines its actions in its \`actions.ts\`. A request that is granted may still be rejected for its content:
to be repeatable, an update and a deletion of a file name a wrong version (422, 400), a new repository and a new token have
an invalid name (422), a new account has no fields (422), and a token or a note to read, change or delete does not exist
(404). Deleting the account \`ada\` is rejected because it owns repositories (422). A transfer names a team of an owner who
has no teams (422), and a new fork has an invalid name (422). A repository that is not a fork cannot be compared or synced
(400), and no transfer is pending (404). The branches, commits, pull requests and reviews of requests on pull requests do
not exist (404), and a server without a key has no \`signing-key.ssh\` (404). Readers may push, but only
propose commits, or update heads of pull requests that they may edit.

Other tests compare the credentials of one user with these callers: \`browsers.test.ts\`, \`second-factor.test.ts\` and
\`oauth-tokens.test.ts\` beside the test of this page, and \`test/code/ssh/callers.test.ts\`, for browsers, second factors,
OAuth2 tokens and SSH keys.
`;

const KIND_TITLES: Readonly<Record<AnyKind, string>> = {
  public: 'A public repository of a public account',
  private: 'A private repository of a public account',
  limited: 'A public repository of an account that only signed-in users see',
  guild: 'A private repository of a public organization',
  lodge: 'A public repository of an organization that only its members see',
};

const ORGANIZATION_TITLES: Readonly<Record<OrganizationKind, string>> = {
  guild: 'A public organization',
  lodge: 'An organization that only its members see',
};

function legend(probes: readonly Probe[]): string[] {
  return probes.map(
    ({ label, method, url, action, query = '' }) =>
      `- ${label}: \`${method} ${url}${query}\`, \`${action.name}\``,
  );
}

/**
 * Returns a section for each kind. The tables are made at the same time, because their probes change different
 * repositories and organizations: a server that answers several requests at a time takes less CPU for each.
 */
function sections<Kind extends AnyKind>(
  kinds: readonly Kind[],
  titleOf: (kind: Kind) => string,
  tableOf: (kind: Kind) => Promise<string[]>,
): Promise<string[][]> {
  return Promise.all(kinds.map(async (kind) => [titleOf(kind), '', ...(await tableOf(kind)), '']));
}

async function printed(cast: Cast): Promise<string> {
  const wallet = new Wallet(cast);
  const parts: string[][] = [[HEADING]];
  parts.push(['## Requests on a repository', '', ...legend(REPOSITORY_PROBES), '']);
  const ofRepository = (kind: AnyKind) => table(cast, wallet, REPOSITORY_PROBES, kind);
  const kinds = [...KINDS, ...ORGANIZATION_KINDS];
  parts.push(...(await sections(kinds, (kind) => `## ${KIND_TITLES[kind]}`, ofRepository)));
  parts.push(['## Requests on an organization and its teams', '', ...legend(ORGANIZATION_PROBES), '']);
  const ofOrganization = (kind: AnyKind) => table(cast, wallet, ORGANIZATION_PROBES, kind);
  const titleOf = (kind: OrganizationKind) => `### ${ORGANIZATION_TITLES[kind]}`;
  parts.push(...(await sections(ORGANIZATION_KINDS, titleOf, ofOrganization)));
  parts.push(['## Requests on accounts and notes', '', ...legend(OTHER_PROBES), '']);
  parts.push([...(await table(cast, wallet, OTHER_PROBES, 'public')), '']);
  parts.push([
    '## Routes with the same response for everyone',
    '',
    ...(await openStatuses(cast, wallet)),
    '',
  ]);
  const missing = uncovered(cast);
  parts.push(['## Routes without a line', '', missing.length === 0 ? 'None.' : missing.join('\n'), '']);
  return parts.map((part) => part.join('\n')).join('\n');
}

test('the server grants what docs/access-matrix.md says, which covers every route', {
  timeout: 600_000,
}, async (t) => {
  const cast = await startCast(t);

  const now = (await printed(cast)).split('\n');

  assert.deepEqual(
    uncovered(cast),
    [],
    'give each of these routes a probe in test/<wing>/<feature>/probes.ts',
  );
  if (process.env[RENEW] !== undefined && HAS_ALL_CELLS) await writeFile(FILE, now.join('\n'));
  const committed = byPlace((await readFile(FILE, 'utf8').catch(() => '')).split('\n'));
  const current = byPlace(now);
  const changed = [...current].filter(([place, line]) => !isSame(line, committed.get(place) ?? ''));
  const gone = [...committed.keys()].filter((place) => !current.has(place));
  assert.deepEqual(
    [...changed.map(([, line]) => line), ...gone],
    [],
    `the server does not do what docs/access-matrix.md says: check each change, then run ${RENEW}=1 npm test -- test/api/access/matrix.test.ts`,
  );
});
