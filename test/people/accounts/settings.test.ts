import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';

const SETTINGS = '/api/v1/user/settings';
const EMAILS = '/api/v1/user/emails';

test('an account reads and changes its own settings; fields not sent stay the same', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada', { full_name: 'Ada' });
  const before = {
    full_name: 'Ada',
    website: '',
    description: '',
    location: '',
    pronouns: '',
    language: '',
    theme: 'gitea-auto',
    diff_view_style: '',
    enable_repo_unit_hints: true,
    hide_email: false,
    hide_pronouns: false,
    hide_activity: false,
  };
  assert.deepEqual((await ada.get(SETTINGS)).body, before);

  const change = {
    full_name: 'Ada Lovelace',
    website: 'https://example.org/ada',
    description: 'first\nsecond',
    location: 'London',
    pronouns: 'she/her',
    language: 'en-GB',
    theme: 'dark',
    diff_view_style: 'split',
    enable_repo_unit_hints: false,
    hide_email: true,
    hide_pronouns: true,
    hide_activity: true,
  };
  const changed = await ada.send('PATCH', SETTINGS, { json: change });

  assert.deepEqual([changed.status, changed.body], [200, change]);
  assert.deepEqual((await ada.patch(SETTINGS, { location: '' })).body, { ...change, location: '' });
  assert.deepEqual((await ada.get(SETTINGS)).body, { ...change, location: '' });
  assert.equal((await forge.get(SETTINGS)).status, 401);
  assert.equal((await forge.send('PATCH', SETTINGS, { json: {} })).status, 401);
});

test('G3: invalid settings are rejected as a whole', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const invalid: unknown[] = [
    { full_name: 'a\nb' },
    { full_name: 'x'.repeat(256) },
    { website: 'javascript:alert(1)' },
    { language: 'a\0' },
    { theme: ['dark'] },
    { hide_email: 'true' },
    { location: 3 },
    'dark',
  ];
  for (const json of invalid) {
    const answer = await ada.patch(SETTINGS, typeof json === 'object' ? { ...json, pronouns: 'x' } : json);
    assert.equal(answer.status, 422, JSON.stringify(json));
  }
  assert.equal((await ada.get(SETTINGS)).body.pronouns, '');
});

test('a hidden e-mail address appears as a no-reply address, and hidden pronouns only to signed-in callers', async (t) => {
  const forge = await startForge(t, { baseUrl: 'https://forge.example' });
  const [ada, ben] = [await forge.account('Ada'), await forge.account('ben')];
  await ada.patch(SETTINGS, { hide_email: true, hide_pronouns: true, pronouns: 'she/her' });
  const contactOf = async (get: Promise<{ body: { email: string; pronouns: string } }>) => {
    const { email, pronouns } = (await get).body;
    return [email, pronouns];
  };
  const noreply = 'ada@noreply.forge.example';

  assert.deepEqual(await contactOf(ben.get('/api/v1/users/ada')), [noreply, 'she/her']);
  assert.deepEqual(await contactOf(forge.get('/api/v1/users/ada')), [noreply, '']);
  assert.deepEqual(await contactOf(ada.get('/api/v1/user')), ['ada@example.org', 'she/her']);
  assert.deepEqual(await contactOf(forge.root.get('/api/v1/users/ada')), ['ada@example.org', 'she/her']);
  const { body } = await ben.get('/api/v1/users/search?q=ada');
  assert.equal(body.data[0].email, noreply);
});

test('e-mail addresses can be listed, added and removed; the primary one cannot be removed', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = (await ada.get('/api/v1/user')).body;
  const record = (email: string, primary: boolean) => ({
    email,
    primary,
    verified: primary,
    user_id: id,
    username: 'ada',
  });

  const added = await ada.post(EMAILS, { emails: ['Ada@Example.com', 'al@example.net'] });

  assert.equal(added.status, 201);
  assert.deepEqual(added.body, [
    record('ada@example.org', true),
    record('Ada@Example.com', false),
    record('al@example.net', false),
  ]);
  assert.deepEqual((await ada.get(EMAILS)).body, added.body);
  assert.equal((await ada.delete(EMAILS, { emails: ['ADA@example.com'] })).status, 204);
  assert.equal((await ada.delete(EMAILS, { emails: ['ada@example.com'] })).status, 404);
  assert.equal((await ada.delete(EMAILS, { emails: ['ada@example.org'] })).status, 422);
  assert.equal(
    (await ada.delete(EMAILS, { emails: ['al@example.net', 'x@y'] })).status,
    404,
    'the request removes all addresses or none',
  );
  assert.equal((await ada.get(EMAILS)).body.length, 2);
  assert.equal((await forge.get(EMAILS)).status, 401);
});

test('A15: an address that a user adds locks no user out, and the answer does not show who has it', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const add = async (person: Person, email: string) => {
    const { status, body } = await person.post(EMAILS, { emails: [email] });
    // Addresses that were added within a millisecond are in the order of their letters.
    const added = body.find((each: { email: string }) => each.email === email);
    return [status, added?.email, added?.verified];
  };

  // Free, claimed by another user, and the primary address of another user.
  for (const email of ['free@example.org', 'shared@example.org', 'ben@example.org'])
    assert.deepEqual(await add(ada, email), [201, email, false]);
  assert.deepEqual(await add(ben, 'shared@example.org'), [201, 'shared@example.org', false]);
  const account = { username: 'cleo', email: 'Shared@example.org', password: 'a long password' };
  assert.equal((await forge.root.post('/api/v1/admin/users', account)).status, 201);
  assert.equal(
    (await forge.root.patch('/api/v1/admin/users/root', { email: 'free@example.org' })).status,
    200,
  );
  const taken = await forge.root.patch('/api/v1/admin/users/root', { email: 'ben@example.org' });
  assert.equal(taken.status, 422, 'two accounts cannot have the same primary address');
  assert.deepEqual(await add(ada, 'cleo@example.org'), [201, 'cleo@example.org', false]);
  assert.equal((await ada.get(EMAILS)).body.length, 5);
});

test('addresses are checked, and only a primary address signs in', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.post(EMAILS, { emails: ['shared@example.org'] });
  for (const emails of [
    ['shared@example.org'],
    ['ADA@example.org'],
    [],
    ['no address'],
    [1],
    'a@b',
    ['ok@example.org', 'ada@example.org'],
  ]) {
    assert.equal((await ada.post(EMAILS, { emails })).status, 422, JSON.stringify(emails));
  }
  for (const person of [ada, ben]) {
    const as = { name: 'shared@example.org', password: person.password };
    assert.equal((await forge.send('GET', '/api/v1/user', { as })).status, 401);
  }
});

test('a new primary address replaces the old one, which becomes free', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.post(EMAILS, { emails: ['second@example.org'] });

  await forge.root.patch('/api/v1/admin/users/ada', { email: 'second@example.org' });

  const { body } = await ada.get(EMAILS);
  assert.deepEqual(
    body.map(({ email, primary }: { email: string; primary: boolean }) => [email, primary]),
    [['second@example.org', true]],
  );
  assert.equal((await ben.post(EMAILS, { emails: ['ada@example.org'] })).status, 201);
});

test('administrators find the e-mail addresses of all accounts and remove secondary ones', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.post(EMAILS, { emails: ['second_one@example.com'] });
  const { root } = forge;
  const found = async (path: string) =>
    (await root.get(`/api/v1/admin/${path}`)).body.map(({ email }: { email: string }) => email);

  assert.deepEqual(await found('emails'), ['ada@example.org', 'root@localhost', 'second_one@example.com']);
  assert.deepEqual(await found('emails/search?q=D_O'), ['second_one@example.com']);
  assert.deepEqual(await found('emails/search?q=%25'), []);
  assert.deepEqual(await found('emails?limit=1&page=3'), ['second_one@example.com']);
  assert.deepEqual(await found('users/ada/emails'), ['ada@example.org', 'second_one@example.com']);
  const remove = (emails: unknown) => root.delete('/api/v1/admin/users/ada/emails', { emails });
  assert.equal((await remove(['second_one@example.com'])).status, 204);
  assert.equal((await remove(['ada@example.org'])).status, 422);
  assert.equal((await ada.get('/api/v1/admin/emails')).status, 403);
  assert.equal((await ada.get('/api/v1/admin/users/ada/emails')).status, 403);
});
