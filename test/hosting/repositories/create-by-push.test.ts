import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FLUSH, packOf, pktLines, pushBody, sendGit, ZERO } from '../../code/transport/wire.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { Guild } from '../../support/forge/organizations.ts';
import { commitAll, git, refsOf, tryGit, workingCopy } from '../../support/git/git.ts';
import type { Credentials } from '../../support/http/http.ts';
import { foldersAfterSweep, leftIn } from './left-behind.ts';

const SETTINGS = { pushToCreate: 'true' };

async function start(t: TestContext): Promise<{ forge: TestForge; ada: Person }> {
  const forge = await startForge(t, { settings: SETTINGS });
  return { forge, ada: await forge.account('ada') };
}

async function work(t: TestContext, objectFormat: 'sha1' | 'sha256' = 'sha1'): Promise<string> {
  const folder = await workingCopy(t, { objectFormat });
  await writeFile(join(folder, 'a.txt'), 'a\n');
  await commitAll(folder, 'Begin');
  return folder;
}

/** Statuses of both requests of a push, the second of which pushes nothing. */
async function statuses(forge: TestForge, path: string, as?: Credentials): Promise<number[]> {
  const sent = as === undefined ? {} : { as };
  const listed = await sendGit(forge.url, `${path}/info/refs?service=git-receive-pack`, sent);
  const pushed = await sendGit(forge.url, `${path}/git-receive-pack`, { ...sent, body: Buffer.from(FLUSH) });
  return [listed.status, pushed.status];
}

test('a push to a missing repository creates it as private, with the pushed content', async (t) => {
  const { forge, ada } = await start(t);
  const folder = await work(t);
  await git(folder, ['tag', 'v1']);

  await git(folder, ['push', '-q', ada.remote('ada/Engine'), 'main', 'v1', 'main:other']);

  const { body } = await ada.get('/api/v1/repos/ada/engine');
  assert.deepEqual(
    [body.name, body.private, body.empty, body.default_branch, body.permissions.admin],
    ['Engine', true, false, 'main', true],
  );
  assert.deepEqual((await refsOf(folder, ada.remote('ada/engine'))).length, 3);
  const { database } = forge.forge.running.engines;
  const [created, ...more] = await eventsOf(database, 'repository.');
  assert.deepEqual(created, {
    kind: 'repository.created',
    actor: 'ada',
    owner: 'ada',
    name: 'Engine',
    private: true,
  });
  assert.deepEqual(more, []);
  assert.equal((await eventsOf(database, 'refs.')).length, 1);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'More']);
  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main']);
});

test('a branch with an unusual name becomes the default branch', async (t) => {
  const { ada } = await start(t);
  const folder = await work(t);

  await git(folder, ['push', '-q', ada.remote('ada/engine'), 'main:trunk']);

  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.default_branch, 'trunk');
});

test('listing the refs of a missing repository shows none and creates nothing', async (t) => {
  const { forge, ada } = await start(t);
  const as = { token: ada.token };
  const before = await leftIn(forge);

  const answer = await sendGit(forge.url, 'ada/engine.git/info/refs?service=git-receive-pack', { as });

  assert.equal(answer.status, 200);
  const [service, flush, refs = ''] = pktLines(answer.bytes);
  assert.deepEqual([service, flush], ['# service=git-receive-pack', FLUSH]);
  assert.match(refs, new RegExp(`^${ZERO} capabilities\\^\\{\\}\\0.*object-format=sha1`));
  assert.deepEqual(await statuses(forge, 'ada/engine', as), [200, 200], 'an empty push is accepted');
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);
  assert.deepEqual(await leftIn(forge), before);
  assert.equal(
    (await tryGit('/', ['ls-remote', ada.remote('ada/engine')])).exitCode,
    128,
    'a fetch is rejected',
  );
});

test('by default the setting is off, and a push to a missing repository returns 404', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = await work(t);

  const pushed = await tryGit(folder, ['push', ada.remote('ada/engine'), 'main']);

  assert.match(pushed.stderr, /Repository not found/);
  assert.deepEqual(await statuses(forge, 'ada/engine', { token: ada.token }), [404, 404]);
  assert.deepEqual(await statuses(forge, 'ada/engine'), [401, 401]);
});

test('in an organization, only members who may create repositories can create one by a push', async (t) => {
  const { forge, ada } = await start(t);
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const guild = new Guild(forge, ada);
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  await guild.team('writers', { permission: 'write', members: [ben] });
  await guild.team('makers', { permission: 'read', members: [cleo], can_create_org_repo: true });
  await guild.repository('secret', { private: true });
  const folder = await work(t);

  for (const person of [ada, cleo, forge.root]) {
    await git(folder, ['push', '-q', person.remote(`guild/by-${person.name}`), 'main']);
    const { body } = await person.get(`/api/v1/repos/guild/by-${person.name}`);
    assert.deepEqual([body.private, body.permissions.admin], [true, true]);
  }
  const before = await leftIn(forge);
  assert.deepEqual(await statuses(forge, 'guild/by-ben', { token: ben.token }), [404, 404]);
  assert.deepEqual(
    await statuses(forge, 'guild/secret', { token: cleo.token }),
    [404, 404],
    'a hidden repository',
  );
  for (const path of ['ada/of-ada', 'nobody/x', 'guild/x.wiki', 'cleo/x.wiki.git', 'cleo/a%00b']) {
    assert.deepEqual(await statuses(forge, path, { token: cleo.token }), [404, 404], path);
  }
  assert.deepEqual(await leftIn(forge), before);
});

test('a token needs the creation scopes to create a repository by a push, and a limited token cannot', async (t) => {
  const { forge, ada } = await start(t);
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.repository('known');
  const before = await leftIn(forge);
  const answered = async (path: string, scopes: readonly string[]) =>
    statuses(forge, path, { token: await ada.tokenFor(scopes) });
  const repository = 'write:repository';

  assert.deepEqual(await answered('ada/x', [repository, 'write:user']), [200, 200]);
  assert.deepEqual(await answered('guild/x', [repository, 'write:organization']), [200, 200]);
  assert.deepEqual(await answered('ada/x', [repository]), [404, 404]);
  assert.deepEqual(await answered('ada/x', [repository, 'write:organization']), [404, 404]);
  assert.deepEqual(await answered('guild/x', [repository, 'write:user']), [404, 404]);
  assert.deepEqual(await answered('ada/x', ['read:repository', 'write:user']), [404, 403]);
  assert.deepEqual(await answered('ada/x', ['all', 'public-only']), [404, 404]);
  const limited = await forge.send('POST', '/api/v1/users/ada/tokens', {
    as: { name: 'ada', password: ada.password },
    json: { name: 'limited', scopes: ['all'], repositories: ['ada/known'] },
  });
  assert.equal(limited.status, 201, limited.text);
  assert.deepEqual(await statuses(forge, 'ada/x', { token: limited.body.sha1 }), [404, 404]);
  assert.deepEqual(await statuses(forge, 'ada/x'), [401, 401]);
  assert.deepEqual(await leftIn(forge), before);
});

test('a rejected push leaves no row, event or file', async (t) => {
  const { forge, ada } = await start(t);
  const folder = await work(t);
  const tip = await git(folder, ['rev-parse', 'main']);
  const as = { token: ada.token };
  const pack = await packOf(folder, ['main']);
  const capabilities = 'report-status atomic';
  const refused: readonly (readonly [about: string, push: Parameters<typeof pushBody>[0], report: RegExp])[] =
    [
      ['only a reserved ref', { commands: [{ ref: 'refs/pull/1/head', new: tip }], pack }, /ng refs\/pull/],
      [
        'one rejected ref of two, atomic',
        {
          commands: [
            { ref: 'refs/heads/main', new: tip },
            { ref: 'refs/heads/HEAD', new: tip },
          ],
          capabilities,
          pack,
        },
        /ng refs\/heads\/main/,
      ],
      [
        'a broken pack',
        { commands: [{ ref: 'refs/heads/main', new: tip }], pack: pack.subarray(0, 40) },
        /^unpack /,
      ],
      [
        'a history with missing objects',
        { commands: [{ ref: 'refs/heads/main', new: 'ab'.repeat(20) }], pack },
        /ng refs\/heads\/main/,
      ],
      ['only a deletion', { commands: [{ ref: 'refs/heads/main', old: tip }] }, /ng refs\/heads\/main/],
      [
        'a ref with an old value',
        { commands: [{ ref: 'refs/heads/main', old: tip, new: tip }], pack },
        /ng refs/,
      ],
    ];
  const before = await leftIn(forge);
  for (const [about, push, report] of refused) {
    const answer = await sendGit(forge.url, 'ada/engine/git-receive-pack', { as, body: pushBody(push) });
    assert.equal(answer.status, 200, about);
    assert.match(pktLines(answer.bytes).join('\n'), report, about);
  }
  const garbage = await sendGit(forge.url, 'ada/engine/git-receive-pack', { as, body: Buffer.from('0009x') });
  assert.equal(garbage.status, 400);
  assert.deepEqual(await leftIn(forge), before);
  assert.deepEqual(await foldersAfterSweep(forge), []);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);
});

test('a push of valid and invalid refs creates a repository with the valid ones', async (t) => {
  const { forge, ada } = await start(t);
  const folder = await work(t);

  const pushed = await tryGit(folder, ['push', ada.remote('ada/engine'), 'main', 'main:refs/pull/1/head']);

  assert.match(pushed.stderr, /refs\/pull\/ is reserved/);
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).body.empty, false);
  assert.equal((await leftIn(forge)).intents, 0);
});

test('a push of SHA-256 objects creates nothing, because new repositories use SHA-1', async (t) => {
  const { forge, ada } = await start(t);
  const folder = await work(t, 'sha256');

  assert.notEqual((await tryGit(folder, ['push', ada.remote('ada/engine'), 'main'])).exitCode, 0);

  const { repositories, gitRepositories, intents } = await leftIn(forge);
  assert.deepEqual([repositories, gitRepositories, intents], [0, 0, 0]);
});

test('H8: of concurrent pushes and a creation of one repository, one creates it', async (t) => {
  const { forge, ada } = await start(t);
  const folder = await work(t);
  const tip = await git(folder, ['rev-parse', 'main']);
  const pack = await packOf(folder, ['main']);
  const as = { token: ada.token };
  for (let round = 0; round < 5; round += 1) {
    const path = `ada/engine${round}`;
    const push = (branch: string) =>
      sendGit(forge.url, `${path}/git-receive-pack`, {
        as,
        body: pushBody({ commands: [{ ref: `refs/heads/${branch}`, new: tip }], pack }),
      });

    const [one, two, created] = await Promise.all([
      push('one'),
      push('two'),
      ada.post('/api/v1/user/repos', { name: `engine${round}` }),
    ]);

    assert.ok([201, 409].includes(created.status), created.text);
    assert.deepEqual([one.status, two.status], [200, 200], `${one.text} ${two.text}`);
    const refs = await refsOf(folder, ada.remote(path));
    const pushed = [one, two].filter((answer) =>
      pktLines(answer.bytes).some((line) => line.startsWith('ok ')),
    );
    assert.equal(refs.length, pushed.length, 'the repository has exactly the acknowledged refs');
    assert.ok(created.status === 201 || pushed.length > 0);
  }
  const { repositories, gitRepositories, intents } = await leftIn(forge);
  assert.deepEqual([repositories, gitRepositories, intents], [5, 5, 0]);
});
