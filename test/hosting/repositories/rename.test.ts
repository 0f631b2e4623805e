import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { commitAll, git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import type { Answer } from '../../support/http/http.ts';

const REPOS = '/api/v1/repos';

const rename = (person: Person, path: string, name: unknown): Promise<Answer> =>
  person.patch(`${REPOS}/${path}`, { name });

/** Status and location of a response. */
async function redirectOf(
  person: Person,
  method: string,
  path: string,
): Promise<readonly [number, string | null]> {
  const answer = await person.send(method, path);
  return [answer.status, answer.headers.get('location')];
}

test('redirect: the old name of a repository returns 301 for GET and HEAD and 307 for other methods, and keeps the query and the rest of the path', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('Ada');
  await ada.repository('Engine', { auto_init: true });

  const renamed = await rename(ada, 'ada/engine', 'Motor');

  assert.equal(renamed.status, 200, renamed.text);
  assert.equal(renamed.body.full_name, 'Ada/Motor');
  assert.equal(renamed.body.clone_url, `${forge.url}/Ada/Motor.git`);
  for (const [method, path, status, location] of [
    ['GET', 'ada/engine', 301, 'Ada/Motor'],
    ['HEAD', 'Ada/Engine?x=1&y=%2F', 301, 'Ada/Motor?x=1&y=%2F'],
    ['GET', 'ada/%65ngine/raw/a/engine/README.md?ref=ada', 301, 'Ada/Motor/raw/a/engine/README.md?ref=ada'],
    ['GET', 'ada/engine/contents', 301, 'Ada/Motor/contents'],
    ['GET', 'ada/engine/contents/a%2Fb', 301, 'Ada/Motor/contents/a%2Fb'],
    ['PUT', 'ada/engine/collaborators/root', 307, 'Ada/Motor/collaborators/root'],
    ['DELETE', 'ada/engine', 307, 'Ada/Motor'],
  ] as const) {
    assert.deepEqual(
      await redirectOf(ada, method, `${REPOS}/${path}`),
      [status, `${REPOS}/${location}`],
      path,
    );
  }
  assert.deepEqual(
    (await rename(ada, 'ada/engine', 'x')).headers.get('location'),
    `${REPOS}/Ada/Motor`,
    'a rename under the old name is redirected and changes nothing',
  );
  assert.deepEqual(await redirectOf(ada, 'GET', `${REPOS}/ada/engine.git`), [404, null]);
  assert.equal((await ada.get(`${REPOS}/ada/motor`)).status, 200);
});

test('redirect: a remote with the old name clones, fetches and pushes, with and without .git', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true, auto_init: true });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);

  assert.equal((await rename(ada, 'ada/engine', 'motor')).status, 200);

  const head = await commitAll(folder, 'Afterwards');
  await git(folder, ['push', '-q', 'origin', 'HEAD']);
  await git(folder, ['fetch', '-q']);
  for (const remote of [ada.remote('ada/engine'), ada.remote('ada/engine').replace(/\.git$/, '')]) {
    assert.match(await git(folder, ['ls-remote', remote, 'HEAD']), new RegExp(`^${head}`));
    await git(await temporaryFolder(t), ['-c', 'protocol.version=0', 'clone', '-q', remote, '.']);
  }
  for (const [ending, query] of [
    ['.git', '?service=git-upload-pack'],
    ['', '?service=git-receive-pack'],
  ]) {
    assert.deepEqual(await redirectOf(ada, 'GET', `/ada/engine${ending}/info/refs${query}`), [
      301,
      `/ada/motor${ending}/info/refs${query}`,
    ]);
  }
});

test('redirect: a push to an old name creates no repository, even if pushes may create repositories', async (t) => {
  const forge = await startForge(t, { settings: { pushToCreate: 'true' } });
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  await rename(ada, 'ada/engine', 'motor');
  const tip = await commitAll(folder, 'Afterwards');

  await git(folder, ['push', '-q', 'origin', 'HEAD']);

  assert.match(await git(folder, ['ls-remote', ada.remote('ada/motor'), 'HEAD']), new RegExp(`^${tip}`));
  assert.deepEqual(await redirectOf(ada, 'GET', `${REPOS}/ada/engine`), [301, `${REPOS}/ada/motor`]);
});

test('redirect: old names of the owner and of the repository work together, after any number of renames', async (t) => {
  const { ada, forge } = await startGuild(t);
  await ada.post('/api/v1/orgs/guild/repos', { name: 'guild', auto_init: true });
  assert.equal((await rename(ada, 'guild/guild', 'hall')).status, 200);
  assert.equal((await ada.post('/api/v1/orgs/guild/rename', { new_name: 'crafts' })).status, 204);
  assert.equal((await rename(ada, 'crafts/hall', 'house')).status, 200);
  assert.equal((await ada.post('/api/v1/orgs/crafts/rename', { new_name: 'smiths' })).status, 204);

  for (const owner of ['guild', 'crafts', 'smiths']) {
    for (const name of ['guild', 'hall', 'house']) {
      const isItsPlace = owner === 'smiths' && name === 'house';
      const expected = isItsPlace ? [200, null] : [301, `${REPOS}/smiths/house`];
      assert.deepEqual(
        await redirectOf(ada, 'GET', `${REPOS}/${owner}/${name}`),
        expected,
        `${owner}/${name}`,
      );
    }
  }
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', `${forge.url}/guild/guild.git`, '.']);
});

test('redirect: a transferred repository redirects from its old name and owner', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await rename(ada, 'ada/engine', 'motor');
  assert.equal((await ada.post(`${REPOS}/ada/motor/transfer`, { new_owner: 'ben' })).status, 202);
  assert.equal((await ben.post(`${REPOS}/ada/motor/transfer/accept`)).status, 202);

  for (const name of ['engine', 'motor'])
    assert.deepEqual(await redirectOf(ada, 'GET', `${REPOS}/ada/${name}`), [301, `${REPOS}/ben/motor`]);
});

test('a rename that changes only the case is stored and creates no redirect', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');

  const renamed = await rename(ada, 'ada/engine', 'ENGINE');

  assert.deepEqual([renamed.status, renamed.body.name], [200, 'ENGINE']);
  assert.equal((await ada.get(`${REPOS}/ada/engine`)).body.full_name, 'ada/ENGINE');
  const rows = await forge.forge.running.engines.database.reader
    .selectFrom('repository_redirects')
    .selectAll()
    .execute();
  assert.deepEqual(rows, []);
});

test('a rename to the current name changes nothing and publishes no event', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');

  assert.equal((await rename(ada, 'ada/engine', 'engine')).status, 200);

  const events = await eventsOf(forge.forge.running.engines.database, 'repository.renamed');
  assert.deepEqual(events, []);
});

test('a rename event has the actor, the old and the new name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await rename(forge.root, 'ada/engine', 'motor');

  assert.deepEqual(await eventsOf(forge.forge.running.engines.database, 'repository.renamed'), [
    { kind: 'repository.renamed', actor: 'root', from: 'ada/engine', to: 'ada/motor' },
  ]);
});

test('422: a taken, reserved, disallowed or invalid name changes nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('Motor');
  const bad = [
    'motor',
    '.',
    '..',
    '-',
    'a.git',
    'A.WIKI',
    'a.rss',
    'a.atom',
    '',
    'a/b',
    'a b',
    '../x',
    'ä',
    'a\0',
  ];
  for (const name of [...bad, 'x'.repeat(101), 1, ['x']]) {
    const answer = await rename(ada, 'ada/engine', name);
    assert.equal(answer.status, 422, `${JSON.stringify(name)}: ${answer.text}`);
  }
  assert.equal((await rename(ada, 'ada/engine', 'x'.repeat(100))).status, 200);
  assert.equal((await rename(ada, `ada/${'x'.repeat(100)}`, 'engine')).status, 200);
  assert.equal((await ada.get(`${REPOS}/ada/engine`)).status, 200);
});

test('C1: a rename rejects a name with an invalid character', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const odd = [
    ...ascii.filter((char) => !/[A-Za-z0-9_.-]/.test(char)),
    '\u202e',
    '\u200d',
    '\ud800',
    'ａ',
    'а',
    '%2f',
  ];

  for (const part of odd) {
    const answer = await rename(ada, 'ada/engine', `a${part}b`);
    assert.equal(answer.status, 422, JSON.stringify(part));
  }

  assert.equal((await ada.get(`${REPOS}/ada/engine`)).status, 200);
});

test('403: only an administrator of a repository can rename it; callers who cannot see it get 404', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  const eve = await forge.account('eve');
  await ada.repository('engine', { private: true });
  const give = (permission: string) => ada.put(`${REPOS}/ada/engine/collaborators/ben`, { permission });

  await give('write');
  assert.equal((await rename(ben, 'ada/engine', 'motor')).status, 403);
  assert.equal((await rename(eve, 'ada/engine', 'motor')).status, 404);
  await give('admin');
  assert.equal((await rename(ben, 'ada/engine', 'motor')).status, 200);
});

test('redirect: an old name stops redirecting when another repository takes it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  const first = await ada.repository('engine', { auto_init: true });
  const idAt = async (path: string) => (await ada.get(`${REPOS}/${path}`)).body?.id;

  await rename(ada, 'ada/engine', 'motor');
  const second = await ada.repository('Engine', { auto_init: true });
  assert.equal(await idAt('ada/engine'), second.id, 'by a new repository');
  await rename(ada, 'ada/engine', 'turbine');
  assert.deepEqual(await redirectOf(ada, 'GET', `${REPOS}/ada/engine`), [301, `${REPOS}/ada/turbine`]);
  await rename(ada, 'ada/motor', 'ENGINE');
  assert.equal(await idAt('ada/engine'), first.id, 'by a rename back to the old name');
  assert.deepEqual(await redirectOf(ada, 'GET', `${REPOS}/ada/motor`), [301, `${REPOS}/ada/ENGINE`]);
  await rename(ada, 'ada/engine', 'last');
  const given = await ben.repository('motor');
  await ben.post(`${REPOS}/ben/motor/transfer`, { new_owner: 'ada' });
  assert.equal((await ada.post(`${REPOS}/ben/motor/transfer/accept`)).status, 202);
  assert.equal(await idAt('ada/motor'), given.id, 'by a transfer');
  await ada.delete(`${REPOS}/ada/motor`);
  assert.deepEqual(
    await redirectOf(ada, 'GET', `${REPOS}/ada/motor`),
    [404, null],
    'the redirect does not return',
  );
  assert.deepEqual(await redirectOf(ada, 'GET', `${REPOS}/ben/motor`), [404, null]);
});

test('B7: the old name of a hidden repository returns the same response as an unknown name', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const eve = await forge.account('eve');
  await ada.repository('engine', { private: true, auto_init: true });
  await rename(ada, 'ada/engine', 'motor');
  const publicOnly = await ada.tokenFor(['public-only', 'all']);

  const refs = (name: string) => `/ada/${name}.git/info/refs?service=git-upload-pack`;
  const api = (name: string) => `${REPOS}/ada/${name}`;
  for (const path of [refs, api]) {
    for (const as of [{ token: eve.token }, { token: publicOnly }, undefined]) {
      const [former, never] = await Promise.all(
        ['engine', 'nothing'].map((name) => forge.get(path(name), as === undefined ? {} : { as })),
      );
      assert.equal(former?.status, never?.status);
      assert.ok(former?.status === 404 || former?.status === 401);
      assert.equal(former?.text, never?.text);
      assert.equal(former?.headers.get('location'), null);
    }
  }
  const pushed = await tryGit(await temporaryFolder(t), ['ls-remote', eve.remote('ada/engine')]);
  assert.notEqual(pushed.exitCode, 0);
});

test('F4: no request can make a redirect lead to another server', async (t) => {
  const forge = await startForge(t, { settings: { allowedHosts: 'evil.example' } });
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await rename(ada, 'ada/engine', 'motor');
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };

  for (const [path, location] of [
    ['ada/engine?next=//evil.example', 'ada/motor?next=//evil.example'],
    ['ada/engine/raw//evil.example', 'ada/motor/raw//evil.example'],
    ['ada/engine/raw/%5C%5Cevil.example', 'ada/motor/raw/%5C%5Cevil.example'],
  ] as const) {
    const answer = await ada.get(`${REPOS}/${path}`, { headers });
    assert.deepEqual([answer.status, answer.headers.get('location')], [301, `${REPOS}/${location}`], path);
  }
});

test('H8: of concurrent renames to the same name, one succeeds', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await ada.repository(name);

  const answers = await Promise.all(names.map((name) => rename(ada, `ada/${name}`, 'Same')));

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422]);
  const won = answers.find(({ status }) => status === 200);
  assert.equal((await ada.get(`${REPOS}/ada/same`)).body.id, won?.body.id);
});

test('H8: of a concurrent rename and creation with the same name, one succeeds', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (let round = 0; round < 5; round += 1) {
    await ada.repository(`old-${round}`);
    const name = `new-${round}`;

    const [renamed, created] = await Promise.all([
      rename(ada, `ada/old-${round}`, name),
      ada.post('/api/v1/user/repos', { name }),
    ]);

    const statuses = [renamed.status, created.status];
    assert.ok(
      [
        [200, 409],
        [422, 201],
      ].some((pair) => `${pair}` === `${statuses}`),
      `${statuses}`,
    );
    const winner = renamed.status === 200 ? renamed : created;
    assert.equal((await ada.get(`${REPOS}/ada/${name}`)).body.id, winner.body.id);
  }
});

test('H8: after concurrent renames and creations, no name is both current and former', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const names = ['a', 'b', 'c'];
  for (const name of names) await ada.repository(name);

  await Promise.all(
    Array.from({ length: 12 }, (_, turn) => {
      const [from, to] = [names[turn % 3], names[(turn + 1) % 3]];
      return turn % 4 === 3
        ? ada.post('/api/v1/user/repos', { name: from })
        : rename(ada, `ada/${from}`, turn % 2 === 0 ? `${to}${turn}` : (to ?? ''));
    }),
  );

  const { database } = forge.forge.running.engines;
  const taken = await database.reader
    .selectFrom('repository_redirects as f')
    .innerJoin('repositories as r', (on) =>
      on.onRef('r.owner_id', '=', 'f.owner_id').onRef('r.lower_name', '=', 'f.lower_name'),
    )
    .select('r.name')
    .execute();
  assert.deepEqual(taken, [], 'a former name is the current name of a repository');
});

test('a push that starts under the old name lands under the new one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  const tip = await commitAll(folder, 'Afterwards');

  const [pushed, renamed] = await Promise.all([
    tryGit(folder, ['push', '-q', 'origin', 'HEAD']),
    rename(ada, 'ada/engine', 'motor'),
  ]);

  assert.equal(renamed.status, 200);
  const again = pushed.exitCode === 0 ? pushed : await tryGit(folder, ['push', '-q', 'origin', 'HEAD']);
  assert.equal(again.exitCode, 0, again.stderr);
  assert.match(await git(folder, ['ls-remote', ada.remote('ada/motor'), 'HEAD']), new RegExp(tip));
});
