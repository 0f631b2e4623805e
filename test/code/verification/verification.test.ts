import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { newOpenPgpPair, signDetached } from '../../support/keys/openpgp.ts';
import { allKinds, newEd25519, type SshPair, signSsh } from '../../support/keys/ssh-keys.ts';
import { until } from '../../support/until.ts';
import { notVerified, type Sign, signedWork, verified } from './world.ts';

const LOOM = '/api/v1/repos/ada/loom';
const DAY_MS = 24 * 60 * 60_000;

const bySsh =
  (pair: SshPair): Sign =>
  (payload) =>
    signSsh(pair, payload);

async function addSsh(who: Person, pair: SshPair, title = 'loom') {
  const added = await who.post('/api/v1/user/keys', { key: pair.line, title });
  assert.equal(added.status, 201, added.text);
  return added.body as { id: number; fingerprint: string };
}

async function addOpenPgp(who: Person, armored: string, signature?: string) {
  const added = await who.post('/api/v1/user/gpg_keys', {
    armored_public_key: armored,
    armored_signature: signature,
  });
  assert.equal(added.status, 201, added.text);
  return added.body as { id: number; key_id: string; subkeys: { key_id: string }[] };
}

/** Starts a forge with ada's repository, in which the test makes commits. */
async function startLoom(t: TestContext, objectFormat: 'sha1' | 'sha256' = 'sha1') {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('loom', { object_format_name: objectFormat });
  const work = await signedWork(t, objectFormat);
  const stateOf = async (oid: string, who: { get: Person['get'] } = forge) => {
    const { status, body, text } = await who.get(`${LOOM}/git/commits/${oid}?stat=false&files=false`);
    assert.equal(status, 200, text);
    const { payload: _, signature: __, ...state } = body.commit.verification;
    return state;
  };
  /** Pushes a commit and returns what the API says about its signature. */
  const pushed = async (...args: Parameters<typeof work.commit>) => {
    const oid = await work.commit(...args);
    await work.push(ada, 'ada/loom', `${oid}:refs/heads/main`);
    return { oid, state: await stateOf(oid) };
  };
  return { forge, ada, ben, work, stateOf, pushed };
}

for (const format of ['sha1', 'sha256'] as const) {
  test(`a ${format} commit or tag with a signature by a key of its committer or tagger is verified`, async (t) => {
    const { forge, ada, work } = await startLoom(t, format);
    const ssh = newEd25519();
    const { fingerprint } = await addSsh(ada, ssh);
    const openPgp = await newOpenPgpPair();
    const { key_id: keyId } = await addOpenPgp(ada, openPgp.armored);
    for (const [sign, key] of [
      [bySsh(ssh), fingerprint],
      [(payload: string) => signDetached(openPgp, payload), keyId],
    ] as const) {
      const signed: { payload: string; text: string }[] = [];
      const noted: Sign = async (payload) => {
        const text = await sign(payload);
        signed.push({ payload, text });
        return text;
      };
      const commit = await work.commit(noted);
      const tag = await work.tag(`v${signed.length}`, commit, noted);
      await work.push(ada, 'ada/loom', `${commit}:refs/heads/main`, '--tags');
      const [ofCommit, ofTag] = signed.map(({ payload, text }) => ({
        ...verified('ada', key),
        signature: text,
        payload,
      }));
      const get = async (path: string) => (await forge.get(`${LOOM}/${path}`)).body;
      assert.deepEqual((await get(`git/commits/${commit}`)).commit.verification, ofCommit);
      assert.deepEqual((await get('commits')).at(0).commit.verification, ofCommit);
      assert.deepEqual((await get('branches/main')).commit.verification, ofCommit);
      assert.deepEqual((await get('branches')).at(0).commit.verification, ofCommit);
      assert.deepEqual((await get(`git/tags/${tag}`)).verification, ofTag);
    }
  });
}

test('a comparison verifies its commits, and no response does if it is not asked to', async (t) => {
  const { forge, ada, work } = await startLoom(t);
  const ssh = newEd25519();
  const { fingerprint } = await addSsh(ada, ssh);
  const first = await work.commit(bySsh(ssh));
  const second = await work.commit(bySsh(ssh), { parents: [first] });
  await work.push(ada, 'ada/loom', `${second}:refs/heads/main`, `${first}:refs/heads/old`);
  const of = async (path: string) => (await forge.get(`${LOOM}/${path}`)).body;
  const { verified: isVerified, reason } = (await of('compare/old...main')).commits[0].commit.verification;
  assert.deepEqual([isVerified, reason], [true, `ada / ${fingerprint}`]);
  const query = '?verification=false';
  assert.equal((await of(`compare/old...main${query}`)).commits[0].commit.verification, null);
  assert.equal((await of(`commits${query}`))[0].commit.verification, null);
  assert.equal((await of(`git/commits/${second}${query}`)).commit.verification, null);
});

test('keys of every SSH kind and subkeys of OpenPGP keys verify commits', async (t) => {
  const { ada, pushed } = await startLoom(t);
  for (const pair of allKinds()) {
    const { fingerprint } = await addSsh(ada, pair, pair.type);
    assert.deepEqual((await pushed(bySsh(pair))).state, verified('ada', fingerprint), pair.type);
  }
  const openPgp = await newOpenPgpPair({ hasSigningSubkey: true });
  const { subkeys } = await addOpenPgp(ada, openPgp.armored);
  const { state } = await pushed((payload) => signDetached(openPgp, payload));
  assert.deepEqual(state, verified('ada', subkeys[0]?.key_id ?? ''));
});

test('a tampered commit, a wrong key and a truncated signature are not verified', async (t) => {
  const { ada, pushed } = await startLoom(t);
  const [ssh, other] = [newEd25519(), newEd25519()];
  await addSsh(ada, ssh);
  const [openPgp, otherOpenPgp] = await Promise.all([newOpenPgpPair(), newOpenPgpPair()]);
  await addOpenPgp(ada, openPgp.armored);
  const byOpenPgp = (payload: string) => signDetached(openPgp, payload);
  const tamper = (text: string) => text.replace('Change', 'Chance');
  const cut = (text: string) => text.split('\n').toSpliced(3, 1).join('\n');

  const bad = notVerified('probable_bad_signature');
  assert.deepEqual((await pushed(bySsh(ssh), { tamper })).state, bad);
  assert.deepEqual((await pushed(byOpenPgp, { tamper })).state, bad);
  // The signature names the key of another one.
  const mixed: Sign = (payload) => {
    const [own, foreign] = [signSsh(ssh, payload), signSsh(other, payload)];
    const tail = Buffer.from(foreign.split('\n').slice(1, -2).join(''), 'base64').subarray(-64);
    const blob = Buffer.from(own.split('\n').slice(1, -2).join(''), 'base64');
    const joined = Buffer.concat([blob.subarray(0, -64), tail]).toString('base64');
    return `-----BEGIN SSH SIGNATURE-----\n${joined}\n-----END SSH SIGNATURE-----\n`;
  };
  assert.deepEqual((await pushed(mixed)).state, bad);

  const unknown = notVerified('no_gpg_keys_found');
  assert.deepEqual((await pushed(bySsh(other))).state, unknown);
  assert.deepEqual((await pushed((payload) => signDetached(otherOpenPgp, payload))).state, unknown);

  const unreadable = notVerified('extract_sign');
  assert.deepEqual((await pushed((payload) => cut(signSsh(ssh, payload)))).state, unreadable);
  assert.deepEqual((await pushed(async (payload) => cut(await byOpenPgp(payload)))).state, unreadable);
  const asFile: Sign = (payload) => signSsh(ssh, payload, { namespace: 'file' });
  assert.deepEqual((await pushed(asFile)).state, unreadable);
  const twice: Sign = (payload) => `${signSsh(ssh, payload)}${signSsh(ssh, payload)}`;
  assert.deepEqual((await pushed(twice)).state, unreadable);
  assert.deepEqual((await pushed(null)).state, notVerified('not_signed_commit'));
});

test('a signature counts only for an address of the user of its key', async (t) => {
  const { forge, ada, ben, pushed } = await startLoom(t);
  const [adas, bens] = [newEd25519(), newEd25519()];
  const { fingerprint } = await addSsh(ada, adas);
  await addSsh(ben, bens);
  const unknown = notVerified('no_gpg_keys_found');
  assert.deepEqual((await pushed(bySsh(bens))).state, unknown);
  assert.deepEqual((await pushed(bySsh(adas), { email: 'ben@example.org' })).state, unknown);
  assert.deepEqual((await pushed(bySsh(adas), { email: 'stranger@example.org' })).state, unknown);
  assert.deepEqual((await pushed(bySsh(adas), { email: '' })).state, unknown);
  // An address that a user has added without a proof.
  await ada.post('/api/v1/user/emails', { emails: ['ada@elsewhere.example'] });
  assert.deepEqual((await pushed(bySsh(adas), { email: 'ada@elsewhere.example' })).state, unknown);
  assert.deepEqual((await pushed(bySsh(adas), { email: 'ADA@Example.org' })).state, {
    ...verified('ada', fingerprint, 'ADA@Example.org'),
  });
  const noreply = `ada@noreply.${new URL(forge.url).hostname}`;
  assert.deepEqual(
    (await pushed(bySsh(adas), { email: noreply })).state,
    verified('ada', fingerprint, noreply),
  );
});

test('an OpenPGP key counts for addresses that it names, and for all of its user once it is proved', async (t) => {
  const { ada, pushed } = await startLoom(t);
  const pair = await newOpenPgpPair({ emails: ['ada@elsewhere.example'] });
  const token = async () => (await ada.get('/api/v1/user/gpg_key_token')).text;
  const { id, key_id: keyId } = await addOpenPgp(ada, pair.armored, await signDetached(pair, await token()));
  const byOpenPgp = (payload: string) => signDetached(pair, payload);
  assert.deepEqual((await pushed(byOpenPgp)).state, verified('ada', keyId));
  await ada.delete(`/api/v1/user/gpg_keys/${id}`);

  const noreply = 'ada@noreply.127.0.0.1';
  const named = await newOpenPgpPair({ emails: [noreply] });
  await addOpenPgp(ada, named.armored);
  const byNamed = (payload: string) => signDetached(named, payload);
  assert.deepEqual((await pushed(byNamed)).state, notVerified('no_gpg_keys_found'));
  assert.equal((await pushed(byNamed, { email: noreply })).state.verified, true);
});

test('a signature that cannot be checked in time is unavailable, rejects no push for good, and is tried again', async (t) => {
  const { forge, ada, work, stateOf, pushed } = await startLoom(t);
  forge.stopAfterTest();
  const pair = await newOpenPgpPair();
  await addOpenPgp(ada, pair.armored);
  const { openPgp } = forge.forge.running.engines;
  const slow = t.mock.method(openPgp, 'isValid', async () => undefined);
  const { oid, state } = await pushed((payload) => signDetached(pair, payload));
  assert.deepEqual([state.verified, state.reason], [false, 'unavailable']);

  await ada.post(`${LOOM}/branch_protections`, {
    rule_name: 'signed',
    enable_push: true,
    require_signed_commits: true,
  });
  const other = await work.commit((payload) => signDetached(pair, payload));
  const push = () => work.push(ada, 'ada/loom', `${other}:refs/heads/signed`);
  await assert.rejects(push(), /could not be checked in time: try again/);
  slow.mock.restore();
  await until(async () => (await stateOf(oid)).verified);
  await until(() =>
    push().then(
      () => true,
      () => false,
    ),
  );
});

test('an OpenPGP key must be valid at the time of the signature, whatever happens to it later', async (t) => {
  const { ada, pushed } = await startLoom(t);
  const now = Date.now();
  const old = await newOpenPgpPair({ createdAt: new Date(now - 3 * DAY_MS), expiresAfter: DAY_MS / 1000 });
  const { id, key_id: keyId } = await addOpenPgp(ada, old.armored);
  const at = (daysAgo: number) => new Date(now - daysAgo * DAY_MS);
  // The library signs with an expired key only if its clock is set back.
  const early: Sign = (payload) => signDetached(old, payload, { at: at(2.5) });
  assert.deepEqual((await pushed(early)).state, verified('ada', keyId));
  const { revokeKey, enums } = await import('openpgp');
  const revoked = async (flag: number) => {
    const options = { key: old.privateKey, reasonForRevocation: { flag }, date: at(2.2) } as const;
    const { publicKey } = await revokeKey({ ...options, format: 'object' });
    return publicKey.armor();
  };
  await ada.delete(`/api/v1/user/gpg_keys/${id}`);
  const retired = await addOpenPgp(ada, await revoked(enums.reasonForRevocation.keyRetired));
  assert.deepEqual((await pushed(early)).state, verified('ada', keyId));
  await ada.delete(`/api/v1/user/gpg_keys/${retired.id}`);
  await addOpenPgp(ada, await revoked(enums.reasonForRevocation.keyCompromised));
  assert.deepEqual((await pushed(early)).state, notVerified('probable_bad_signature'));
});

test('a signature after the expiry of its key, and one from the future, are not verified', async (t) => {
  const { ada, pushed } = await startLoom(t);
  const now = Date.now();
  const created = { createdAt: new Date(now - 3 * DAY_MS) };
  const { reformatKey } = await import('openpgp');
  const pair = await newOpenPgpPair(created);
  // The same key, which the server knows with an end that is past.
  const { publicKey } = await reformatKey({
    privateKey: pair.privateKey,
    userIDs: [{ email: 'ada@example.org' }],
    keyExpirationTime: (2 * DAY_MS) / 1000,
    date: new Date(now - 3 * DAY_MS),
    format: 'object',
  });
  const { key_id: keyId } = await addOpenPgp(ada, publicKey.armor());
  const bad = notVerified('probable_bad_signature');
  assert.deepEqual((await pushed((payload) => signDetached(pair, payload))).state, bad);
  const future = { at: new Date(now + DAY_MS) };
  assert.deepEqual((await pushed((payload) => signDetached(pair, payload, future))).state, bad);
  const before = { at: new Date(now - 2 * DAY_MS) };
  const { state } = await pushed((payload) => signDetached(pair, payload, before));
  assert.deepEqual(state, verified('ada', keyId));
});

test('a verification follows its key: it ends when the key is deleted, and so do ETags', async (t) => {
  const { forge, ada, work, stateOf, pushed } = await startLoom(t);
  const ssh = newEd25519();
  const { oid, state } = await pushed(bySsh(ssh));
  const tag = await work.tag('v1', oid, bySsh(ssh));
  await work.push(ada, 'ada/loom', '--tags');
  assert.deepEqual(state, notVerified('no_gpg_keys_found'));
  const paths = [
    `git/commits/${oid}`,
    'commits',
    'branches',
    'branches/main',
    `git/tags/${tag}`,
    'compare/main...main',
  ];
  const tagsNow = () =>
    Promise.all(paths.map(async (path) => (await forge.get(`${LOOM}/${path}`)).headers.get('etag')));
  const unknown = await tagsNow();
  const { id, fingerprint } = await addSsh(ada, ssh);
  assert.deepEqual(await stateOf(oid), verified('ada', fingerprint));
  const known = await tagsNow();
  // The last comparison has no commit.
  assert.deepEqual(
    known.map((each, index) => each === unknown[index]),
    [false, false, false, false, false, true],
  );
  for (const [index, path] of paths.entries()) {
    const headers = { 'if-none-match': known[index] ?? '' };
    assert.equal((await forge.get(`${LOOM}/${path}`, { headers })).status, 304, path);
  }
  await ada.delete(`/api/v1/user/keys/${id}`);
  assert.deepEqual(await stateOf(oid), notVerified('no_gpg_keys_found'));
  assert.deepEqual(await tagsNow(), unknown);
  await addSsh(ada, ssh);
  await forge.root.patch('/api/v1/admin/users/ada', { email: 'new@example.org' });
  assert.deepEqual(await stateOf(oid), notVerified('no_gpg_keys_found'));
});

test('B7: the keys of a user whom a viewer may not see are unknown to that viewer', async (t) => {
  const { forge, ada, ben, stateOf, pushed } = await startLoom(t);
  const ssh = newEd25519();
  const { fingerprint } = await addSsh(ben, ssh);
  const { oid, state } = await pushed(bySsh(ssh), { email: 'ben@example.org' });
  const seen = verified('ben', fingerprint, 'ben@example.org');
  assert.deepEqual(state, seen);
  await forge.root.patch('/api/v1/admin/users/ben', { visibility: 'private' });
  assert.deepEqual(await stateOf(oid), notVerified('no_gpg_keys_found'));
  assert.deepEqual(await stateOf(oid, ada), notVerified('no_gpg_keys_found'));
  assert.deepEqual(await stateOf(oid, ben), seen);
});

test('a commit that the API writes with a signature is verified', async (t) => {
  const { forge, ada } = await startLoom(t);
  await ada.post(`${LOOM}/contents/a`, { content: '' });
  const { commit } = (await forge.get(`${LOOM}/branches/main`)).body;
  const tree = (await forge.get(`${LOOM}/git/commits/${commit.id}`)).body.commit.tree.sha;
  const ssh = newEd25519();
  const { fingerprint } = await addSsh(ada, ssh);
  const date = '2026-01-02T03:04:05Z';
  const person = { name: 'Ada', email: 'ada@example.org', date };
  const line = `Ada <ada@example.org> ${Date.parse(date) / 1000} +0000`;
  const payload = `tree ${tree}\nparent ${commit.id}\nauthor ${line}\ncommitter ${line}\n\nSign`;
  const body = { message: 'Sign', tree, parents: [commit.id], author: person, committer: person };
  const written = async (text: string) => {
    const {
      status,
      body: made,
      text: all,
    } = await ada.post(`${LOOM}/git/commits`, {
      ...body,
      signature: signSsh(ssh, text),
    });
    assert.equal(status, 201, all);
    return made.verification;
  };
  const good = await written(payload);
  assert.equal(good.payload, payload);
  assert.deepEqual([good.verified, good.reason], [true, `ada / ${fingerprint}`]);
  assert.equal((await written(`${payload}!`)).reason, 'gpg.error.probable_bad_signature');
});
