import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';
import { LFS_TYPE, type Sender, sendLfs } from './objects.ts';

const LOCKS = '/ada/engine.git/info/lfs/locks';

function lock(who: Sender, path: string, repository = 'ada/engine'): Promise<Answer> {
  return sendLfs(who, 'POST', `/${repository}.git/info/lfs/locks`, {
    path,
    ref: { name: 'refs/heads/main' },
  });
}

function list(who: Sender, query = ''): Promise<Answer> {
  return sendLfs(who, 'GET', `${LOCKS}${query}`);
}

function unlock(who: Sender, id: string, body: unknown = {}): Promise<Answer> {
  return sendLfs(who, 'POST', `${LOCKS}/${id}/unlock`, body);
}

const pathsOf = (locks: readonly { path: string }[]) => locks.map(({ path }) => path);

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly bob: Person;
  readonly eve: Person;
}

test('locks of files', async (t) => {
  const forge = await startForge(t);
  const [ada, bob, eve] = await Promise.all(['ada', 'bob', 'eve'].map((name) => forge.account(name)));
  if (ada === undefined || bob === undefined || eve === undefined) throw new Error('an account is missing');
  const stage: Stage = { forge, ada, bob, eve };
  await ada.repository('engine');
  await ada.put('/api/v1/repos/ada/engine/collaborators/bob', { permission: 'write' });

  await t.test('a file is locked once, listed and unlocked, with events', async () => {
    const made = await lock(ada, '/docs/./plan//a.psd');
    const { lock: record } = made.body;
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('content-type'), LFS_TYPE);
    assert.match(record.id, /^\d+$/);
    assert.match(record.locked_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(
      { ...record, id: '', locked_at: '' },
      {
        id: '',
        path: 'docs/plan/a.psd',
        locked_at: '',
        owner: { name: 'ada' },
      },
    );

    const again = await lock(bob, 'docs/plan/a.psd');
    assert.equal(again.status, 409);
    assert.deepEqual(again.body.lock, record);
    assert.equal(again.body.message, 'ada has locked this file');

    assert.deepEqual((await list(bob)).body, { locks: [record] });
    assert.deepEqual((await list(bob, '/?path=/docs/plan/a.psd')).body, { locks: [record] });
    assert.deepEqual((await list(bob, `?id=${record.id}`)).body, { locks: [record] });
    assert.deepEqual((await list(bob, '?path=other&refspec=refs/heads/main')).body, { locks: [] });
    assert.deepEqual((await list(bob, '?path=%00')).body, { locks: [] });
    for (const id of ['999999', '0', '-1', '9223372036854775808'])
      assert.deepEqual((await list(bob, `?id=${id}`)).body, { locks: [] }, id);
    assert.equal((await list(bob, '?id=x')).status, 400);

    const mine = await lock(bob, 'b.psd');
    const verified = await sendLfs(bob, 'POST', `${LOCKS}/verify`, { ref: { name: 'refs/heads/main' } });
    assert.deepEqual(verified.body, { ours: [mine.body.lock], theirs: [record] });

    assert.equal((await unlock(bob, record.id)).status, 403);
    assert.deepEqual((await unlock(ada, record.id)).body, { lock: record });
    assert.equal((await unlock(ada, record.id)).status, 404);
    assert.equal((await unlock(ada, 'x')).status, 404);
    assert.deepEqual((await unlock(ada, mine.body.lock.id, { force: true })).body, mine.body);

    const { reader } = forge.forge.running.services.database;
    const rows = await reader.selectFrom('events').select(['kind', 'payload']).orderBy('position').execute();
    const bobId = (await bob.get('/api/v1/user')).body.id;
    const adaId = (await ada.get('/api/v1/user')).body.id;
    assert.deepEqual(
      rows
        .filter(({ kind }) => kind.startsWith('lfs.'))
        .map(({ kind, payload }) => [kind, JSON.parse(payload)]),
      [
        ['lfs.locked', { lockId: Number(record.id), path: 'docs/plan/a.psd' }],
        ['lfs.locked', { lockId: Number(mine.body.lock.id), path: 'b.psd' }],
        [
          'lfs.unlocked',
          { lockId: Number(record.id), path: 'docs/plan/a.psd', ownerId: adaId, forced: false },
        ],
        ['lfs.unlocked', { lockId: Number(mine.body.lock.id), path: 'b.psd', ownerId: bobId, forced: true }],
      ],
    );
  });

  await t.test('paths that name no file are rejected', async () => {
    for (const path of ['', '/', '.', '../..', 'a\nb', 'a\0b', 'x'.repeat(4097)])
      assert.equal((await lock(ada, path)).status, 422, path.slice(0, 20));
    assert.equal((await sendLfs(ada, 'POST', LOCKS, {})).status, 400);
    assert.equal((await ada.send('POST', LOCKS, { body: '{', headers: { accept: LFS_TYPE } })).status, 400);
    assert.equal((await ada.post(LOCKS, { path: 'a' })).status, 415);
    assert.deepEqual((await list(ada)).body, { locks: [] });
  });

  await t.test('locks need an account, and changes need write access', async () => {
    const { id } = (await lock(ada, 'guarded')).body.lock;
    const statusesOf = async (who: Sender) => [
      (await list(who)).status,
      (await lock(who, 'new')).status,
      (await sendLfs(who, 'POST', `${LOCKS}/verify`, {})).status,
      (await unlock(who, id, { force: true })).status,
    ];
    assert.deepEqual(await statusesOf(stage.forge), [401, 401, 401, 401]);
    assert.deepEqual(await statusesOf(stage.eve), [200, 403, 403, 403]);
    await ada.patch('/api/v1/repos/ada/engine', { private: true });
    assert.deepEqual(await statusesOf(stage.eve), [401, 401, 401, 401]);
    assert.equal((await lock(stage.eve, 'a', 'ada/missing')).status, 401);
    await ada.patch('/api/v1/repos/ada/engine', { private: false });
    await unlock(ada, id);
  });

  await t.test('B1: a lock is not reached through another repository', async () => {
    await stage.eve.repository('own');
    const { id } = (await lock(ada, 'mine')).body.lock;
    const path = `/eve/own/info/lfs/locks/${id}/unlock`;
    assert.equal((await sendLfs(stage.eve, 'POST', path, { force: true })).status, 404);
    assert.deepEqual((await sendLfs(stage.eve, 'GET', `/eve/own/info/lfs/locks?id=${id}`)).body, {
      locks: [],
    });
    assert.equal((await unlock(ada, id)).status, 200);
  });

  await t.test('lists come in bounded pages', async () => {
    const names = Array.from({ length: 53 }, (_, index) => `file-${String(index).padStart(2, '0')}`);
    for (const name of names) await lock(ada, name);

    const first = await list(ada);
    const second = await list(ada, '?cursor=1');
    assert.deepEqual(pathsOf(first.body.locks), names.slice(0, 50));
    assert.equal(first.body.next_cursor, '1');
    assert.deepEqual(pathsOf(second.body.locks), names.slice(50));
    assert.equal(second.body.next_cursor, undefined);
    assert.equal((await list(ada, '?limit=1000')).body.locks.length, 50);
    assert.equal((await list(ada, '?limit=0')).body.locks.length, 50);
    const small = await list(ada, '?limit=10&cursor=5');
    assert.deepEqual([pathsOf(small.body.locks), small.body.next_cursor], [names.slice(50), undefined]);
    const full = await list(ada, '?limit=1&cursor=52');
    assert.deepEqual(
      [pathsOf(full.body.locks), full.body.next_cursor],
      [['file-52'], undefined],
      'no page follows a full page that is the last',
    );
    assert.deepEqual((await list(ada, '?cursor=999999999999')).body.locks, []);
    assert.equal((await list(ada, '?cursor=x')).body.locks.length, 50);

    const verify = (body: unknown) => sendLfs(ada, 'POST', `${LOCKS}/verify`, body);
    assert.equal((await verify({})).body.next_cursor, '1');
    assert.deepEqual(pathsOf((await verify({ cursor: '1' })).body.ours), names.slice(50));
    assert.deepEqual(pathsOf((await verify({ cursor: '5', limit: 10 })).body.ours), names.slice(50));
  });
});
