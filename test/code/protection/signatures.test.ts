import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PROTECTION_LIMITS } from '../../../src/code/protection/limits.ts';
import type { Person } from '../../support/forge/forge.ts';
import { git } from '../../support/git/git.ts';
import { newOpenPgpPair, signDetached } from '../../support/keys/openpgp.ts';
import { newEd25519, type SshPair, signSsh } from '../../support/keys/ssh-keys.ts';
import { type Sign, SignedWork } from '../verification/world.ts';
import { cloneFor, ENGINE, PROTECTIONS, protect, startEngine } from './world.ts';

const SIGNED = { enable_push: true, require_signed_commits: true };

async function addKey(who: Person, pair: SshPair): Promise<number> {
  const added = await who.post('/api/v1/user/keys', { key: pair.line, title: pair.line.slice(-8) });
  assert.equal(added.status, 201, added.text);
  return added.body.id;
}

/** Starts a forge whose branch `main` requires signatures, with a key of ada. */
async function startSigned(t: TestContext) {
  const { forge, ada, ben } = await startEngine(t);
  const pair = newEd25519();
  const keyId = await addKey(ada, pair);
  const clone = await cloneFor(t, ada);
  await protect(ada, 'main', SIGNED);
  const work = new SignedWork(clone.folder, 'sha1');
  const base = await clone.git('rev-parse', 'HEAD');
  const bySsh: Sign = (payload) => signSsh(pair, payload);
  return { forge, ada, ben, clone, work, base, keyId, bySsh };
}

test('a branch for signed commits takes pushes of verified ones, of several users and of both kinds', async (t) => {
  const { ada, ben, clone, work, base, bySsh } = await startSigned(t);
  const openPgp = await newOpenPgpPair({ emails: ['ben@example.org'] });
  await ben.post('/api/v1/user/gpg_keys', { armored_public_key: openPgp.armored });
  const first = await work.commit(bySsh, { parents: [base] });
  await clone.requireTaken(`${first}:main`);
  const byBen: Sign = (payload) => signDetached(openPgp, payload);
  const second = await work.commit(byBen, { parents: [first], email: 'ben@example.org' });
  const third = await work.commit(bySsh, { parents: [second] });
  await clone.requireTaken(`${third}:main`);
  assert.equal((await ada.get(`${ENGINE}/branches/main`)).body.commit.id, third);
  // A merge of verified commits.
  const side = await work.commit(bySsh, { parents: [first] });
  const merge = await work.commit(bySsh, { parents: [third, side] });
  await clone.requireTaken(`${merge}:main`);
});

test('one commit without a valid signature among others denies the push and names the commit', async (t) => {
  const { forge, clone, work, base, keyId, ada, bySsh } = await startSigned(t);
  const other = newEd25519();
  const stranger: Sign = (payload) => signSsh(other, payload);
  const denied = async (bad: Parameters<SignedWork['commit']>, why: string) => {
    const oid = await work.commit(bad[0], { parents: [base], ...bad[1] });
    const tip = await work.commit(bySsh, { parents: [oid] });
    await clone.requireDenied(
      new RegExp(`only signed commits, and ${oid.slice(0, 10)} ${why}`),
      `${tip}:main`,
    );
    await clone.requireDenied(/only signed commits/, `${oid}:main`);
  };
  await denied([null], 'is not signed');
  await denied([stranger], 'is signed with a key that no user');
  await denied([bySsh, { email: 'ben@example.org' }], 'is signed with a key that no user');
  await denied([bySsh, { tamper: (text) => text.replace('Change', 'Chance') }], 'has a wrong signature');
  await denied([() => 'nonsense'], 'has a signature that cannot be read');

  // An unsigned commit that another branch has already does not enter with a merge, either.
  const side = await work.commit(null, { parents: [base] });
  await clone.requireTaken(`${side}:refs/heads/side`);
  const merge = await work.commit(bySsh, { parents: [base, side] });
  await clone.requireDenied(new RegExp(side.slice(0, 10)), `${merge}:main`);
  assert.equal((await ada.get(`${ENGINE}/branches/main`)).body.commit.id, base);

  const good = await work.commit(bySsh, { parents: [base] });
  await ada.delete(`/api/v1/user/keys/${keyId}`);
  await clone.requireDenied(/is signed with a key that no user/, `${good}:main`);
  const { body } = await forge.get(`${ENGINE}/git/commits/${base}`);
  assert.equal(body.sha, base);
});

test('a new branch for signed commits needs signatures of what no other branch has', async (t) => {
  const { ada, clone, work, base, bySsh } = await startSigned(t);
  await protect(ada, 'release/*', SIGNED);
  await clone.requireTaken(`${base}:refs/heads/release/1`);
  const unsigned = await work.commit(null, { parents: [base] });
  await clone.requireDenied(/is not signed/, `${unsigned}:refs/heads/release/2`);
  const signed = await work.commit(bySsh, { parents: [base] });
  await clone.requireTaken(`${signed}:refs/heads/release/2`);
  const root = await work.commit(bySsh);
  await clone.requireTaken(`${root}:refs/heads/release/3`);
  await ada.delete(`${PROTECTIONS}/main`);
  await clone.requireTaken(`${unsigned}:main`);
});

test('a push of more commits than are verified at once is denied', async (t) => {
  const { clone, work, base, bySsh } = await startSigned(t);
  const person = 'Ada <ada@example.org> 1 +0000';
  const count = PROTECTION_LIMITS.signedCommitsPerPushMax + 1;
  const lines = Array.from(
    { length: count },
    (_, index) =>
      `commit refs/heads/long\nmark :${index + 1}\nauthor ${person}\ncommitter ${person}\ndata 1\nx\n` +
      (index === 0 ? `from ${base}\n` : ''),
  );
  await git(clone.folder, ['fast-import', '--quiet'], { input: `${lines.join('')}done\n` });
  const tip = await work.commit(bySsh, { parents: [await clone.git('rev-parse', 'refs/heads/long')] });
  await clone.requireDenied(/takes at most 1000 new commits at once/, `${tip}:main`);
});

test('a key that is deleted after its signature was verified, but before the refs move, denies the push', async (t) => {
  const { forge, ada, clone, work, base, keyId, bySsh } = await startSigned(t);
  const tip = await work.commit(bySsh, { parents: [base] });
  let deletions = 0;
  forge.stopAfterTest();
  forge.forge.running.services.pushes.refsMoving.subscribe(async () => {
    deletions += 1;
    if (deletions === 1) await ada.delete(`/api/v1/user/keys/${keyId}`);
  });
  await clone.requireDenied(/has changed meanwhile/, `${tip}:main`);
  assert.equal(deletions, 1);
  assert.equal((await ada.get(`${ENGINE}/branches/main`)).body.commit.id, base);
});
