import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const HOSTILE = `<script>alert(1)</script>"'`;
const PATH = '/org/weavers/settings';

test('owners create an organization and change its settings in a browser', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const other = new PageReader(forge);
  await other.signIn(ben);
  const stranger = new PageReader(forge);

  await t.test('a form creates an organization, and says what is wrong', async () => {
    const created = await reader.post('/org/create', { username: 'weavers', description: HOSTILE });
    assert.equal(created.headers.get('location'), '/weavers');
    for (const username of ['', 'weavers', 'a b', 'explore']) {
      const refused = await reader.post('/org/create', { username, description: HOSTILE });
      assert.deepEqual([refused.status, /role="alert"/.test(refused.text)], [422, true], username);
      assert.doesNotMatch(refused.text, /<script/);
    }
  });

  await t.test('only owners see the settings', async () => {
    assert.match((await reader.get('/weavers')).text, /href="\/org\/weavers\/settings"/);
    for (const part of ['', '/members', '/teams', '/hooks', '/hooks/new']) {
      const { status, text } = await reader.get(`${PATH}${part}`);
      assert.deepEqual([status, /<script/.test(text)], [200, false], part);
      assert.equal((await other.get(`${PATH}${part}`)).status, 403, part);
      assert.match((await stranger.get(`${PATH}${part}`)).headers.get('location') ?? '', /^\/user\/login/);
      assert.equal((await reader.get(`/org/none/settings${part}`)).status, 404, part);
    }
  });

  await t.test('the profile is changed', async () => {
    await reader.post(PATH, { full_name: HOSTILE, visibility: 'limited', website: 'https://example.org' });
    const { body } = await ada.get('/api/v1/orgs/weavers');
    assert.deepEqual([body.full_name, body.visibility], [HOSTILE, 'limited']);
    const refused = await reader.post(PATH, { website: 'javascript:x', visibility: 'public' });
    assert.deepEqual([refused.status, /role="alert"/.test(refused.text)], [422, true]);
  });

  await t.test('a team is created, gets rights and members, and is deleted', async () => {
    const rights = { repositories: 'all', 'unit-code': 'write', 'unit-issues': 'read', 'unit-wiki': 'none' };
    const created = await reader.post(`${PATH}/teams`, { name: 'readers', ...rights });
    const team = created.headers.get('location') ?? '';
    assert.match(team, /^\/org\/weavers\/settings\/teams\/\d+$/);
    const find = async () =>
      (await ada.get('/api/v1/orgs/weavers/teams')).body.find(
        ({ name }: { name: string }) => name !== 'Owners',
      );
    assert.equal((await find()).units_map['repo.code'], 'write');
    assert.equal((await reader.post(`${PATH}/teams`, { name: 'readers', ...rights })).status, 422);
    await reader.post(team, { name: 'writers', ...rights, admin: 'on' });
    const { name, permission } = await find();
    assert.deepEqual([name, permission], ['writers', 'admin']);
    await reader.post(`${team}/members`, { member: 'ben' });
    assert.match((await reader.get(team)).text, /href="\/ben"/);
    assert.equal((await reader.post(`${team}/members`, { member: 'nobody' })).status, 422);
    assert.equal((await other.post(`${team}/delete`, {})).status, 403);
    await reader.post(`${PATH}/members`, { member: 'ben' });
    assert.doesNotMatch((await reader.get(`${PATH}/members`)).text, /href="\/ben"/);
    assert.equal((await reader.post(`${PATH}/members`, { member: 'ada' })).status, 422);
    await reader.post(`${team}/delete`, {});
    assert.equal((await reader.get(team)).status, 404);
  });

  await t.test('a team of another organization has no page here', async () => {
    await ada.post('/api/v1/orgs', { username: 'others' });
    const [{ id }] = (await ada.get('/api/v1/orgs/others/teams')).body;
    assert.equal((await reader.get(`${PATH}/teams/${id}`)).status, 404);
  });

  await t.test('webhooks are added and deleted', async () => {
    const fields = { type: 'forgejo', url: 'https://example.org/x', content_type: 'json', which: 'all' };
    const hook = (await reader.post(`${PATH}/hooks/new`, fields)).headers.get('location') ?? '';
    assert.match(hook, /^\/org\/weavers\/settings\/hooks\/\d+$/);
    assert.equal((await reader.post(hook, { change: 'test' })).status, 404);
    await reader.post(hook, { change: 'delete' });
    assert.equal((await reader.get(hook)).status, 404);
  });

  await t.test('forms of other sites change nothing', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (const part of ['', '/members', '/teams', '/hooks/new', '/delete'])
      assert.equal(
        (await reader.post(`${PATH}${part}`, { confirm: 'weavers' }, { headers })).status,
        403,
        part,
      );
  });

  await t.test('the organization is renamed, and deleted after its name was typed', async () => {
    const renamed = await reader.post(PATH, { change: 'rename', new_name: 'spinners' });
    assert.equal(renamed.headers.get('location'), '/org/spinners/settings');
    const path = '/org/spinners/settings/delete';
    assert.equal((await reader.post(path, { confirm: 'x' })).status, 422);
    assert.equal((await reader.post(path, { confirm: 'spinners' })).headers.get('location'), '/');
    assert.equal((await reader.get('/spinners')).status, 404);
  });
});
