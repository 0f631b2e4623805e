import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { pathIn, startAccounts } from '../account-links/accounts-by-mail.ts';

const INVITATIONS = '/api/v1/admin/invitations';
const PASSWORD = 'correct horse battery';

test('an invited person chooses a name and a password, and joins the team', async (t) => {
  const { forge, mails } = await startAccounts(t, { signUp: 'invitation' });
  const ada = await forge.account('ada');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const team = await ada.post('/api/v1/orgs/guild/teams', {
    name: 'writers',
    permission: 'write',
    units: ['repo.code'],
  });
  assert.equal(team.status, 201, team.text);
  const made = await forge.root.post(INVITATIONS, { email: 'ben@Example.org', team_id: team.body.id });
  assert.equal(made.status, 201, made.text);
  assert.equal(made.body.email, 'ben@example.org');
  const [mail] = await mails();
  const path = pathIn(mail ?? assert.fail('no mail'), forge);
  assert.equal(made.body.url, `${forge.url}${path}`);
  const listed = await forge.root.get(INVITATIONS);
  assert.deepEqual(
    listed.body,
    [{ ...made.body, url: undefined }].map(({ url: _, ...rest }) => rest),
  );

  const reader = new PageReader(forge);
  assert.match((await reader.get(path)).text, /ben@example\.org/);
  assert.equal((await reader.post(path, { user_name: 'ada', password: PASSWORD })).status, 422);
  assert.equal((await reader.post(path, { user_name: 'ben', password: 'short' })).status, 422);
  const done = await reader.post(path, { user_name: 'ben', password: PASSWORD });
  assert.equal(done.status, 200, done.text);
  await reader.signIn({ name: 'ben', password: PASSWORD });
  assert.equal((await ada.get(`/api/v1/teams/${team.body.id}/members/ben`)).status, 200);
  assert.equal((await forge.root.get('/api/v1/admin/users/ben/emails')).body[0].verified, true);
  assert.deepEqual((await forge.root.get(INVITATIONS)).body, []);
  assert.equal((await reader.post(path, { user_name: 'eve', password: PASSWORD })).status, 404);
  const kinds = (await eventsOf(forge.forge.running.engines.database, 'invitation.')).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['invitation.created']);
});

test('an invitation that was taken back does not work, and only administrators invite', async (t) => {
  const forge = await startForge(t, { settings: { signUp: 'invitation' } });
  const ada = await forge.account('ada');
  assert.equal((await ada.post(INVITATIONS, { email: 'ben@example.org' })).status, 403);
  assert.equal((await ada.get(INVITATIONS)).status, 403);
  assert.equal((await forge.send('POST', INVITATIONS, { json: { email: 'ben@example.org' } })).status, 401);
  const made = await forge.root.post(INVITATIONS, { email: 'ben@example.org' });
  assert.equal(made.status, 201, made.text);
  const path = made.body.url.slice(forge.url.length);
  assert.equal((await ada.delete(`${INVITATIONS}/${made.body.id}`)).status, 403);
  assert.equal((await forge.root.delete(`${INVITATIONS}/${made.body.id}`)).status, 204);
  assert.equal((await forge.root.delete(`${INVITATIONS}/${made.body.id}`)).status, 404);
  const reader = new PageReader(forge);
  assert.equal((await reader.get(path)).status, 404);
  assert.equal((await reader.post(path, { user_name: 'ben', password: PASSWORD })).status, 404);
});

test('an invitation needs an address that no account has, and a team that exists', async (t) => {
  const forge = await startForge(t, { settings: { signUp: 'invitation' } });
  await forge.account('ada');
  assert.equal((await forge.root.post(INVITATIONS, { email: 'ADA@example.org' })).status, 422);
  assert.equal((await forge.root.post(INVITATIONS, { email: 'no address' })).status, 422);
  assert.equal((await forge.root.post(INVITATIONS, { email: ['b@example.org'] })).status, 422);
  assert.equal((await forge.root.post(INVITATIONS, {})).status, 422);
  const missing = await forge.root.post(INVITATIONS, { email: 'b@example.org', team_id: 999_999 });
  assert.equal(missing.status, 404);
});

test('with invitations alone, the sign-up page is closed', async (t) => {
  const forge = await startForge(t, { settings: { signUp: 'invitation' } });
  assert.equal((await forge.get('/user/sign_up')).status, 403);
});

test('of several people with one invitation, one gets the account', async (t) => {
  const forge = await startForge(t, { settings: { signUp: 'invitation' } });
  const made = await forge.root.post(INVITATIONS, { email: 'ben@example.org' });
  const path = made.body.url.slice(forge.url.length);
  const answers = await Promise.all(
    ['one', 'two', 'three'].map((user_name) =>
      new PageReader(forge).post(path, { user_name, password: PASSWORD }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404]);
});
