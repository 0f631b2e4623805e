import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SEED } from '../../../src/app/throwaway/seed/schema.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { newEd25519 } from '../../support/keys/ssh-keys.ts';
import { quire } from '../quire.ts';
import { filesOfPage, readPage } from './page.ts';
import { startWorld, type World } from './world.ts';

// Runs once: a throwaway server has a database of its own.
// Runs alone: the clock of a throwaway server is that of its process.

async function wholeSeed(t: Parameters<typeof temporaryFolder>[0]): Promise<string> {
  const path = join(await temporaryFolder(t), 'whole.yaml');
  await writeFile(path, (await filesOfPage()).get('whole.yaml') ?? '');
  return path;
}

test('a seed makes people, organizations, repositories, history, issues and pull requests', async (t) => {
  const { forge, send } = await startWorld(t, { seed: await wholeSeed(t) });
  const get = async (path: string) => (await send('GET', `/api/v1${path}`)).body;

  assert.equal((await get('/users/ada')).full_name, 'Ada Lovelace');
  const as = { name: 'grace', password: 'a compiler of her own' };
  assert.equal((await send('GET', '/api/v1/user', { as })).body.is_admin, true);
  const [token] = (await send('GET', '/api/v1/users/ada/tokens', { as })).body;
  assert.deepEqual([token.name, token.scopes], ['ci', ['write:repository']]);
  assert.equal(token.token_last_eight, forge.users.ada?.tokens.ci?.slice(-8));
  const teams = await get('/orgs/weavers/teams');
  const builders = teams.find(({ name }: { name: string }) => name === 'builders');
  assert.equal(builders.permission, 'write');
  assert.deepEqual(logins(await get(`/teams/${builders.id}/members`)), ['grace']);
  assert.equal((await get(`/teams/${builders.id}/repos`))[0].full_name, 'weavers/loom');

  const engine = await get('/repos/ada/engine');
  assert.deepEqual([engine.description, engine.topics], ['A machine for polynomials', ['math']]);
  const branches = await get('/repos/ada/engine/branches');
  assert.deepEqual(names(branches).toSorted(), ['main', 'next', 'stable']);
  const next = await get('/repos/ada/engine/commits?sha=next');
  assert.deepEqual(
    next.map(({ commit }: { commit: { message: string } }) => commit.message.trim()).at(1),
    'Turn the mill',
  );
  assert.equal(next[1].commit.author.email, 'grace@example.org');
  assert.equal(new Date(next[1].commit.author.date).toISOString(), '2026-01-05T10:00:00.000Z');
  assert.equal((await send('GET', '/api/v1/repos/ada/engine/contents/README.md?ref=next')).status, 404);
  const card = await get('/repos/ada/engine/contents/card.bin?ref=next');
  assert.equal(card.content, 'AAECAw==');
  assert.deepEqual(names(await get('/repos/ada/engine/tags')).toSorted(), ['v1', 'v2']);
  const [protection] = await get('/repos/ada/engine/branch_protections');
  assert.deepEqual(
    [protection.rule_name, protection.push_whitelist_usernames, protection.required_approvals],
    ['main', ['ada'], 1],
  );

  const issue = await get('/repos/ada/engine/issues/1');
  assert.deepEqual(
    [issue.user.login, names(issue.labels), logins(issue.assignees), issue.milestone.title, issue.comments],
    ['linus', ['bug'], ['grace'], 'First light', 1],
  );
  assert.equal((await get('/repos/ada/engine/issues/2')).state, 'closed');
  const pull = await get('/repos/ada/engine/pulls/3');
  assert.deepEqual([pull.user.login, pull.head.ref, pull.mergeable], ['grace', 'next', true]);
  const reviews = await get('/repos/ada/engine/pulls/3/reviews');
  assert.deepEqual(
    reviews.map(({ state, user }: { state: string; user: { login: string } }) => [state, user.login]),
    [['APPROVED', 'ada']],
  );

  const loom = await get('/repos/weavers/loom');
  assert.deepEqual([loom.private, loom.default_branch], [true, 'trunk']);
  assert.equal((await get('/repos/weavers/loom/pulls/2')).merged, true);
  assert.deepEqual(names((await get('/repos/weavers/loom/issues/1')).labels), ['urgent']);
  assert.match(forge.clock.now().toISOString(), /^2026-02-01T12:0/);
});

function names(records: readonly { name: string }[]): string[] {
  return records.map(({ name }) => name);
}

function logins(records: readonly { login: string }[]): string[] {
  return records.map(({ login }) => login);
}

test('a seed always makes the same ids, commits and times', async (t) => {
  const seed = await wholeSeed(t);
  const record = async ({ send }: World) => {
    const paths = [
      '/repos/ada/engine/branches',
      '/repos/ada/engine/tags',
      '/repos/ada/engine/issues?state=all',
      '/repos/ada/engine/pulls/3',
      '/repos/weavers/loom/commits',
      '/users/linus',
      '/orgs/weavers/teams',
    ];
    const bodies = await Promise.all(paths.map((path) => send('GET', `/api/v1${path}`)));
    return bodies.map(({ text }) => text.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST'));
  };
  const first = await startWorld(t, { seed });
  const one = await record(first);
  await first.forge.stop();
  assert.deepEqual(await record(await startWorld(t, { seed })), one);
});

test('a user of a seed may have SSH keys, and a restricted profile', async (t) => {
  const seed = {
    users: [{ name: 'ada', keys: [newEd25519().line], visibility: 'private', restricted: true }],
  } as const;
  const { send } = await startWorld(t, { seed });
  const user = (await send('GET', '/api/v1/users/ada')).body;
  assert.deepEqual([user.visibility, user.restricted], ['private', true]);
  assert.equal((await send('GET', '/api/v1/users/ada/keys')).body.length, 1);
});

/** Seeds with one mistake, and what the error says. */
const MISTAKES: readonly (readonly [seed: unknown, problem: string])[] = [
  [[], 'the seed: must be object'],
  [{ user: [] }, 'user: unknown key: docs/testing.md lists the keys'],
  [{ users: [{ name: 'ada' }, { name: 'bob' }, { nam: 'eve' }] }, 'users[2].name: missing'],
  [{ users: [{ name: 'ada', nick: 'a' }] }, 'users[0].nick: unknown key: docs/testing.md lists the keys'],
  [{ users: [{ name: 7 }] }, 'users[0].name: must be string'],
  [
    { users: [{ name: 'ada', visibility: 'secret' }] },
    'users[0].visibility: must be one of public, limited, private',
  ],
  [{ users: [{ name: '-' }] }, 'users[0]: the server rejects it: '],
  [{ users: [{ name: 'ada', tokens: [{ name: 'ci', scopes: ['fly'] }] }] }, 'users[0].tokens[0]: '],
  [{ users: [{ name: 'ada', keys: ['none'] }] }, 'users[0].keys[0]: the server rejects it: '],
  [{ organizations: [{ name: 'o', owner: 'eve' }] }, 'organizations[0].owner: the seed has no user eve'],
  [{ repositories: [{ name: 'engine' }] }, 'repositories[0].name: must be owner/name'],
  [
    { repositories: [{ name: 'eve/engine' }] },
    'repositories[0].name: the seed has no user or organization eve',
  ],
  [
    { repositories: [{ name: 'root/a', files: { x: 5 } }] },
    'repositories[0].files.x: has the wrong type: docs/testing.md shows its form',
  ],
  [
    { repositories: [{ name: 'root/a', files: { x: 'x' }, commits: [{ files: {}, date: '2026-01-01' }] }] },
    'repositories[0].commits[0].date: not a time from 1970 to 9998 with a time zone, such as 2030-01-31T12:00:00Z',
  ],
  [
    { repositories: [{ name: 'root/a', files: { x: 'x' }, branches: { b: 'nowhere' } }] },
    'repositories[0].branches.b: the server rejects it: ',
  ],
  [
    { repositories: [{ name: 'root/a', issues: [{ title: 't', labels: ['bug'] }] }] },
    'repositories[0].issues[0].labels[0]: the seed has no label bug here',
  ],
  [
    { repositories: [{ name: 'root/a', issues: [{ title: 't', author: 'eve' }] }] },
    'repositories[0].issues[0].author: the seed has no user eve',
  ],
  [
    { repositories: [{ name: 'root/a', collaborators: { eve: 'own' } }] },
    'repositories[0].collaborators.eve: must be one of read, write, admin',
  ],
  [{ clock: { set: 'now' } }, 'clock: set: not a time'],
  [{ made_at: 'once' }, 'made_at: not a time'],
];

test('a mistake in a seed is reported with its place', async (t) => {
  for (const [seed, problem] of MISTAKES) {
    const started = startWorld(t, { seed: seed as object });
    await assert.rejects(started, (error: Error) => {
      assert.ok(error.message.startsWith(problem), `${error.message}\nis not\n${problem}`);
      return true;
    });
  }
});

test('the command names the file of a seed that it cannot use', async (t) => {
  const folder = await temporaryFolder(t);
  const broken = join(folder, 'broken.json');
  await writeFile(broken, '{"users":[}');
  const wrong = join(folder, 'wrong.yaml');
  await writeFile(wrong, 'users:\n  - name: ada\n  - nam: eve\n');
  for (const [path, problem] of [
    [join(folder, 'none.yaml'), `quire: cannot read the seed ${join(folder, 'none.yaml')}: ENOENT`],
    [broken, `quire: cannot parse the seed ${broken}: `],
    [wrong, `quire: ${wrong}: users[1].name: missing\n`],
  ] as const) {
    const { code, output } = await quire(t, ['forge', '--seed', path]);
    assert.equal(code, 1);
    assert.ok(output.startsWith(problem), output);
    assert.equal(output.trimEnd().split('\n').length, 1);
  }
});

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

test('docs/testing.md lists all members of a seed', async () => {
  const page = await readPage();
  const listed = new Map(
    [...page.matchAll(/^\| (?:`(\w+)`|the file) \| ((?:`\w+`(?:, )?)+) \|$/gm)].map(
      ([, part = '', members = '']) => [part, [...members.matchAll(/\w+/g)].map(String).toSorted()],
    ),
  );
  const found = new Map<string, string[]>();
  const collect = (part: string, shape: Shape) => {
    const { properties } = shape.items ?? shape;
    if (properties === undefined) return;
    found.set(part, Object.keys(properties).toSorted());
    for (const [name, each] of Object.entries(properties)) collect(name, each);
  };
  collect('', SEED as Shape);
  assert.deepEqual(listed, found);
});
