import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { accountNameProblem, isPossibleAccountName } from '../../../src/people/accounts/names.ts';
import { anyText } from '../../support/any-text.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { passwordOf, ROOT, startWho, type Who } from '../../support/forge/who.ts';

const NEW = { username: 'ada', email: 'ada@example.org', password: 'analytical engine' };

function create(who: Who, json: unknown) {
  return who.send('POST', '/admin/users', { as: ROOT, json });
}

function edit(who: Who, name: string, json: unknown) {
  return who.send('PATCH', `/admin/users/${name}`, { as: ROOT, json });
}

test('an administrator creates an account that can sign in', async (t) => {
  const who = await startWho(t);

  const created = await create(who, {
    ...NEW,
    full_name: 'Ada Lovelace',
    visibility: 'limited',
    restricted: true,
    created_at: '2015-12-10T01:00:00+01:00',
    send_notify: true,
    source_id: 0,
    login_name: 'ada',
  });
  const self = await who.send('GET', '/user', { as: { name: 'ada', password: NEW.password } });

  assert.equal(created.status, 201);
  assert.deepEqual(
    { ...created.body, id: self.body.id },
    { ...self.body, last_login: created.body.last_login, full_name: 'Ada Lovelace', visibility: 'limited' },
  );
  assert.equal(self.body.created, '2015-12-10T00:00:00Z');
  assert.equal(self.body.restricted, true);
  assert.deepEqual(await eventsOf(who.database, 'account.'), [
    { kind: 'account.created', actor: null, name: 'root' },
    { kind: 'account.created', actor: 'root', name: 'ada' },
  ]);
});

test('user names and e-mail addresses are unique regardless of case', async (t) => {
  const who = await startWho(t);
  await create(who, NEW);

  const name = await create(who, { ...NEW, username: 'ADA', email: 'other@example.org' });
  const email = await create(who, { ...NEW, username: 'other', email: 'Ada@Example.ORG' });

  assert.equal(name.status, 422);
  assert.match(name.body.message, /user already exists/);
  assert.equal(email.status, 422);
  assert.match(email.body.message, /e-mail already in use/);
});

test('of many concurrent creations with one name, one succeeds', async (t) => {
  const who = await startWho(t);
  const created = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      create(who, { ...NEW, username: i % 2 ? 'ada' : 'Ada', email: `${i}@example.org` }),
    ),
  );

  const statuses = created.map((answer) => answer.status).sort();

  assert.deepEqual(statuses, [201, 422, 422, 422, 422, 422]);
  const { id, login } = created.find((answer) => answer.status === 201)?.body ?? {};
  const { items } = await who.accounts.listUsers('operator', { page: 1, limit: 50 });
  assert.deepEqual(
    items.filter(({ name }) => name !== 'root').map((account) => [account.id, account.name]),
    [[id, login]],
  );
});

test('G3: an invalid field of a new account is rejected', async (t) => {
  const who = await startWho(t);
  const invalid: Record<string, [status: number, body: unknown]> = {
    'a missing name': [422, { ...NEW, username: undefined }],
    'a missing e-mail address': [422, { ...NEW, email: undefined }],
    'a list as a name': [422, { ...NEW, username: ['ada'] }],
    'a number as a name': [422, { ...NEW, username: 1 }],
    'a string as a flag': [422, { ...NEW, restricted: 'true' }],
    'a string as the body': [422, 'ada'],
    'NUL in a name': [422, { ...NEW, username: 'a\0da' }],
    'NUL in a full name': [422, { ...NEW, full_name: 'a\0' }],
    'a line break in a full name': [422, { ...NEW, full_name: 'Ada\nauthor Eve <eve@example.org>' }],
    'an invalid e-mail address': [422, { ...NEW, email: 'ada' }],
    'an e-mail address that would end the identity in a commit': [422, { ...NEW, email: 'a>@example.org' }],
    'a long full name': [422, { ...NEW, full_name: 'x'.repeat(256) }],
    'an unknown visibility': [422, { ...NEW, visibility: 'secret' }],
    'an invalid time': [422, { ...NEW, created_at: 'yesterday' }],
    'an unknown authentication source': [422, { ...NEW, source_id: 7 }],
    'a short password': [400, { ...NEW, password: '1234567' }],
    'a long password': [400, { ...NEW, password: 'x'.repeat(1025) }],
  };
  for (const [what, [status, body]] of Object.entries(invalid)) {
    assert.equal((await create(who, body)).status, status, what);
  }
  assert.equal((await who.accounts.listUsers('operator', { page: 1, limit: 50 })).total, 1);
});

test('only administrators create, change and delete accounts', async (t) => {
  const who = await startWho(t);
  await who.account('ben');
  const cases = [
    ['POST', '/admin/users', NEW],
    ['PATCH', '/admin/users/ben', { full_name: 'B' }],
    ['DELETE', '/admin/users/ben', undefined],
  ] as const;
  for (const [method, path, json] of cases) {
    const byAnyone = await who.send(method, path, { json });
    const byBen = await who.send(method, path, { json, as: passwordOf('ben') });
    const as = { token: await who.token('root', ['write:user', 'read:admin']) };
    const byNarrowToken = await who.send(method, path, { json, as });

    assert.deepEqual([byAnyone.status, byBen.status, byNarrowToken.status], [401, 403, 403], path);
  }
  const { items } = await who.accounts.listUsers('operator', { page: 1, limit: 50 });
  assert.deepEqual(items.map(({ name, fullName }) => [name, fullName]).sort(), [
    ['ben', ''],
    ['root', ''],
  ]);
});

const CHANGE = {
  full_name: 'Ben',
  website: 'https://example.org/ben',
  location: 'here',
  description: 'first line\nsecond line',
  pronouns: 'he/him',
  visibility: 'private',
  hide_email: true,
  email: 'new@example.org',
  restricted: true,
  admin: false,
  active: true,
  login_name: 'x',
  source_id: 0,
  allow_git_hook: true,
  allow_import_local: true,
  max_repo_creation: -1,
};

test('an administrator changes fields of an account; absent and null fields stay the same', async (t) => {
  const who = await startWho(t);
  await who.account('ben');

  const { status, body } = await edit(who, 'ben', CHANGE);
  const same = await edit(who, 'ben', { full_name: 'Ben', website: null });

  assert.equal(status, 200);
  const { full_name, website, location, description, pronouns, visibility, email, restricted } = CHANGE;
  const expected = { full_name, website, location, description, pronouns, visibility, email, restricted };
  assert.deepEqual({ ...body, ...expected }, body);
  assert.deepEqual([same.status, same.body.website], [200, website]);
});

test('an event of an account change lists exactly the changed fields', async (t) => {
  const who = await startWho(t);
  await who.account('ben');

  await edit(who, 'ben', CHANGE);
  await edit(who, 'ben', { full_name: 'Ben', website: null });

  assert.deepEqual(
    (await eventsOf(who.database, 'account.changed')).map((event) => event.changed?.toSorted()),
    [
      [
        'description',
        'email',
        'fullName',
        'isRestricted',
        'keepsEmailPrivate',
        'location',
        'pronouns',
        'visibility',
        'website',
      ],
    ],
  );
});

test('an invalid change is rejected as a whole', async (t) => {
  const who = await startWho(t);
  await who.account('ben');
  await who.account('ada');
  const invalid: Record<string, [status: number, change: unknown]> = {
    "another account's e-mail address": [422, { full_name: 'B', email: 'ADA@example.org' }],
    'a website that runs a script': [422, { full_name: 'B', website: 'javascript:alert(1)' }],
    'a short password': [400, { full_name: 'B', password: 'short' }],
    'a list as a flag': [422, { full_name: 'B', active: [false] }],
    'an unknown authentication source': [422, { full_name: 'B', source_id: 1 }],
    'an unsupported limit': [422, { full_name: 'B', max_repo_creation: 3 }],
    'a string as a limit': [422, { full_name: 'B', max_repo_creation: '-1' }],
    'a number as a login name': [422, { full_name: 'B', login_name: 1 }],
  };
  for (const [what, [status, change]] of Object.entries(invalid)) {
    assert.equal((await edit(who, 'ben', change)).status, status, what);
  }
  assert.equal((await who.accounts.findByName('ben'))?.fullName, '');
  assert.equal((await edit(who, 'missing', {})).status, 404);
});

test('a new password replaces the old one at once, even in the credential cache', async (t) => {
  const who = await startWho(t);
  await who.account('ben');
  assert.equal((await who.send('GET', '/user', { as: passwordOf('ben') })).status, 200);

  await edit(who, 'ben', { password: 'something else' });

  assert.equal((await who.send('GET', '/user', { as: passwordOf('ben') })).status, 401);
  const withNew = await who.send('GET', '/user', { as: { name: 'ben', password: 'something else' } });
  assert.equal(withNew.status, 200);
});

test('at least one administrator who can sign in always remains', async (t) => {
  const who = await startWho(t);
  await who.account('ben', { isAdmin: true });
  await edit(who, 'ben', { active: false });

  for (const change of [{ admin: false }, { active: false }, { prohibit_login: true }]) {
    assert.equal((await edit(who, 'root', change)).status, 422, JSON.stringify(change));
  }
  await edit(who, 'ben', { active: true });
  const [first, second] = await Promise.all([
    edit(who, 'root', { admin: false }),
    who.send('PATCH', '/admin/users/ben', { as: passwordOf('ben'), json: { admin: false } }),
  ]);

  // The later request is rejected, because it would remove the last administrator.
  assert.equal([first, second].filter((answer) => answer.status === 200).length, 1);
  const { items } = await who.accounts.listUsers('operator', { page: 1, limit: 50 });
  assert.equal(items.filter((account) => account.isAdmin).length, 1);
});

test('deleting an account deletes its tokens and collaborations', async (t) => {
  const who = await startWho(t);
  const ben = await who.account('ben');
  const token = await who.token('ben');

  const deleted = await who.send('DELETE', '/admin/users/BEN', { as: ROOT });

  assert.equal(deleted.status, 204);
  assert.equal(deleted.text, '');
  assert.equal((await who.send('GET', '/users/ben')).status, 404);
  assert.equal((await who.send('GET', '/user', { as: { token } })).status, 401);
  assert.equal((await who.send('GET', '/user', { as: passwordOf('ben') })).status, 401);
  assert.deepEqual(
    await who.database.reader.selectFrom('tokens').select('id').where('account_id', '=', ben.id).execute(),
    [],
  );
  assert.deepEqual(await eventsOf(who.database, 'account.deleted'), [
    { kind: 'account.deleted', actor: 'root', name: 'ben' },
  ]);
});

test("deleting one's own account, an owner of a repository or an organization is rejected", async (t) => {
  const who = await startWho(t);
  const ada = await who.account('ada');
  await insertRepository(who, ada.id);
  await insertOrganization(who, 'guild');

  for (const name of ['root', 'ada', 'guild']) {
    const answer = await who.send('DELETE', `/admin/users/${name}`, { as: ROOT });

    assert.equal(answer.status, 422, name);
    assert.notEqual(await who.accounts.findByName(name), undefined);
  }
});

const FIRST = { name: 'root', email: 'root@localhost' };

async function removeAllAccounts({ database }: Who): Promise<void> {
  await database.transaction(async (tx) => void (await tx.deleteFrom('accounts').execute()));
}

test('concurrent starts create the first administrator once', async (t) => {
  const who = await startWho(t);
  await removeAllAccounts(who);

  const starts = [1, 2, 3].map(async () => {
    const shown: string[] = [];
    const showPassword = async (password: string) => void shown.push(password);
    const created = await who.accounts.ensureFirstAdministrator({ ...FIRST, showPassword });
    return { created, shown };
  });
  const winners = (await Promise.all(starts)).filter(({ created }) => created !== undefined);

  assert.equal(winners.length, 1);
  const [password = ''] = winners[0]?.shown ?? [];
  assert.match(password, /^[A-Za-z0-9]{20}$/);
  const as = { name: 'root', password };
  assert.equal((await who.send('GET', '/user', { as })).body.is_admin, true);
  const showPassword = () => assert.fail('there is nothing to show');
  assert.equal(await who.accounts.ensureFirstAdministrator({ ...FIRST, showPassword }), undefined);
});

test('the first administrator is not created if its password cannot be shown', async (t) => {
  const who = await startWho(t);
  await removeAllAccounts(who);
  const showPassword = () => Promise.reject(new Error('no reader'));
  await assert.rejects(who.accounts.ensureFirstAdministrator({ ...FIRST, showPassword }), /no reader/);
  assert.equal(await who.accounts.findByName('root'), undefined);
});

test('C1: account names are plain path segments and not reserved', () => {
  const good = ['a', 'A1', 'ada-lovelace', 'a.b', 'a_b', 'x'.repeat(40), 'root', '0'];
  const bad = [
    ...[
      '',
      '-',
      '.',
      '..',
      'a..b',
      'a--b',
      'a-_b',
      '-a',
      'a-',
      '.git',
      'a/b',
      'a\\b',
      'a b',
      'a\n',
      'ä',
      'a\u200b',
    ],
    ...[
      'x'.repeat(41),
      'api',
      'API',
      'Admin',
      'user',
      'ghost',
      'index.php',
      'swagger',
      'notes-api',
      'healthz',
    ],
    ...['a.keys', 'a.GPG', 'a.rss', 'a.atom', 'a.png', '__proto__', 'a\0b', '%2e%2e'],
  ];
  assert.deepEqual(
    good.map(accountNameProblem).filter((problem) => problem !== undefined),
    [],
  );
  assert.deepEqual(
    bad.filter((name) => accountNameProblem(name) === undefined),
    [],
  );
});

test('C1: every accepted account name is a plain path segment', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.string({ unit: fc.constantFrom(...'aA0-_./\\%') })), (name) => {
      if (accountNameProblem(name) !== undefined) return;
      assert.equal(isPossibleAccountName(name), true);
      assert.equal(encodeURIComponent(name), name);
      assert.match(name, /^[A-Za-z0-9]/);
    }),
    { numRuns: 2000 },
  );
});

async function insertRepository(who: Who, ownerId: number): Promise<void> {
  await who.database.transaction(async (tx) => {
    await tx
      .insertInto('git_repositories')
      .values({ id: 1, object_format: 'sha1', head: 'refs/heads/main', staged: null })
      .execute();
    await tx
      .insertInto('repositories')
      .values({
        id: 1,
        owner_id: ownerId,
        name: 'engine',
        lower_name: 'engine',
        is_private: 0,
        archived_at: null,
        created_at: 0,
        updated_at: 0,
      })
      .execute();
  });
}

async function insertOrganization(who: Who, name: string): Promise<void> {
  await who.database.transaction(async (tx) => {
    await tx
      .insertInto('accounts')
      .values({
        kind: 'organization',
        name,
        lower_name: name,
        full_name: '',
        email: '',
        lower_email: null,
        password_hash: null,
        created_at: 0,
        updated_at: 0,
        last_login_at: null,
      })
      .execute();
  });
}

test('an administrator marks a password for change, and removes the mark', async (t) => {
  const who = await startWho(t);
  await who.account('ben', { mustChangePassword: true });
  const statusOf = async () => (await who.send('GET', '/user', { as: passwordOf('ben') })).status;

  assert.equal(await statusOf(), 403);
  await edit(who, 'ben', { must_change_password: false });
  assert.equal(await statusOf(), 200);
  await edit(who, 'ben', { must_change_password: true });
  assert.equal(await statusOf(), 403);
});

test('a change applies to the account found at the start, even if another account takes its name', async (t) => {
  const who = await startWho(t);
  const ben = await who.account('ben');
  const hash = who.hashing.hash.bind(who.hashing);
  who.hashing.hash = async (password) => {
    who.hashing.hash = hash;
    await who.accounts.renameUser('operator', 'ben', 'benno');
    await who.account('ben', { email: 'another@example.org' });
    return hash(password);
  };

  const edited = await edit(who, 'ben', { password: 'the new one', full_name: 'Ben' });

  assert.deepEqual([edited.status, edited.body.id, edited.body.login], [200, ben.id, 'benno']);
  const as = { name: 'benno', password: 'the new one' };
  assert.equal((await who.send('GET', '/user', { as })).body.full_name, 'Ben');
  assert.equal((await who.send('GET', '/user', { as: passwordOf('ben') })).body.full_name, '');
});
