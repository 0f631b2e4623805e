import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import type { Answer } from '../../support/http/http.ts';
import { setRow } from './rows.ts';

// The documented errors of repositories, one condition at a time.

const MINE = '/api/v1/user/repos';
const REPO = '/api/v1/repos/ada/engine';

async function startWithSomeone(t: Parameters<typeof startForge>[0]) {
  const { forge, ada } = await startGuild(t, { visibility: 'public' });
  const ben = await forge.account('ben');
  const engine = await ada.repository('engine');
  await ada.repository('taken');
  await ada.repository('hidden', { private: true });
  await ada.post('/api/v1/orgs', { username: 'lodge', visibility: 'private' });
  const mirror = await ada.repository('mirror');
  await setRow(forge, mirror.id, { is_mirror: 1 });
  return { forge, ada, ben, engine };
}

type World = Awaited<ReturnType<typeof startWithSomeone>>;
type Row = readonly [status: number, condition: string, send: (world: World) => Promise<Answer>];

const tracker = (external_tracker: object) => ({ has_issues: true, external_tracker });

const ERRORS: readonly Row[] = [
  [403, 'create in organization', ({ ben }) => ben.post('/api/v1/orgs/guild/repos', { name: 'x' })],
  [403, 'delete repository', ({ ben }) => ben.delete(REPO)],
  [404, 'repository missing', ({ ada }) => ada.get('/api/v1/repos/ada/missing')],
  [404, 'repository missing, by its id', ({ ada }) => ada.get('/api/v1/repositories/999999')],
  [404, 'repository hidden', ({ ben }) => ben.get('/api/v1/repos/ada/hidden')],
  [404, 'repository missing, on edit', ({ ada }) => ada.patch('/api/v1/repos/ada/missing', {})],
  [404, 'repository hidden, on edit', ({ ben }) => ben.patch('/api/v1/repos/ada/hidden', {})],
  [404, 'repository hidden, on delete', ({ ben }) => ben.delete('/api/v1/repos/ada/hidden')],
  [404, 'organization visibility', ({ ben }) => ben.post('/api/v1/orgs/lodge/repos', { name: 'x' })],
  [409, 'create repository with a name already in use', ({ ada }) => ada.post(MINE, { name: 'TAKEN' })],
  [422, 'invalid search mode', ({ ada }) => ada.get('/api/v1/repos/search?mode=x')],
  [422, 'invalid search sort', ({ ada }) => ada.get('/api/v1/repos/search?sort=x')],
  [422, 'invalid search order', ({ ada }) => ada.get('/api/v1/repos/search?sort=id&order=x')],
  [422, 'reserved repository name', ({ ada }) => ada.post(MINE, { name: '..' })],
  [422, 'disallowed repository name', ({ ada }) => ada.post(MINE, { name: 'x.wiki' })],
  [422, 'reserved repository name on rename', ({ ada }) => ada.patch(REPO, { name: '-' })],
  [422, 'disallowed repository name on rename', ({ ada }) => ada.patch(REPO, { name: 'x.git' })],
  [422, 'name already taken on rename', ({ ada }) => ada.patch(REPO, { name: 'taken' })],
  [
    422,
    'invalid external tracker URL',
    ({ ada }) => ada.patch(REPO, tracker({ external_tracker_url: 'ftp://tracker.example' })),
  ],
  [
    422,
    'invalid external wiki URL',
    ({ ada }) => ada.patch(REPO, { has_wiki: true, external_wiki: { external_wiki_url: 'nowhere' } }),
  ],
  [
    422,
    'invalid tracker format',
    ({ ada }) =>
      ada.patch(
        REPO,
        tracker({
          external_tracker_url: 'https://tracker.example',
          external_tracker_format: 'https://tracker.example/{index',
        }),
      ),
  ],
  [422, 'mirror archive change', ({ ada }) => ada.patch('/api/v1/repos/ada/mirror', { archived: true })],
  [
    422,
    'organization unknown on org repository creation',
    ({ ada }) => ada.post('/api/v1/orgs/nowhere/repos', { name: 'x' }),
  ],
  [
    422,
    'organization unknown on org repository creation, at its former place',
    ({ ada }) => ada.post('/api/v1/org/nowhere/repos', { name: 'x' }),
  ],
];

test('every documented error of repositories changes nothing', async (t) => {
  const world = await startWithSomeone(t);
  const { forge, ada, engine } = world;
  const total = async () => (await forge.root.get('/api/v1/repos/search')).headers.get('x-total-count');
  const before = await total();
  for (const [status, condition, send] of ERRORS) {
    await t.test(`errors, ${status}: ${condition}`, async () => {
      const answer = await send(world);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.body.url, `${forge.url}/api/swagger`);
      assert.notEqual(answer.body.message, '');
    });
  }
  assert.deepEqual((await ada.get(REPO)).body, engine);
  assert.equal(await total(), before);
});

test('errors, 422: forced-private violation', async (t) => {
  const forge = await startForge(t, { settings: { forcePrivate: 'true' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const { status, body } = await ada.patch(REPO, { private: false });
  assert.deepEqual([status, body.url], [422, `${forge.url}/api/swagger`]);
  assert.equal((await ada.get(REPO)).body.private, true);
});
