import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY_LIMITS } from '../../../src/code/keys/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { newOpenPgpPair, signDetached } from '../../support/keys/openpgp.ts';

const OWN = '/api/v1/user/gpg_keys';
const VERIFY = '/api/v1/user/gpg_key_verify';

const tokenOf = async (who: Person) => (await who.get('/api/v1/user/gpg_key_token')).text;

test('a user adds, lists, gets and deletes OpenPGP keys with their subkeys', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const pair = await newOpenPgpPair({
    emails: ['Ada@example.org', 'other@example.org'],
    hasSigningSubkey: true,
  });

  const created = await ada.post(OWN, { armored_public_key: pair.armored });
  assert.equal(created.status, 201, created.text);
  const { id, key_id, emails, subkeys, expires_at, verified, can_sign, can_certify } = created.body;
  assert.equal(key_id, pair.publicKey.getKeyID().toHex().toUpperCase());
  assert.deepEqual(emails, [
    { email: 'ada@example.org', verified: true },
    { email: 'other@example.org', verified: false },
  ]);
  assert.deepEqual([expires_at, verified, can_sign, can_certify], [null, false, true, true]);
  const [subkey] = subkeys;
  assert.deepEqual(
    [subkeys.length, subkey.primary_key_id, subkey.can_sign, subkey.can_certify],
    [1, key_id, true, false],
  );
  assert.deepEqual((await ada.get(OWN)).body, [created.body]);
  assert.deepEqual((await ada.get(`${OWN}/${id}`)).body, created.body);
  for (const who of [forge, ben]) {
    const listed = await who.get('/api/v1/users/ada/gpg_keys');
    assert.deepEqual([listed.status, listed.body[0].key_id], [200, key_id]);
  }
  // Neither the key of another user nor a subkey is a key of one's own.
  assert.equal((await ben.get(`${OWN}/${id}`)).status, 404);
  assert.equal((await ben.delete(`${OWN}/${id}`)).status, 404);
  assert.equal((await ada.delete(`${OWN}/${subkey.id}`)).status, 404);

  assert.equal((await ada.delete(`${OWN}/${id}`)).status, 204);
  assert.deepEqual((await ada.get(OWN)).body, []);
  assert.equal((await ada.post(OWN, { armored_public_key: pair.armored })).status, 201);
  const events = await eventsOf(forge.forge.running.engines.database, 'openpgp-key.');
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['openpgp-key.created', 'openpgp-key.deleted', 'openpgp-key.created'],
  );
});

test('a key without an address of the account needs a signature of the token by that key', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const [pair, other] = await Promise.all([
    newOpenPgpPair({ emails: ['elsewhere@example.org'] }),
    newOpenPgpPair({ emails: ['elsewhere@example.org'] }),
  ]);
  const add = (who: Person, signature?: string) =>
    who.post(OWN, { armored_public_key: pair.armored, armored_signature: signature });
  const token = await tokenOf(ada);
  assert.match(token, /^[0-9a-f]{64}$/);
  const unsigned = await add(ada);
  assert.equal(unsigned.status, 422);
  assert.ok(unsigned.body.message.includes(token));

  const rejected = [
    await signDetached(other, token),
    await signDetached(pair, `${token} `),
    await signDetached(pair, await tokenOf(ben)),
    'nonsense',
    '-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----',
  ];
  for (const signature of rejected) {
    const { status, body } = await add(ada, signature);
    assert.equal(status, 422);
    assert.match(body.message, /do not match/);
  }
  // A shell adds a line end.
  const added = await add(ada, await signDetached(pair, `${token}\n`));
  assert.deepEqual([added.status, added.body.verified], [201, true], added.text);
  const taken = await add(ben, await signDetached(pair, await tokenOf(ben)));
  assert.deepEqual([taken.status, taken.body.message], [422, 'A key with the same id already exists']);
});

test('the possession of a key that was added by its address is proved later', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const pair = await newOpenPgpPair();
  const { key_id, verified } = (await ada.post(OWN, { armored_public_key: pair.armored })).body;
  assert.equal(verified, false);
  const prove = async (who: Person, keyId: string, text: string) =>
    who.post(VERIFY, { key_id: keyId, armored_signature: await signDetached(pair, text) });

  assert.equal((await prove(ada, key_id, 'another text')).status, 422);
  assert.equal((await ada.post(VERIFY, { key_id })).status, 422);
  assert.equal((await prove(ada, 'FFFFFFFFFFFFFFFF', await tokenOf(ada))).status, 404);
  assert.equal((await prove(ada, 'nonsense', await tokenOf(ada))).status, 404);
  assert.equal((await prove(ben, key_id, await tokenOf(ben))).status, 404);
  const proved = await prove(ada, key_id, await tokenOf(ada));
  assert.deepEqual([proved.status, proved.body.verified], [201, true], proved.text);
  assert.equal((await ada.get(OWN)).body[0].verified, true);
});

test('422: texts that are no single public key, without a word of what they say', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const [pair, other] = await Promise.all([newOpenPgpPair(), newOpenPgpPair()]);
  const lines = pair.armored.split('\n');
  const broken = lines.with(5, `${lines[5]?.slice(0, -4)}AAAA`).join('\n');
  const armor = (content: Buffer) =>
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${content.toString('base64')}\n-----END PGP PUBLIC KEY BLOCK-----\n`;
  const both = Buffer.concat([pair.publicKey.write(), other.publicKey.write()]);
  const bare = Buffer.from(pair.publicKey.write()).subarray(0, 53);
  for (const [text, why] of [
    ['', /must be what gpg/],
    ['nonsense', /must be what gpg/],
    [pair.privateKey.armor(), /private key/],
    [pair.armored.slice(0, 300), /cannot be read/],
    [broken, /./],
    [armor(both), /exactly one key/],
    [armor(bare), /./],
    [armor(Buffer.from(pair.privateKey.write())), /private key|cannot be read/],
    [`${pair.armored}${' '.repeat(KEY_LIMITS.openPgpKeyCharsMax)}`, /characters/],
  ] as const) {
    const { status, body } = await ada.post(OWN, { armored_public_key: text });
    assert.equal(status, 422, text);
    assert.match(body.message, why);
    assert.ok(text === '' || !body.message.includes(text.slice(0, 20)));
  }
  assert.deepEqual((await ada.get(OWN)).body, []);
});

test('422: a key that is flooded with its own signatures, while signatures of others are left out', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const [adas, bens] = await Promise.all([newOpenPgpPair(), newOpenPgpPair({ emails: ['ben@example.org'] })]);
  const [user] = adas.publicKey.users;
  const own = user?.selfCertifications[0];
  const [bensUser] = bens.publicKey.users;
  assert.ok(user !== undefined && own !== undefined && bensUser !== undefined);
  bensUser.otherCertifications.push(...Array(KEY_LIMITS.openPgpOwnSignaturesMax).fill(own));
  const added = await ben.post(OWN, { armored_public_key: bens.publicKey.armor() });
  assert.equal(added.status, 201, added.text);
  assert.ok(added.body.public_key.length < 2_000, String(added.body.public_key.length));
  user.selfCertifications.push(...Array(KEY_LIMITS.openPgpOwnSignaturesMax).fill(own));
  const flooded = await ada.post(OWN, { armored_public_key: adas.publicKey.armor() });
  assert.equal(flooded.status, 422);
  assert.match(flooded.body.message, /more than 500 signatures of its own/);
});

test('a user id that the key itself has not signed, and the subkey of another key, do not count', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const [adas, bens] = await Promise.all([
    newOpenPgpPair({ hasSigningSubkey: true }),
    newOpenPgpPair({ emails: ['ben@example.org'] }),
  ]);
  // Ada's key with the user id of ben, which only ben's key has signed.
  adas.publicKey.users.push(...bens.publicKey.users);
  const joined = await ben.post(OWN, { armored_public_key: adas.publicKey.armor() });
  assert.equal(joined.status, 422, joined.text);
  adas.publicKey.users.pop();
  bens.publicKey.subkeys.push(...adas.publicKey.subkeys);
  const stolen = await ben.post(OWN, { armored_public_key: bens.publicKey.armor() });
  const signing = stolen.body.subkeys.map(({ can_sign }: { can_sign: boolean }) => can_sign);
  assert.deepEqual([stolen.status, signing], [201, [false]]);
  assert.equal((await ada.post(OWN, { armored_public_key: adas.publicKey.armor() })).status, 201);
});
