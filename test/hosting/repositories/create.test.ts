import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { foldersAfterSweep, leftIn } from './left-behind.ts';

const MINE = '/api/v1/user/repos';

interface LabelRow {
  readonly name: string;
  readonly color: string;
  readonly is_exclusive: number;
}

async function labelsOf(forge: TestForge, id: number): Promise<readonly LabelRow[]> {
  return forge.forge.running.engines.database.reader
    .selectFrom('labels')
    .select(['name', 'color', 'is_exclusive'])
    .where('repository_id', '=', id)
    .orderBy('id')
    .execute();
}

test('create options: AutoInit with Gitignores, License and Readme creates one commit with all their files', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada', { full_name: 'Ada Lovelace' });
  await ada.repository('engine', {
    description: 'What it does',
    auto_init: true,
    gitignores: 'Go, Rust',
    license: 'MIT',
    readme: 'Default',
    default_branch: 'trunk',
  });
  const folder = await temporaryFolder(t);

  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);

  assert.equal(await git(folder, ['ls-tree', '--name-only', 'trunk']), '.gitignore\nLICENSE\nREADME.md');
  const readme = await forge.get('/api/v1/repos/ada/engine/raw/README.md');
  assert.equal(readme.text, '# engine\n\nWhat it does', 'as in the reference, without a newline at the end');
  const ignored = await git(folder, ['show', 'trunk:.gitignore']);
  assert.match(ignored, /^# ---> Go\n[\s\S]+\n\n# ---> Rust\n/);
  const license = await git(folder, ['show', 'trunk:LICENSE']);
  assert.match(license, new RegExp(`^MIT License\\s+Copyright \\(c\\) ${new Date().getUTCFullYear()} ada`));
  const person = 'Ada Lovelace <ada@example.org>';
  assert.equal(
    await git(folder, ['log', '--format=%an <%ae>|%cn <%ce>|%P|%B']),
    `${person}|${person}||Initial commit\n`,
  );
  assert.equal(await git(folder, ['fsck', '--strict']), '');
});

for (const options of [{}, { readme: '' }, { readme: 'Default' }]) {
  test(`create options: if AutoInit is true, Readme ${JSON.stringify(options)} is Default`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    await ada.repository('engine', { auto_init: true, ...options });

    const raw = await forge.get('/api/v1/repos/ada/engine/raw/README.md');
    const root = await forge.get('/api/v1/repos/ada/engine/contents');

    assert.equal(raw.text, '# engine');
    assert.deepEqual(
      root.body.map((entry: { name: string }) => entry.name),
      ['README.md'],
    );
  });
}

test('without AutoInit, any values of Gitignores, License and Readme are ignored', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const auto_init of [false, undefined]) {
    const name = `engine-${auto_init}`;
    const created = await ada.repository(name, {
      auto_init,
      gitignores: 'none',
      license: 'none',
      readme: 'none',
    });
    assert.equal(created.empty, true);
  }
});

for (const auto_init of [true, false]) {
  test(`create options: IssueLabels creates the labels of the set, with AutoInit ${auto_init}`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    const simple = await ada.repository('simple', { auto_init, issue_labels: 'Default' });
    const more = await ada.repository('more', { auto_init, issue_labels: 'Advanced' });
    const none = await ada.repository('none', { auto_init });

    const labels = await labelsOf(forge, simple.id);
    assert.deepEqual(
      labels.map(({ name }) => name),
      ['bug', 'duplicate', 'enhancement', 'help wanted', 'invalid', 'question', 'wontfix'],
    );
    assert.deepEqual(labels[0], { name: 'bug', color: 'ee0701', is_exclusive: 0 });
    const advanced = await labelsOf(forge, more.id);
    assert.equal(advanced.length, 18);
    assert.deepEqual(advanced.at(-1), { name: 'Priority/Low', color: '4caf50', is_exclusive: 1 });
    assert.deepEqual(await labelsOf(forge, none.id), []);

    assert.equal((await ada.delete('/api/v1/repos/ada/more')).status, 204);
    assert.deepEqual(await labelsOf(forge, more.id), [], 'they are deleted with their repository');
  });
}

const UNKNOWN: readonly (readonly [about: string, body: Record<string, unknown>, message: string])[] = [
  ['gitignore template', { auto_init: true, gitignores: 'Go,Nope' }, 'unknown gitignore template: Nope'],
  ['license', { auto_init: true, license: 'Mine' }, 'unknown license: Mine'],
  ['label set', { auto_init: true, issue_labels: 'Nice' }, 'unknown label set: Nice'],
  ['an unknown label set, without AutoInit', { issue_labels: '../Default' }, 'unknown label set: ../Default'],
  ['a license name that is a path', { auto_init: true, license: '../MIT' }, 'unknown license: ../MIT'],
];

test('an unknown gitignore, license or label set: 422, and nothing is created, on each route', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const before = await leftIn(forge);
  for (const [about, body, message] of UNKNOWN) {
    for (const [person, path] of [
      [ada, MINE],
      [ada, '/api/v1/orgs/guild/repos'],
      [ada, '/api/v1/org/guild/repos'],
      [forge.root, '/api/v1/admin/users/ada/repos'],
    ] as const) {
      const answer = await person.post(path, { name: 'engine', ...body });
      assert.deepEqual([answer.status, answer.body.message], [422, message], `${about} ${path}`);
    }
  }
  assert.deepEqual(await leftIn(forge), before);
  assert.deepEqual(await foldersAfterSweep(forge), []);
});

test('errors, 422: a reserved or disallowed repository name, or a field that is too long or has a wrong type, on each route', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const before = await leftIn(forge);
  const long = 'x'.repeat(200);
  const refused: readonly (readonly [body: unknown, message: RegExp])[] = [
    [{ name: '-' }, /^name is reserved \[name: -\]$/],
    [{ name: 'a.wiki' }, /^name pattern is not allowed \[pattern: \*\.wiki\]$/],
    [{ name: '../x' }, /^\[Name\]: AlphaDashDot$/],
    [{ name: 'a\0' }, /^\[Name\]: AlphaDashDot$/],
    [{ name: 'a\u202e' }, /^\[Name\]: AlphaDashDot$/],
    [{ name: long }, /^\[Name\]: MaxSize\(100\)$/],
    [{ name: 7 }, /^\[Name\]: /],
    [{ name: ['x'] }, /^\[Name\]: /],
    [{ name: { __proto__: 'x' } }, /^\[Name\]: /],
    [{ name: 'x', description: 'a\0b' }, /^\[Description\]: /],
    [{ name: 'x', description: 7 }, /^\[Description\]: /],
    [{ name: 'x', private: 'yes' }, /^\[Private\]: /],
    [{ name: 'x', auto_init: 1 }, /^\[AutoInit\]: /],
    [{ name: 'x', gitignores: ['Go'] }, /^\[Gitignores\]: /],
    [{ name: 'x', license: {} }, /^\[License\]: /],
    [{ name: 'x', issue_labels: 1 }, /^\[IssueLabels\]: /],
    [{ name: 'x', template: 'true' }, /^\[Template\]: /],
    [{ name: 'x', trust_model: 1 }, /^\[TrustModel\]: /],
    [{ name: 'x', object_format_name: 'sha3' }, /^\[ObjectFormatName\]: /],
    ...['a..b', '-x', 'HEAD', 'refs/heads/x', 'a b', 'a\0', '/a', 'a.lock', 'a'.repeat(40), long].map(
      (default_branch) => [{ name: 'x', default_branch }, /^\[DefaultBranch\]: /] as const,
    ),
    [[], /^\[\]: /],
    ['x', /^\[\]: /],
  ];
  for (const [body, message] of refused) {
    for (const [person, path] of [
      [ada, MINE],
      [ada, '/api/v1/orgs/guild/repos'],
      [ada, '/api/v1/org/guild/repos'],
      [forge.root, '/api/v1/admin/users/ada/repos'],
    ] as const) {
      const answer = await person.post(path, body);
      const about = `${path} ${JSON.stringify(body).slice(0, 80)}`;
      assert.equal(answer.status, 422, about);
      assert.match(answer.body.message, message, about);
    }
  }
  assert.deepEqual(await leftIn(forge), before);
});

test('POST /user/repos by an organization as caller is rejected with 422', async (t) => {
  const { forge } = await startGuild(t);
  const before = await leftIn(forge);

  const answer = await forge.root.send('POST', MINE, { json: { name: 'x' }, headers: { sudo: 'guild' } });

  assert.equal(answer.status, 422);
  assert.deepEqual(await leftIn(forge), before);
});

test('errors, 409: the owner already uses the name, in any case', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  await ada.repository('Engine');
  await guild.repository('Engine');
  const before = await leftIn(forge);
  for (const auto_init of [false, true]) {
    const body = { name: 'eNGINE', auto_init, issue_labels: 'Default' };
    assert.equal((await ada.post(MINE, body)).status, 409);
    assert.equal((await ada.post('/api/v1/orgs/guild/repos', body)).status, 409);
    assert.equal((await forge.root.post('/api/v1/admin/users/ada/repos', body)).status, 409);
  }
  assert.deepEqual(await leftIn(forge), before, 'rejected requests leave nothing');
});

test('a creation returns the record that its owner reads afterwards', async (t) => {
  const guild = await startGuild(t);
  for (const [path, created] of [
    ['/api/v1/repos/ada/mine', await guild.ada.repository('mine', { auto_init: true, license: 'MIT' })],
    ['/api/v1/repos/guild/ours', await guild.repository('ours', { auto_init: true })],
  ] as const) {
    assert.deepEqual((await guild.ada.get(path)).body, created);
    assert.deepEqual(created.permissions, { admin: true, push: true, pull: true });
    assert.equal(created.empty, false);
  }
});

test('if the site forces private repositories, only an administrator can create a public one', async (t) => {
  const forge = await startForge(t, { settings: { forcePrivate: 'true' } });
  const ada = await forge.account('ada');

  const isPrivate = async (person: typeof ada, name: string, options: Record<string, unknown>) =>
    (await person.repository(name, options)).private;
  assert.equal(await isPrivate(ada, 'a', {}), true);
  assert.equal(await isPrivate(ada, 'b', { private: false }), true);
  assert.equal(await isPrivate(ada, 'c', { private: true, auto_init: true }), true);
  assert.equal(await isPrivate(forge.root, 'a', {}), true);
  assert.equal(await isPrivate(forge.root, 'b', { private: false }), false);
  const publicOnly = await ada.tokenFor(['all', 'public-only']);
  const as = { token: publicOnly };
  assert.equal((await forge.send('POST', MINE, { as, json: { name: 'd' } })).status, 403);
});

test('each creation publishes one event for the repository, and one for its first commit if it has one', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  await ada.repository('empty', { private: true });
  await guild.repository('begun', { auto_init: true });
  await forge.root.post('/api/v1/admin/users/ada/repos', { name: 'gift' });

  const { database } = forge.forge.running.engines;
  assert.deepEqual(await eventsOf(database, 'repository.'), [
    { kind: 'repository.created', actor: 'ada', owner: 'ada', name: 'empty', private: true },
    { kind: 'repository.created', actor: 'ada', owner: 'guild', name: 'begun', private: false },
    { kind: 'repository.created', actor: 'root', owner: 'ada', name: 'gift', private: false },
  ]);
  assert.deepEqual(
    (await eventsOf(database, 'refs.')).map(({ actor }) => actor),
    ['ada'],
  );
});

for (const auto_init of [false, true]) {
  test(`H8: a repository created while its owner is deleted exists with its owner or not at all, AutoInit ${auto_init}`, async (t) => {
    const forge = await startForge(t);
    for (let round = 0; round < 8; round += 1) {
      const ben = await forge.account(`ben${round}`);
      const names = ['a', 'b', 'c'];

      const [deleted, ...created] = await Promise.all([
        forge.root.delete(`/api/v1/admin/users/ben${round}?purge=true`),
        ...names.map((name) => ben.post(MINE, { name, auto_init, issue_labels: 'Default' })),
      ]);

      for (const { status, text } of created)
        assert.ok([201, 401, 403, 404].includes(status), `${status} ${text}`);
      assert.ok([204, 422].includes(deleted.status), `${deleted.status} ${deleted.text}`);
      if (deleted.status === 422)
        assert.equal((await forge.root.delete(`/api/v1/admin/users/ben${round}?purge=true`)).status, 204);
    }
    const { events: _, ...left } = await leftIn(forge);
    assert.deepEqual(left, { repositories: 0, gitRepositories: 0, intents: 0, labels: 0 });
  });
}
