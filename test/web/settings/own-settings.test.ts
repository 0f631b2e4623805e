import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pngOf } from '../../people/avatars/pictures.ts';
import { startForge } from '../../support/forge/forge.ts';
import { ageSessions } from '../../support/forge/sessions.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { sshKeyLine } from './ssh-key-line.ts';

const HOSTILE = `<script>alert(1)</script>"'`;
const SETTINGS = '/user/settings';
const PICTURE = pngOf();

function uploadOf(bytes: Buffer) {
  const form = new FormData();
  form.append('avatar', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'me.png');
  return new Response(form);
}

test('users change in a browser what is theirs', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.repository('loom', { private: true });
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const stranger = new PageReader(forge);

  await t.test('the profile has what others see, and shows wrong input again', async () => {
    const fields = {
      full_name: HOSTILE,
      description: HOSTILE,
      website: 'https://example.org',
      hide_email: 'on',
    };
    assert.equal((await reader.post(SETTINGS, fields)).headers.get('location'), SETTINGS);
    const { body } = await ada.get('/api/v1/user/settings');
    assert.deepEqual([body.full_name, body.hide_email], [HOSTILE, true]);
    const { text } = await reader.get(SETTINGS);
    assert.doesNotMatch(text, /<script/);
    const refused = await reader.post(SETTINGS, { ...fields, location: 'L', full_name: 'x'.repeat(5000) });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /role="alert"[\s\S]*value="L"/);
  });

  await t.test('a picture is uploaded and removed', async () => {
    const avatar = async () => (await ada.get('/api/v1/user')).body.avatar_url;
    const drawn = await avatar();
    const upload = async (bytes: Buffer, site = 'same-origin') => {
      const form = uploadOf(bytes);
      const headers = { 'content-type': form.headers.get('content-type') ?? '', 'sec-fetch-site': site };
      return reader.send('POST', `${SETTINGS}/avatar`, {
        headers,
        body: Buffer.from(await form.arrayBuffer()),
      });
    };
    assert.equal((await upload(PICTURE, 'cross-site')).status, 403);
    const refused = await upload(Buffer.from('no picture'));
    assert.deepEqual([refused.status, /role="alert"/.test(refused.text)], [422, true]);
    assert.equal(await avatar(), drawn);
    const sent = await upload(PICTURE);
    assert.equal(sent.status, 303, /role="alert">([^<]*)/.exec(sent.text)?.[1]);
    assert.notEqual(await avatar(), drawn);
    assert.equal((await reader.post(`${SETTINGS}/avatar/delete`, {})).status, 303);
    assert.equal(await avatar(), drawn);
  });

  await t.test('a token is shown once, may do what was chosen, and is deleted', async () => {
    const path = `${SETTINGS}/tokens`;
    const created = await reader.post(`${path}/new`, {
      name: HOSTILE,
      'scope-repository': 'read:repository',
      repositories: 'ada/loom',
      expires: '2099-01-31',
    });
    assert.equal(created.status, 200);
    assert.equal(created.headers.get('cache-control'), 'no-store');
    const token = /quirep_\w+/.exec(created.text)?.[0] ?? '';
    const headers = { authorization: `token ${token}` };
    assert.equal((await forge.get('/api/v1/repos/ada/loom', { headers })).status, 200);
    assert.equal((await forge.get('/api/v1/user', { headers })).status, 403);
    const list = await reader.get(path);
    assert.match(
      list.text,
      /read:repository<\/p><p class="small">only ada\/loom[\s\S]*expires <time[^>]*>2099-01-31/,
    );
    assert.doesNotMatch(list.text, new RegExp(`<script|${token}`));
    for (const fields of [
      { name: '' },
      { name: HOSTILE },
      { name: 'a', repositories: 'ada/none' },
      { name: 'b', expires: '2000-01-01' },
    ]) {
      const refused = await reader.post(`${path}/new`, fields);
      assert.deepEqual([refused.status, /role="alert"/.test(refused.text)], [422, true], fields.name);
    }
    const [, id = ''] = /expires <time[\s\S]*?name="id" value="(\d+)"/.exec(list.text) ?? [];
    await reader.post(path, { id });
    assert.equal((await forge.get('/api/v1/repos/ada/loom', { headers })).status, 401);
  });

  await t.test('keys are added and removed', async () => {
    const path = `${SETTINGS}/keys`;
    const key = sshKeyLine();
    assert.equal((await reader.post(path, { change: 'add-ssh', title: HOSTILE, key })).status, 303);
    const { text } = await reader.get(path);
    assert.match(text, /SHA256:/);
    assert.doesNotMatch(text, /<script/);
    const refused = await reader.post(path, { change: 'add-ssh', title: 'Other', key: 'no key' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /role="alert"[\s\S]*value="Other"/);
    assert.equal((await reader.post(path, { change: 'add-openpgp', key: 'no key' })).status, 422);
    const [{ id }] = (await ada.get('/api/v1/user/keys')).body;
    await reader.post(path, { change: 'remove-ssh', id: `${id}` });
    assert.deepEqual((await ada.get('/api/v1/user/keys')).body, []);
  });

  await t.test(
    'a key is added only after a recent proof, and the page asks for it before one types',
    async () => {
      const path = `${SETTINGS}/keys`;
      await ageSessions(forge, 16 * 60_000);
      const { text } = await reader.get(path);
      assert.match(text, /href="\/user\/confirm\?redirect_to=%2Fuser%2Fsettings%2Fkeys"/);
      assert.doesNotMatch(text, /name="key"/);
      const refused = await reader.post(path, { change: 'add-ssh', title: 'x', key: sshKeyLine() });
      assert.match(refused.headers.get('location') ?? '', /^\/user\/confirm/);
      const confirmed = await reader.post('/user/confirm', { password: ada.password, redirect_to: path });
      assert.equal(confirmed.headers.get('location'), path);
      assert.match((await reader.get(path)).text, /name="key"/);
    },
  );

  await t.test('users are blocked, and the block is ended', async () => {
    const path = `${SETTINGS}/blocked_users`;
    assert.equal((await reader.post(path, { user: 'ben' })).status, 303);
    assert.match((await reader.get(path)).text, /href="\/ben"/);
    assert.equal((await ben.put('/api/v1/user/starred/ada/loom')).status, 404);
    for (const user of ['nobody', 'ada', ''])
      assert.equal((await reader.post(path, { user })).status, 422, user);
    await reader.post(path, { user: 'ben', action: 'unblock' });
    assert.match((await reader.get(path)).text, /You have blocked no user/);
  });

  await t.test('the choice of mail is kept', async () => {
    const path = `${SETTINGS}/notifications`;
    await reader.post(path, { notifications: 'all' });
    assert.match((await reader.get(path)).text, /value="all" checked/);
  });

  await t.test('strangers and pages of other sites change nothing', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (const page of ['', '/tokens', '/tokens/new', '/keys', '/blocked_users', '/notifications']) {
      const path = `${SETTINGS}${page}`;
      assert.equal((await reader.post(path, { name: 'stolen', user: 'ben' }, { headers })).status, 403, path);
      assert.match((await stranger.post(path, {})).headers.get('location') ?? '', /^\/user\/login/, path);
      assert.match((await stranger.get(path)).headers.get('location') ?? '', /^\/user\/login/, path);
    }
    assert.deepEqual((await reader.get(`${SETTINGS}/tokens`)).text.includes('stolen'), false);
  });
});
