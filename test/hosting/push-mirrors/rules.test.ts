import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaApi } from 'gitea-js';
import { MIRROR_LIMITS } from '../../../src/hosting/mirrors/limits.ts';
import { PUSH_MIRROR_LIMITS } from '../../../src/hosting/push-mirrors/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { ALLOWED } from '../mirrors/sync.ts';
import { addMirror, PUSH_MIRRORS, pushed, SYNC, startTarget } from './targets.ts';

test('administrators add, list, read and delete push mirrors, and each change is one event', async (t) => {
  const target = await startTarget(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const withUser = new URL(target.url);
  withUser.username = 'writer';
  withUser.password = 'hidden';
  const first = await addMirror(ada, withUser.href, { interval: '90m', sync_on_commit: true });
  const { remote_name: name, created, ...rest } = first;
  assert.match(name, /^remote_mirror_[0-9a-f]{10}$/);
  assert.ok(Math.abs(Date.parse(created) - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    repo_name: 'engine',
    remote_address: target.url,
    branch_filter: '',
    last_update: '1970-01-01T00:00:00Z',
    last_error: '',
    interval: '1h30m0s',
    sync_on_commit: true,
    public_key: '',
  });
  await pushed(forge);
  const second = await addMirror(ada, target.url);
  const page = await ada.get(`${PUSH_MIRRORS}?limit=1&page=2`);
  assert.deepEqual([page.body, page.headers.get('x-total-count')], [[second], '2']);
  const api = giteaApi(forge.url, { token: ada.token });
  const read = await api.repos.repoGetPushMirrorByRemoteName('ada', 'engine', second.remote_name);
  assert.deepEqual(read.data, second);
  const preset = await ada.post(PUSH_MIRRORS, { remote_address: target.url });
  assert.deepEqual([preset.body.interval, preset.body.sync_on_commit], ['8h0m0s', false]);
  for (const expected of [204, 404])
    assert.equal((await ada.delete(`${PUSH_MIRRORS}/${name}`)).status, expected);
  assert.equal((await ada.get(`${PUSH_MIRRORS}/${name}`)).status, 404);
  await pushed(forge);
  const events = await eventsOf(forge.forge.running.engines.database, 'push-mirror');
  assert.deepEqual(
    events,
    [
      ['created', name],
      ['created', second.remote_name],
      ['created', preset.body.remote_name],
      ['deleted', name],
    ].map(([what, of]) => ({ kind: `push-mirror.${what}`, actor: 'ada', name: of, address: target.url })),
  );
});

test('400 for an address, an interval, credentials or a filter that make no sense; 422 for SSH and for too many', async (t) => {
  const forge = await startForge(t, { settings: { outboundAllow: '127.0.0.1' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const remote_address = 'http://127.0.0.1:65535/x.git';
  for (const [status, body] of [
    ...['file:///etc', 'ext::sh', '/tmp/x', 'git@host:x.git', 'http://', `${remote_address}?a=b`].map(
      (address) => [400, { remote_address: address }] as const,
    ),
    // These are denied, whatever answers there.
    ...['http://10.0.0.1/x', 'http://[::ffff:7f00:1]/x', 'http://169.254.169.254/latest'].map(
      (address) => [400, { remote_address: address }] as const,
    ),
    ...['9m59s', '-1h', 'x', '99999999h'].map((interval) => [400, { remote_address, interval }] as const),
    [400, { remote_address, remote_username: 'a:b', remote_password: 'c' }],
    [400, { remote_address, remote_username: 'a', remote_password: 'c\n' }],
    [400, { remote_address, branch_filter: 'main,[a' }],
    [400, { remote_address, branch_filter: 'a\nb' }],
    [400, { remote_address, branch_filter: 'a,'.repeat(PUSH_MIRROR_LIMITS.pushMirrorFilterPatternsMax + 1) }],
    [422, { remote_address, branch_filter: 'x'.repeat(PUSH_MIRROR_LIMITS.pushMirrorFilterCharsMax + 1) }],
    [422, { remote_address, use_ssh: true }],
    [422, { remote_address: 7 }],
    [422, {}],
  ] as const) {
    const answer = await ada.post(PUSH_MIRRORS, body);
    assert.equal(answer.status, status, `${JSON.stringify(body).slice(0, 100)}: ${answer.text}`);
    assert.notEqual(answer.body.message, '');
  }
  assert.deepEqual((await ada.get(PUSH_MIRRORS)).body, []);
  for (let count = 0; count < PUSH_MIRROR_LIMITS.pushMirrorsPerRepositoryMax; count += 1)
    await addMirror(ada, remote_address, { use_ssh: false, interval: '0s' });
  assert.equal((await ada.post(PUSH_MIRRORS, { remote_address, interval: '0' })).status, 422);
});

test('only administrators of a repository, with the scope of repositories, see and change its push mirrors', async (t) => {
  const forge = await startForge(t, ALLOWED);
  const [ada, ben, eve] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('eve'),
  ];
  await ada.repository('engine', { private: true });
  const remote_address = 'http://127.0.0.1:65535/x.git';
  const { remote_name: name } = await addMirror(ada, remote_address);
  const collaborate = (permission: string) =>
    ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission });
  const statuses = async (who: Pick<typeof ada, 'send'>, as?: { token: string }) => {
    const options = as === undefined ? {} : { as };
    const requests = [
      who.send('GET', PUSH_MIRRORS, options),
      who.send('GET', `${PUSH_MIRRORS}/${name}`, options),
      who.send('POST', PUSH_MIRRORS, { json: { remote_address, interval: '0' }, ...options }),
      who.send('POST', SYNC, options),
      who.send('DELETE', `${PUSH_MIRRORS}/none`, options),
    ];
    return (await Promise.all(requests)).map(({ status }) => status);
  };
  assert.deepEqual(await statuses(eve), [404, 404, 404, 404, 404]);
  assert.deepEqual(await statuses(forge), [404, 404, 404, 404, 404]);
  await collaborate('write');
  assert.deepEqual(await statuses(ben), [403, 403, 403, 403, 403]);
  await collaborate('admin');
  assert.deepEqual(await statuses(ben), [200, 200, 200, 200, 404]);
  const reading = { token: await ada.tokenFor(['read:repository']) };
  assert.deepEqual(await statuses(ada, reading), [200, 200, 403, 403, 403]);
  const other = { token: await ada.tokenFor(['write:issue']) };
  assert.deepEqual(await statuses(ada, other), [403, 403, 403, 403, 403]);
  await pushed(forge);
});

test('an archived repository keeps its push mirrors, but neither changes nor updates them', async (t) => {
  const target = await startTarget(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { remote_name: name } = await addMirror(ada, target.url);
  const { database } = forge.forge.running.engines;
  const archive = (archived: boolean) => ada.patch('/api/v1/repos/ada/engine', { archived });
  assert.equal((await archive(true)).status, 200);
  assert.equal((await ada.post(PUSH_MIRRORS, { remote_address: target.url })).status, 423);
  assert.equal((await ada.post(SYNC)).status, 423);
  assert.equal((await ada.delete(`${PUSH_MIRRORS}/${name}`)).status, 423);
  assert.equal((await ada.get(PUSH_MIRRORS)).body.length, 1);
  const lookForDue = async () => {
    await forge.forge.running.services.jobs.runDue({ aheadMs: MIRROR_LIMITS.mirrorsLookedForEveryMs });
    await pushed(forge);
  };
  await database.transaction((tx) => tx.updateTable('push_mirrors').set({ due_at: 1 }).execute());
  await lookForDue();
  assert.deepEqual(target.requests, []);
  // The push that is due waits for the end of the archive.
  assert.equal((await archive(false)).status, 200);
  await lookForDue();
  assert.equal((await ada.get(PUSH_MIRRORS)).body[0].last_error, '');
  assert.notEqual(target.requests.length, 0);
});
