import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINK_LIMITS } from '../../../src/people/account-links/limits.ts';
import { EMAIL_CHANGE_LIMITS } from '../../../src/people/email-changes/limits.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { ageLinks, pathIn, startAccounts } from '../account-links/accounts-by-mail.ts';

const EMAILS = '/api/v1/user/emails';
const FORM = '/user/settings/account/emails';

/** Lists the addresses of a user: `p` primary, `v` verified. */
async function addresses(who: Person): Promise<readonly string[]> {
  const { body } = await who.get(EMAILS);
  return body.map(
    ({ email, primary, verified }: { email: string; primary: boolean; verified: boolean }) =>
      `${email} ${primary ? 'p' : ''}${verified ? 'v' : ''}`,
  );
}

test('an address that a user adds is verified by the link that was sent to it', async (t) => {
  const { forge, mails } = await startAccounts(t);
  const ada = await forge.account('ada');
  const added = await ada.post(EMAILS, { emails: ['Work@example.org'] });
  assert.equal(added.status, 201);
  assert.deepEqual(await addresses(ada), ['ada@example.org pv', 'Work@example.org ']);
  const [mail] = await mails();
  assert.deepEqual(
    mail?.to?.map(({ address }) => address),
    ['Work@example.org'],
  );
  const path = pathIn(mail ?? assert.fail('no mail'), forge);
  const stranger = new PageReader(forge);
  assert.match((await stranger.get(path)).text, /Confirm the address/);
  assert.deepEqual(
    await addresses(ada),
    ['ada@example.org pv', 'Work@example.org '],
    'a GET changes nothing',
  );
  assert.equal((await stranger.post(path, {})).status, 200);
  assert.deepEqual(await addresses(ada), ['ada@example.org pv', 'Work@example.org v']);
  assert.equal((await stranger.post(path, {})).status, 404);
});

test('A10: a link to an added address ends with the address, with the password, and after its time', async (t) => {
  const { forge, link, mails } = await startAccounts(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  const ends = async (change: () => Promise<unknown>) => {
    await ada.post(EMAILS, { emails: ['work@example.org'] });
    const path = await link();
    await change();
    assert.equal((await reader.post(path, {})).status, 404);
    await ada.delete(EMAILS, { emails: ['work@example.org'] });
    await mails();
  };
  await ends(() => ada.delete(EMAILS, { emails: ['work@example.org'] }));
  await ends(() => ageLinks(forge, LINK_LIMITS.confirmEmailMs));
  await ends(() => forge.root.patch('/api/v1/admin/users/ada', { password: 'another password' }));
});

test('an address is verified for one account at most, and claims of others have no effect', async (t) => {
  const { forge, mails } = await startAccounts(t);
  const [ada, eve] = [await forge.account('ada'), await forge.account('eve')];
  await eve.post(EMAILS, { emails: ['work@example.org'] });
  const [toEve] = await mails();
  await ada.post(EMAILS, { emails: ['work@example.org'] });
  const [toAda] = await mails();
  assert.ok(toEve !== undefined && toAda !== undefined);
  const reader = new PageReader(forge);
  assert.equal((await reader.post(pathIn(toAda, forge), {})).status, 200);
  const late = await reader.post(pathIn(toEve, forge), {});
  assert.equal(late.status, 422);
  assert.match(late.text, /Another account has this e-mail address/);
  assert.deepEqual(await addresses(ada), ['ada@example.org pv', 'work@example.org v']);
  assert.deepEqual(await addresses(eve), ['eve@example.org pv', 'work@example.org ']);
  const taken = await forge.root.patch('/api/v1/admin/users/eve', { email: 'work@example.org' });
  assert.equal(taken.status, 422);
});

test('of two accounts that confirm one address at the same time, one gets it', async (t) => {
  const { forge, mails } = await startAccounts(t);
  const people = [await forge.account('ada'), await forge.account('eve')];
  for (const each of people) await each.post(EMAILS, { emails: ['work@example.org'] });
  const paths = (await mails()).map((mail) => pathIn(mail, forge));
  const answers = await Promise.all(paths.map((path) => new PageReader(forge).post(path, {})));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422]);
});

test('a user makes a confirmed address the primary one, and the former address can take the account back', async (t) => {
  const { forge, link, mails } = await startAccounts(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  await reader.post(FORM, { change: 'add', email: 'work@example.org' });
  const early = await reader.post(FORM, { change: 'primary', email: 'work@example.org' });
  assert.equal(early.status, 422);
  assert.match(early.text, /Confirm the address first/);
  await reader.post(await link(), {});
  assert.equal((await reader.post(FORM, { change: 'primary', email: 'WORK@example.org' })).status, 303);
  assert.deepEqual(await addresses(ada), ['work@example.org pv', 'ada@example.org v']);
  assert.equal((await ada.get('/api/v1/user')).body.email, 'work@example.org');
  const [mail] = await mails();
  assert.deepEqual(
    mail?.to?.map(({ address }) => address),
    ['ada@example.org'],
  );
  const undo = pathIn(mail ?? assert.fail('no mail'), forge);

  // A thief of the account changes the password, and removes the address.
  assert.equal((await reader.post(FORM, { change: 'remove', email: 'ada@example.org' })).status, 303);
  const typed = { current: ada.password, password: 'a password of a thief' };
  assert.equal((await reader.post('/user/settings/account/password', typed)).status, 303);
  await mails();

  const owner = new PageReader(forge);
  assert.equal((await owner.get(undo)).status, 200);
  assert.equal((await owner.post(undo, {})).status, 200);
  assert.equal((await ada.get('/api/v1/user')).status, 401, 'all tokens are deleted');
  const { body } = await forge.root.get('/api/v1/admin/users/ada/emails');
  assert.deepEqual(
    body.map(({ email, primary }: { email: string; primary: boolean }) => [email, primary]),
    [['ada@example.org', true]],
  );
  assert.equal((await reader.get('/user/settings/account')).status, 303, 'the thief is signed out');
  await assert.rejects(reader.signIn({ name: 'ada', password: typed.password }));
  const [restored] = await mails();
  assert.match(restored?.subject ?? '', /^You have ada at .+ back$/);
  assert.equal((await owner.post(undo, {})).status, 404);
  await owner.post('/user/forgot_password', { email: 'ada@example.org' });
  assert.equal((await owner.post(await link(), { password: 'my own new one' })).status, 200);
  await owner.signIn({ name: 'ada', password: 'my own new one' });
});

test('A10: a later link cannot undo what an earlier one has undone, and an administrator ends them all', async (t) => {
  const { forge, mails } = await startAccounts(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const undos: string[] = [];
  const change = async (email: string) => {
    await reader.post(FORM, { change: 'add', email });
    await forge.root.post('/api/v1/admin/users/ada/emails/verify', { email });
    await mails();
    assert.equal((await reader.post(FORM, { change: 'primary', email })).status, 303);
    const [mail] = await mails();
    undos.push(pathIn(mail ?? assert.fail('no mail'), forge));
  };
  await change('b@example.org');
  await change('c@example.org');
  const [first = '', second = ''] = undos;
  assert.equal((await reader.post(first, {})).status, 200);
  assert.equal((await reader.get(second)).status, 404);
  assert.equal((await forge.root.patch('/api/v1/admin/users/ada', { password: ada.password })).status, 200);
  await mails();
  await reader.signIn(ada);
  await change('d@example.org');
  await forge.root.patch('/api/v1/admin/users/ada', { email: 'e@example.org' });
  assert.equal((await reader.get(undos.at(-1) ?? '')).status, 404);
  assert.equal((await forge.root.get('/api/v1/users/ada')).body.email, 'e@example.org');
});

test('a user asks for the link again, as often as the limit allows', async (t) => {
  const { forge, mails } = await startAccounts(t);
  const ada = await forge.account('ada');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  await reader.post(FORM, { change: 'add', email: 'work@example.org' });
  const { confirmationsPerAccountMax } = EMAIL_CHANGE_LIMITS;
  for (let count = 1; count < confirmationsPerAccountMax; count += 1)
    assert.equal((await reader.post(FORM, { change: 'resend', email: 'work@example.org' })).status, 303);
  const refused = await reader.post(FORM, { change: 'resend', email: 'work@example.org' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /too many links/);
  assert.equal((await mails()).length, LINK_LIMITS.linksPerAddressMax, 'an address gets only some of them');
  assert.equal((await reader.post(FORM, { change: 'resend', email: 'ada@example.org' })).status, 422);
  assert.equal((await reader.post(FORM, { change: 'resend', email: 'no@example.org' })).status, 404);
});

test('without mail, an administrator verifies an address', async (t) => {
  const forge = await startForge(t);
  const [ada, eve] = [await forge.account('ada'), await forge.account('eve')];
  await ada.post(EMAILS, { emails: ['work@example.org'] });
  const url = '/api/v1/admin/users/ada/emails/verify';
  assert.equal((await eve.post(url, { email: 'work@example.org' })).status, 403);
  assert.equal((await forge.root.post(url, { email: 'no@example.org' })).status, 404);
  assert.equal((await forge.root.post(url, { email: ['work@example.org'] })).status, 422);
  assert.equal((await forge.root.post(url, { email: 'work@example.org' })).status, 204);
  assert.deepEqual(await addresses(ada), ['ada@example.org pv', 'work@example.org v']);
  await eve.post(EMAILS, { emails: ['work@example.org'] });
  const ofEve = '/api/v1/admin/users/eve/emails/verify';
  assert.equal((await forge.root.post(ofEve, { email: 'work@example.org' })).status, 422);
});
