import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ACTIONS } from '../../src/access/policy.ts';
import { SCOPE_CATEGORIES } from '../../src/access/scopes.ts';
import type { Credentials } from '../support/http.ts';
import {
  type Cast,
  KINDS,
  OWNER,
  type RepositoryKind,
  startCast,
  VIEWERS,
  type ViewerKind,
} from './forge.ts';
import { OPEN_ROUTES, OTHER_PROBES, type Probe, pathOf, REPOSITORY_PROBES, routeName } from './probes.ts';

const FILE = path.resolve(import.meta.dirname, '../../docs/access-matrix.md');
/** Set to write the file anew instead of comparing it. */
const RENEW = 'QUIRE_TEST_RENEW';

const CREDENTIALS = [
  'password',
  'token: all',
  'token: the right scopes',
  'token: all other scopes',
  'token: public-only',
] as const;
type CredentialKind = (typeof CREDENTIALS)[number];

type Row = { readonly viewer: ViewerKind; readonly credential: CredentialKind } | 'anonymous';
const ROWS: readonly Row[] = [
  'anonymous',
  ...VIEWERS.flatMap((viewer) => CREDENTIALS.map((credential) => ({ viewer, credential }))),
];

function scopesFor(probe: Probe, credential: CredentialKind): readonly string[] {
  const needed: readonly string[] = ACTIONS[probe.action].scopes;
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

/** Tokens are made once for each person and set of scopes. */
class Wallet {
  readonly #cast: Cast;
  readonly #tokens = new Map<string, string>();

  constructor(cast: Cast) {
    this.#cast = cast;
  }

  async credentials(probe: Probe, row: Row, kind: RepositoryKind): Promise<Credentials | undefined> {
    if (row === 'anonymous') return undefined;
    const person = this.#cast.viewer(row.viewer, kind);
    if (row.credential === 'password') return { name: person.name, password: person.password };
    const scopes = scopesFor(probe, row.credential);
    const key = `${person.name} ${scopes}`;
    const token = this.#tokens.get(key) ?? (await person.tokenFor(scopes));
    this.#tokens.set(key, token);
    return { token };
  }
}

let count = 0;

async function tried(
  cast: Cast,
  wallet: Wallet,
  probe: Probe,
  row: Row,
  kind: RepositoryKind,
): Promise<number> {
  const as = await wallet.credentials(probe, row, kind);
  const self = row === 'anonymous' ? 'ada' : cast.viewer(row.viewer, kind).name;
  count += 1;
  const values = { ':owner': OWNER[kind], ':username': self, ...probe.filled };
  const url = `${pathOf(probe.url, values)}${probe.query ?? ''}`.replace('COUNT', String(count));
  const { status } = await cast.forge.send(probe.method, url, {
    ...probe.sent,
    ...(as === undefined ? {} : { as }),
  });
  if (probe.action === 'repository.delete' && status === 204) await cast.make(kind, 'doomed');
  return status;
}

function rowTitle(row: Row): string {
  return row === 'anonymous' ? 'anonymous' : `${row.viewer}, ${row.credential}`;
}

async function table(
  cast: Cast,
  wallet: Wallet,
  probes: readonly Probe[],
  kind: RepositoryKind,
): Promise<string[]> {
  const lines = [
    `| | ${probes.map((probe) => probe.label).join(' | ')} |`,
    `|---|${probes.map(() => '---|').join('')}`,
  ];
  for (const row of ROWS) {
    const statuses: number[] = [];
    for (const probe of probes) statuses.push(await tried(cast, wallet, probe, row, kind));
    lines.push(`| ${rowTitle(row)} | ${statuses.join(' | ')} |`);
  }
  return lines;
}

async function openStatuses(cast: Cast, wallet: Wallet): Promise<string[]> {
  const lines = ['| route | to anybody alike |', '|---|---|'];
  const rows: Row[] = ['anonymous', { viewer: 'stranger', credential: 'token: public-only' }];
  for (const route of OPEN_ROUTES) {
    const [method = '', url = ''] = route.split(' ');
    const probe: Probe = { label: route, method, url, action: 'server.describe' };
    const sent = { headers: { 'ocs-apirequest': 'true' } };
    const statuses = new Set<number>();
    for (const row of rows) statuses.add(await tried(cast, wallet, { ...probe, sent }, row, 'public'));
    lines.push(`| ${route} | ${[...statuses].join(', ')} |`);
  }
  return lines;
}

function uncovered(cast: Cast): string[] {
  const covered = new Set([
    ...OPEN_ROUTES,
    ...[...REPOSITORY_PROBES, ...OTHER_PROBES].map(({ method, url }) => routeName(method, url)),
  ]);
  const routes = cast.forge.forge.running.app.statedRoutes.filter(({ method }) => method !== 'HEAD');
  return [...new Set(routes.map(({ method, url }) => routeName(method, url)))].filter(
    (route) => !covered.has(route),
  );
}

const HEADING = `# Who may do what

Made by \`test/access/matrix.test.ts\` from requests to a real server; renewed by
\`${RENEW}=1 npm test -- test/access/matrix.test.ts\`. Each cell is the status of the answer.

The table of actions is in \`src/access/policy.ts\`. A request that is let in may still be refused for what it says: to be
repeatable, an update and a deletion of a file name a wrong version (422, 400), a new repository and a new token a name
that none can have (422), an account that is to be made nothing at all (422), and a token or a note that is to be read,
changed or deleted does not exist (404). Deleting the account \`ada\` is refused because it owns repositories (422).
`;

const KIND_TITLES: Readonly<Record<RepositoryKind, string>> = {
  public: 'A public repository of a public account',
  private: 'A private repository of a public account',
  limited: 'A public repository of an account that only those see who are signed in',
};

function legend(probes: readonly Probe[]): string[] {
  return probes.map(
    ({ label, method, url, action, query = '' }) => `- ${label}: \`${method} ${url}${query}\`, \`${action}\``,
  );
}

async function printed(cast: Cast): Promise<string> {
  const wallet = new Wallet(cast);
  const parts: string[][] = [[HEADING]];
  parts.push(['## Requests on a repository', '', ...legend(REPOSITORY_PROBES), '']);
  for (const kind of KINDS)
    parts.push([`## ${KIND_TITLES[kind]}`, '', ...(await table(cast, wallet, REPOSITORY_PROBES, kind)), '']);
  parts.push(['## Requests on accounts and notes', '', ...legend(OTHER_PROBES), '']);
  parts.push([...(await table(cast, wallet, OTHER_PROBES, 'public')), '']);
  parts.push(['## What the server tells of itself', '', ...(await openStatuses(cast, wallet)), '']);
  const missing = uncovered(cast);
  parts.push(['## Routes that no row covers', '', missing.length === 0 ? 'None.' : missing.join('\n'), '']);
  return parts.map((part) => part.join('\n')).join('\n');
}

test('who may do what is as docs/access-matrix.md has it, and no route is left out', {
  timeout: 300_000,
}, async (t) => {
  const cast = await startCast(t);

  const now = await printed(cast);

  assert.deepEqual(uncovered(cast), [], 'give each of these routes a probe in test/access/probes.ts');
  if (process.env[RENEW] !== undefined) await writeFile(FILE, now);
  const committed = await readFile(FILE, 'utf8').catch(() => '');
  const changed = now.split('\n').filter((line, index) => line !== committed.split('\n')[index]);
  assert.deepEqual(
    changed,
    [],
    `docs/access-matrix.md is not what the server does: look at each change, then run ${RENEW}=1 npm test -- test/access/matrix.test.ts`,
  );
  assert.equal(committed, now);
});
