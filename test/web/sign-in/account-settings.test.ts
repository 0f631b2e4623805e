import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const PAGE = '/user/settings/account';
const HOUR = 60 * 60_000;

test('a user changes the password on the page: this browser stays signed in, all others do not', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const [here, there] = [new PageReader(forge), new PageReader(forge)];
  await here.signIn(ada, { remember: 'on' });
  await there.signIn(ada);
  const before = here.cookies.get('quire_session');

  const wrong = await here.post(`${PAGE}/password`, { current: 'wrong', password: 'quite another one' });
  assert.equal(wrong.status, 403);
  assert.match(wrong.text, /The current password is wrong/);
  const common = await here.post(`${PAGE}/password`, { current: ada.password, password: 'password123' });
  assert.equal(common.status, 422);
  const done = await here.post(`${PAGE}/password`, { current: ada.password, password: 'quite another one' });

  assert.deepEqual([done.status, done.headers.get('location')], [303, PAGE]);
  assert.notEqual(here.cookies.get('quire_session'), before);
  assert.equal((await here.get(PAGE)).status, 200);
  assert.equal((await there.get(PAGE)).status, 303);
  await there.signIn({ name: 'ada', password: 'quite another one' });
});

test('a user deletes the own account with the password, if it owns nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  assert.equal((await reader.post(`${PAGE}/delete`, { password: 'wrong' })).status, 403);
  const owning = await reader.post(`${PAGE}/delete`, { password: ada.password });
  assert.equal(owning.status, 422);
  assert.match(owning.text, /owns repositories: delete or transfer them first/);
  await ada.delete('/api/v1/repos/ada/engine');
  assert.equal((await reader.post(`${PAGE}/delete`, { password: ada.password })).status, 200);
  assert.equal((await forge.get('/api/v1/users/ada')).status, 404);
  assert.equal(reader.cookies.has('quire_session'), false);
});

test('the last site administrator cannot delete the own account', async (t) => {
  const forge = await startForge(t);
  const reader = new PageReader(forge);
  await reader.signIn(forge.root);
  const answer = await reader.post(`${PAGE}/delete`, { password: forge.root.password });
  assert.equal(answer.status, 422);
  assert.match(answer.text, /last site administrator/);
});

test('changes of addresses and the deletion need a recent proof of the user, and lead back afterwards', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  await forge.forge.running.engines.database.transaction((tx) =>
    sql`update sessions set proved_at = proved_at - ${HOUR}`.execute(tx),
  );
  for (const [path, fields] of [
    [`${PAGE}/emails`, { change: 'add', email: 'work@example.org' }],
    [`${PAGE}/delete`, { password: ada.password }],
  ] as const) {
    const answer = await reader.post(path, fields);
    const confirm = `/user/confirm?redirect_to=${encodeURIComponent(path)}`;
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, confirm]);
    const back = await reader.get(path);
    assert.deepEqual([back.status, back.headers.get('location')], [303, PAGE]);
  }
  assert.equal((await forge.get('/api/v1/users/ada')).status, 200);
});

test('the page names what is wrong with an address beside its form', async (t) => {
  const forge = await startForge(t);
  const reader = new PageReader(forge);
  await reader.signIn(await forge.account('ada'));
  const change = async (kind: string, email: string) => {
    const { status } = await reader.post(`${PAGE}/emails`, { change: kind, email });
    return status;
  };
  assert.equal(await change('add', 'no address'), 422);
  assert.equal(await change('add', 'work@example.org'), 303);
  assert.equal(await change('add', 'work@example.org'), 422);
  assert.equal(await change('remove', 'ada@example.org'), 422);
  assert.equal(await change('remove', 'no@example.org'), 404);
  assert.equal(await change('else', 'work@example.org'), 422);
  assert.match((await reader.get(PAGE)).text, /work@example\.org <span class="badge">not confirmed/);
  assert.equal(await change('remove', 'work@example.org'), 303);
});

test('F1: a page of another site can send none of the forms', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  for (const [path, fields] of [
    ['emails', { change: 'add', email: 'work@example.org' }],
    ['password', { current: ada.password, password: 'quite another one' }],
    ['delete', { password: ada.password }],
  ] as const)
    for (const site of ['cross-site', 'same-site']) {
      const answer = await reader.post(`${PAGE}/${path}`, fields, { headers: { 'sec-fetch-site': site } });
      assert.equal(answer.status, 403, path);
    }
});
