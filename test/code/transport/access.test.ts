import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, refsOf, tryGit, workingCopy } from '../../support/git/git.ts';
import type { Credentials } from '../../support/http/http.ts';
import { FLUSH, sendGit } from './wire.ts';

type Visibility = 'public' | 'private';
type Operation = 'fetch' | 'push';

interface Stage {
  readonly forge: TestForge;
  readonly owner: Person;
  readonly people: Readonly<Record<string, Person>>;
  readonly work: string;
}

/**
 * Starts a forge where ada's repositories `public` and `private` have one commit and collaborators of each level. They have
 * no pull requests, because readers may push proposals for these.
 */
async function stage(t: TestContext): Promise<Stage> {
  const forge = await startForge(t);
  const owner = await forge.account('ada');
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), '# Engine\n');
  await commitAll(work, 'begin');
  const people: Record<string, Person> = { owner, stranger: await forge.account('stranger') };
  for (const level of ['read', 'write', 'admin']) people[level] = await forge.account(`may-${level}`);
  for (const name of ['public', 'private']) {
    await owner.repository(name, { private: name === 'private' });
    await owner.patch(`/api/v1/repos/ada/${name}`, { has_pull_requests: false });
    await git(work, ['push', '-q', owner.remote(`ada/${name}`), 'main']);
    for (const level of ['read', 'write', 'admin']) {
      const path = `/api/v1/repos/ada/${name}/collaborators/may-${level}`;
      assert.equal((await owner.put(path, { permission: level })).status, 204);
    }
  }
  return { forge, owner, people: { ...people, 'site administrator': forge.root }, work };
}

/** Statuses of the ref listing and of the fetch or push after it. */
async function statuses(
  forge: TestForge,
  attempt: { operation: Operation; repository: string; as?: Credentials },
): Promise<number[]> {
  const service = attempt.operation === 'fetch' ? 'git-upload-pack' : 'git-receive-pack';
  const who = attempt.as === undefined ? {} : { as: attempt.as };
  const refs = await sendGit(forge.url, `${attempt.repository}/info/refs?service=${service}`, who);
  const request = await sendGit(forge.url, `${attempt.repository}/${service}`, {
    ...who,
    body: Buffer.from(FLUSH),
  });
  return [refs.status, request.status];
}

const EXPECTED: Record<string, Record<Operation, Record<Visibility, number>>> = {
  anonymous: { fetch: { public: 200, private: 401 }, push: { public: 401, private: 401 } },
  stranger: { fetch: { public: 200, private: 404 }, push: { public: 403, private: 404 } },
  read: { fetch: { public: 200, private: 200 }, push: { public: 403, private: 403 } },
  write: { fetch: { public: 200, private: 200 }, push: { public: 200, private: 200 } },
  admin: { fetch: { public: 200, private: 200 }, push: { public: 200, private: 200 } },
  owner: { fetch: { public: 200, private: 200 }, push: { public: 200, private: 200 } },
  'site administrator': { fetch: { public: 200, private: 200 }, push: { public: 200, private: 200 } },
};

test('B2: the ref listing and the request after it need the same permission, for fetch and push', async (t) => {
  const { forge, people } = await stage(t);
  for (const [who, operations] of Object.entries(EXPECTED)) {
    for (const operation of ['fetch', 'push'] as const) {
      for (const visibility of ['public', 'private'] as const) {
        const token = people[who]?.token;
        const as = token === undefined ? {} : { as: { token } };
        const got = await statuses(forge, { operation, repository: `ada/${visibility}`, ...as });
        const expected = operations[operation][visibility];
        assert.deepEqual(got, [expected, expected], `${who} ${operation} ${visibility}`);
      }
    }
  }
});

test('A1: a token grants the same access in every form that git can send', async (t) => {
  const { forge, owner, people } = await stage(t);
  const reading = await owner.tokenFor(['read:repository']);
  const basic = (name: string, password: string) =>
    `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  const forms: Record<string, string> = {
    token: `token ${reading}`,
    bearer: `Bearer ${reading}`,
    'as password': basic('ada', reading),
    'as password with any name': basic('anyone', reading),
    'as name': basic(reading, ''),
    'as name with a fixed password': basic(reading, 'x-oauth-basic'),
  };
  for (const [form, authorization] of Object.entries(forms)) {
    const statusOf = async (service: string) =>
      (await sendGit(forge.url, `ada/private/info/refs?service=${service}`, { headers: { authorization } }))
        .status;
    assert.deepEqual(
      [await statusOf('git-upload-pack'), await statusOf('git-receive-pack')],
      [200, 403],
      form,
    );
  }
  const byPassword = { name: 'ada', password: people.owner?.password ?? '' };
  assert.deepEqual(
    await statuses(forge, { operation: 'push', repository: 'ada/private', as: byPassword }),
    [200, 200],
  );
});

test('a token grants over git exactly its scopes', async (t) => {
  const { forge, owner } = await stage(t);
  for (const [scopes, fetch, push] of [
    [['read:repository'], 200, 403],
    [['write:repository'], 200, 200],
    [['all'], 200, 200],
    [['write:user', 'write:issue', 'read:misc'], 403, 403],
  ] as const) {
    const as = { token: await owner.tokenFor(scopes) };
    for (const repository of ['ada/public', 'ada/private']) {
      const got = [
        await statuses(forge, { operation: 'fetch', repository, as }),
        await statuses(forge, { operation: 'push', repository, as }),
      ];
      assert.deepEqual(
        got,
        [
          [fetch, fetch],
          [push, push],
        ],
        `${scopes.join(',')} ${repository}`,
      );
    }
  }
});

test("A4: a public-only token sees no private repository, not even its owner's", async (t) => {
  const { forge, owner } = await stage(t);
  for (const person of [owner, forge.root]) {
    const as = { token: await person.tokenFor(['write:repository', 'public-only']) };
    for (const operation of ['fetch', 'push'] as const) {
      // With such a token, an administrator has the permissions of an ordinary user.
      const may = operation === 'fetch' || person === owner ? 200 : 403;
      assert.deepEqual(await statuses(forge, { operation, repository: 'ada/public', as }), [may, may]);
      assert.deepEqual(await statuses(forge, { operation, repository: 'ada/private', as }), [404, 404]);
    }
  }
});

test('B3: the service that a caller names in the query does not change what a push needs', async (t) => {
  const { forge, people } = await stage(t);
  const as = { token: people.read?.token ?? '' };
  for (const repository of ['ada/public', 'ada/private']) {
    const answer = await sendGit(forge.url, `${repository}/git-receive-pack?service=git-upload-pack`, {
      as,
      body: Buffer.from(FLUSH),
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    });
    assert.equal(answer.status, 403);
  }
  for (const query of [
    'service=git-receive-pack&service=git-upload-pack',
    'service=git-upload-pack&service=git-receive-pack',
  ]) {
    const answer = await sendGit(forge.url, `ada/public/info/refs?${query}`, { as });
    const contentType = answer.headers.get('content-type') ?? '';
    assert.ok(!contentType.includes('receive-pack'), `${query}: ${answer.status} ${contentType}`);
  }
});

test('a wrong password returns 401 and reveals nothing about the repository', async (t) => {
  const { forge } = await stage(t);
  for (const as of [{ name: 'ada', password: 'wrong' }, { token: 'ab'.repeat(20) }]) {
    for (const repository of ['ada/public', 'ada/private', 'ada/none']) {
      assert.deepEqual(await statuses(forge, { operation: 'fetch', repository, as }), [401, 401], repository);
    }
  }
});

test('A11: disabling an account ends its access to git at once', async (t) => {
  const { forge, people, work } = await stage(t);
  const writer = people.write;
  assert.ok(writer);
  const remote = writer.remote('ada/private');
  assert.equal((await refsOf(work, remote)).length, 1);
  const shut = { login_name: writer.name, source_id: 0, prohibit_login: true };
  assert.equal((await forge.root.patch(`/api/v1/admin/users/${writer.name}`, shut)).status, 200);
  const as = { token: writer.token };
  assert.deepEqual(await statuses(forge, { operation: 'fetch', repository: 'ada/private', as }), [403, 403]);
  assert.deepEqual(await statuses(forge, { operation: 'push', repository: 'ada/public', as }), [403, 403]);
});

test('where there are pull requests, readers may begin a push, but move no branch', async (t) => {
  const { forge, owner, people, work } = await stage(t);
  await owner.patch('/api/v1/repos/ada/public', { has_pull_requests: true });
  for (const who of ['stranger', 'read']) {
    const as = { token: people[who]?.token ?? '' };
    const operation = 'push' as const;
    assert.deepEqual(await statuses(forge, { operation, repository: 'ada/public', as }), [200, 200]);
    const pushed = await tryGit(work, ['push', people[who]?.remote('ada/public') ?? '', 'main:other']);
    assert.match(
      pushed.stderr,
      /\[remote rejected\] main -> other \(you may read this repository, but not push/,
    );
  }
  assert.deepEqual(await statuses(forge, { operation: 'push', repository: 'ada/public' }), [401, 401]);
  assert.equal((await refsOf(work, owner.remote('ada/public'))).length, 1);
});

test("git prints the server's message when a reader pushes", async (t) => {
  const { people, work } = await stage(t);
  const pushed = await tryGit(work, ['push', people.read?.remote('ada/public') ?? '', 'main:other']);
  assert.notEqual(pushed.exitCode, 0);
  assert.match(pushed.stderr, /you may read this repository, but not push to it/);
  const unseen = await tryGit(work, ['push', people.stranger?.remote('ada/private') ?? '', 'main:other']);
  assert.match(unseen.stderr, /Repository not found/);
});

test('a removed collaborator can neither fetch nor push', async (t) => {
  const { forge, owner, people, work } = await stage(t);
  const { token = '' } = people.write ?? {};
  assert.equal((await owner.delete('/api/v1/repos/ada/private/collaborators/may-write')).status, 204);
  const as = { token };
  assert.deepEqual(await statuses(forge, { operation: 'fetch', repository: 'ada/private', as }), [404, 404]);
  assert.deepEqual(await statuses(forge, { operation: 'push', repository: 'ada/private', as }), [404, 404]);
  assert.notEqual((await tryGit(work, ['ls-remote', people.write?.remote('ada/private') ?? ''])).exitCode, 0);
});
