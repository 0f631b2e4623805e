import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { beginCodes, codeOf, withCodes } from '../../support/forge/second-factor.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const DISABLE = '/user/settings/security/two_factor/disable';

/** An organization of Ada, with Ben as a member. */
async function guild(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const { body: team } = await ada.post('/api/v1/orgs/guild/teams', {
    name: 'readers',
    includes_all_repositories: true,
    units: ['repo.code'],
  });
  const add = (name: string, by: Person = ada) => by.put(`/api/v1/teams/${team.id}/members/${name}`);
  assert.equal((await add('ben')).status, 204);
  const require = (required = true) => ada.patch('/api/v1/orgs/guild', { require_second_factor: required });
  return { forge, ada, ben, add, require };
}

test('an organization requires a second factor once all of its members have one', async (t) => {
  const { forge, ada, ben, require } = await guild(t);
  const early = await require();
  assert.deepEqual(
    [early.status, early.body.message],
    [422, 'members without a second factor must set one up or leave first: ada, ben'],
  );
  await withCodes(forge, ada);
  assert.match((await require()).body.message, /: ben$/);
  await withCodes(forge, ben);

  const required = await require();
  assert.deepEqual([required.status, required.body.require_second_factor], [200, true]);
  assert.equal((await forge.get('/api/v1/orgs/guild')).body.require_second_factor, true);
});

test('no user without a second factor becomes a member of an organization that requires one', async (t) => {
  const { forge, ada, ben, add, require } = await guild(t);
  const eve = await forge.account('eve');
  for (const person of [ada, ben]) await withCodes(forge, person);
  assert.equal((await require()).status, 200);

  const denied = await add('eve');
  assert.deepEqual(
    [denied.status, denied.body.message],
    [422, 'the organization requires a second factor, which this user has not set up yet'],
  );
  assert.equal((await ada.get('/api/v1/orgs/guild/members/eve')).status, 404);
  await withCodes(forge, eve);
  assert.equal((await add('eve')).status, 204);
});

test('a user without a second factor creates no organization that requires one', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const fields = { username: 'guild', require_second_factor: true };

  assert.equal((await ada.post('/api/v1/orgs', fields)).status, 422);
  assert.equal((await ada.get('/api/v1/orgs/guild')).status, 404);
  await withCodes(forge, ada);
  assert.equal((await ada.post('/api/v1/orgs', fields)).status, 201);
});

test('a member keeps a second factor as long as the organization requires one', async (t) => {
  const { forge, ada, ben, require } = await guild(t);
  await withCodes(forge, ada);
  const { reader } = await withCodes(forge, ben);
  await require();

  const denied = await reader.post(DISABLE, {});
  assert.equal(denied.status, 409);
  assert.match(
    denied.text,
    /Guild requires a second factor: leave that organization first, or add another factor/,
  );
  await ada.delete('/api/v1/orgs/guild/members/ben');
  assert.equal((await reader.post(DISABLE, {})).status, 303);
  await new PageReader(forge).signIn(ben);
});

test('a member whose second factor was reset sets up another one before anything else', async (t) => {
  const { forge, ada, ben, require } = await guild(t);
  for (const person of [ada, ben]) await withCodes(forge, person);
  await require();
  assert.equal((await forge.root.delete('/api/v1/admin/users/ben/second-factor')).status, 204);

  const reader = new PageReader(forge);
  await reader.signIn(ben);
  assert.equal(
    (await reader.get('/guild')).headers.get('location')?.startsWith('/user/settings/security'),
    true,
  );
  const as = { name: 'ben', password: ben.password };
  assert.equal((await forge.get('/api/v1/orgs/guild', { as })).status, 403);
  const secret = await beginCodes(reader);
  await reader.post('/user/settings/security/two_factor/enroll', { code: codeOf(secret) });
  assert.equal((await reader.get('/guild')).status, 200);
});

test('a requirement and a removal at the same time leave no member without a second factor', async (t) => {
  const { forge, ada, ben, require } = await guild(t);
  await withCodes(forge, ada);
  for (const _ of [1, 2, 3, 4]) {
    const { reader } = await withCodes(forge, ben);
    const [required, removed] = await Promise.all([require(), reader.post(DISABLE, {})]);
    const both = [required.status, removed.status];
    assert.ok([`${[200, 409]}`, `${[422, 303]}`].includes(`${both}`), `${both}`);
    await require(false);
    await reader.post(DISABLE, {});
  }
});
