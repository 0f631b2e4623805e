import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatedRoute } from '../../../src/api/access/guard.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { severalAtOnce } from '../../support/several-at-once.ts';
import { pathOf } from './probe.ts';

const WORD = 'hush';

/** Creates accounts, repositories and teams: each private name and e-mail address contains the word, and no other. */
async function createSecrets(forge: TestForge): Promise<{ ada: Person; values: Record<string, string>[] }> {
  const ada = await forge.account('ada', { email: 'hush-ada@example.org' });
  const hidden = await forge.account('hush-user', { visibility: 'private', email: 'hush@example.org' });
  await ada.repository('open', { auto_init: true });
  await ada.repository('hush-repository', { private: true, auto_init: true });
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs', { username: 'hush-guild', visibility: 'private' });
  for (const org of ['guild', 'hush-guild']) {
    await ada.post(`/api/v1/orgs/${org}/repos`, { name: 'open', auto_init: true });
    await ada.post(`/api/v1/orgs/${org}/repos`, { name: 'hush-handbook', private: true });
  }
  const values: Record<string, string>[] = [];
  for (const org of ['guild', 'hush-guild']) {
    const { body } = await ada.post(`/api/v1/orgs/${org}/teams`, {
      name: 'readers',
      includes_all_repositories: true,
    });
    await forge.root.put(`/api/v1/teams/${body.id}/members/hush-user`);
    await hidden.put(`/api/v1/orgs/${org}/public_members/hush-user`);
    values.push({ ':org': org, ':id': String(body.id) });
  }
  await forge.root.patch('/api/v1/admin/users/root', { email: 'hush-root@example.org' });
  await ada.put('/api/v1/repos/ada/open/collaborators/hush-user', { permission: 'read' });
  const as = { name: 'ada', password: ada.password };
  const json = { name: 'limited', scopes: ['all'], repositories: ['ada/hush-repository'] };
  await forge.send('POST', '/api/v1/users/ada/tokens', { as, json });
  return { ada, values };
}

const NAMES: readonly Record<string, string>[] = [
  { ':owner': 'ada', ':repo': 'open', ':username': 'ada', ':collaborator': 'hush-user', ':team': 'readers' },
  {
    ':owner': 'guild',
    ':repo': 'open',
    ':username': 'hush-user',
    ':collaborator': 'ada',
    ':team': 'readers',
  },
  { ':owner': 'ada', ':repo': 'hush-repository', ':username': 'hush-guild', ':collaborator': 'ada' },
  { ':owner': 'hush-guild', ':repo': 'open', ':username': 'root', ':collaborator': 'ada', ':team': 'Owners' },
  ...['1', '2', '3', '4', '5', '6'].map((id) => ({ ':id': id, ':username': 'ada' })),
];

/** Queries that change what a route returns. Only the first request of git has a service. */
function queriesOf({ url, schema }: StatedRoute): readonly string[] {
  if (url.endsWith('/info/refs')) return ['', '?service=git-upload-pack'];
  return readsWords(url, schema.querystring) ? ['', '?q=hush'] : [''];
}

/** A route reads only what its schema of the query names. Without one, no route of the API reads the query. */
function readsWords(url: string, query: unknown): boolean {
  if (query === undefined) return !url.startsWith('/api/v1/');
  return 'q' in (query as { properties: object }).properties;
}

/** Returns each response that contains the word. A redirect may repeat the requested path. */
async function leaks(
  forge: TestForge,
  token: string,
  values: readonly Record<string, string>[],
): Promise<string[]> {
  const found: string[] = [];
  const routes = forge.forge.running.app.statedRoutes.filter(({ method }) => method === 'GET');
  for (const route of routes) {
    const { url } = route;
    if (['/metrics', '/swagger.v1.json', '/api/v1/openapi.json'].includes(url)) continue;
    const paths = new Set(
      [...NAMES, ...values].flatMap((some) => values.map((more) => pathOf(url, { ...more, ...some }))),
    );
    const requests = [...paths].flatMap((path) => queriesOf(route).map((query) => ({ path, query })));
    await severalAtOnce(requests, async ({ path, query }) => {
      const answer = await forge.send('GET', `${path}${query}`, { as: { token } });
      const shown = `${answer.headers.get('location') ?? ''} ${answer.text}`;
      const repeated = query === '' ? shown : shown.replaceAll(TYPED, '');
      const sent = answer.status === 303 || answer.status === 301 ? path : '';
      if (repeated.replaceAll(sent, '').replaceAll(COMMIT_PERSON, '').includes(WORD))
        found.push(`GET ${path}${query}: ${answer.status} ${shown}`);
    });
  }
  return found;
}

/** A page shows what was typed: in its field, its title and the addresses of other pages of the list. */
const TYPED = /value="hush"|q=hush(?=[&"])|<title>hush · |q%3Dhush(?=[%"])/g;

/** Commits have the names and addresses that their authors gave them, as every clone does. */
const COMMIT_PERSON = /"(?:author|committer)":\{"name":"[^"]*","email":"[^"]*"/g;

test('A4: no response to a public-only token contains a private name or e-mail address, even for an administrator', async (t) => {
  const forge = await startForge(t);
  const { ada, values } = await createSecrets(forge);

  for (const person of [ada, forge.root]) {
    const token = await person.tokenFor(['all', 'public-only']);
    assert.deepEqual(await leaks(forge, token, values), [], person.name);
  }
});

test('no response to a token limited to one repository names another private repository', async (t) => {
  const forge = await startForge(t);
  const { ada, values } = await createSecrets(forge);
  const as = { name: 'ada', password: ada.password };
  const json = { name: 'one', scopes: ['all'], repositories: ['ada/open'] };
  const { body } = await forge.send('POST', '/api/v1/users/ada/tokens', { as, json });

  const found = await leaks(forge, body.sha1, values);

  assert.deepEqual(
    found.filter((line) => /hush-(repository|handbook)/.test(line)),
    [],
  );
});
