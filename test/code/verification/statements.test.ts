import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { ANONYMOUS } from '../../../src/api/access/viewer.ts';
import type { Database } from '../../../src/base/database/database.ts';
import { OpenPgpEngine } from '../../../src/code/keys/openpgp/engine.ts';
import { parseSshKey } from '../../../src/code/keys/ssh/parse-line.ts';
import { insertOpenPgpKey } from '../../../src/code/keys/store/openpgp-keys.ts';
import { insertSshKey } from '../../../src/code/keys/store/ssh-keys.ts';
import { CommitSigning } from '../../../src/code/signing/service.ts';
import type { Signed } from '../../../src/code/verification/model.ts';
import { SignatureVerifier } from '../../../src/code/verification/service.ts';
import { addressesOf } from '../../../src/http/app.ts';
import { afterTest } from '../../support/after-test.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { planOf, statementsOf } from '../../support/database/statements.ts';
import { newOpenPgpPair, signDetached } from '../../support/keys/openpgp.ts';
import { newEd25519, signSsh } from '../../support/keys/ssh-keys.ts';

const COUNT = 3_000;
const FILL = [
  `insert into accounts (kind, name, lower_name, full_name, email, lower_email, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNT})
    select 'user', 'a-' || i, 'a-' || i, '', 'a-' || i || '@example.org', 'a-' || i || '@example.org', i, i from n`,
  `insert into ssh_keys (account_id, fingerprint, type, content, comment, title, created_at)
    select id, 'SHA256:' || id, 'x', 'x', '', 'x', 0 from accounts`,
  `insert into openpgp_keys (account_id, key_id, fingerprint, content, can_sign, can_certify,
    can_encrypt_communication, can_encrypt_storage, is_proved, created_at)
    select id, 'K' || id, 'F' || id, 'x', 1, 1, 0, 0, 1, 0 from accounts`,
  'insert into openpgp_key_emails (key_id, lower_email) select k.id, a.lower_email from openpgp_keys k join accounts a on a.id = k.account_id',
];
const SIGNERS = [10, 20, 30];

/** Fills a database, and returns commits that some of the users signed, with keys of both kinds. */
async function fill(database: Database, engine: OpenPgpEngine): Promise<readonly Signed[]> {
  await database.transaction(async (tx) => {
    for (const text of FILL) await tx.executeQuery(CompiledQuery.raw(text));
  });
  const signed: Signed[] = [];
  for (const id of SIGNERS) {
    const email = `a-${id}@example.org`;
    const [ssh, openPgp] = [newEd25519(), await newOpenPgpPair({ emails: [email] })];
    const key = await engine.readKey(openPgp.armored);
    await database.transaction(async (tx) => {
      await insertSshKey(tx, id, { ...parseSshKey(ssh.line), title: 'key', isProved: false });
      await insertOpenPgpKey(tx, id, { ...key, isProved: false });
    });
    for (const sign of [signSsh.bind(undefined, ssh), signDetached.bind(undefined, openPgp)]) {
      const payload = Buffer.from(`Change ${signed.length}`);
      signed.push({ email, signature: { text: await sign(payload), payload } });
    }
  }
  await database.transaction((tx) => tx.executeQuery(CompiledQuery.raw('analyze')));
  return signed;
}

test('all signatures of a response take one statement, and new ones of OpenPGP keys a second one', async (t) => {
  const database = await openTestDatabase(t);
  const openPgp = new OpenPgpEngine();
  afterTest(t, () => openPgp.close());
  const signed = await fill(database, openPgp);
  let reader = database.reader;
  const listening = new Proxy(database, {
    get: (of, key) => (key === 'reader' ? reader : Reflect.get(of, key)),
  });
  const addresses = addressesOf('http://forge.example');
  const signer = { name: 'Quire', email: 'quire@example.org' };
  const signing = new CommitSigning({ signer, key: null, formerKeys: [] });
  const verifier = new SignatureVerifier({ database: listening, openPgp, addresses, signing });
  const verify = (items: readonly Signed[]) =>
    statementsOf(database, (db) => {
      reader = db;
      return verifier.verify(ANONYMOUS, items);
    });

  const unsigned = await verify(signed.map(({ email }) => ({ email, signature: null })));
  assert.equal(unsigned.statements.length, 0);
  const [first, again] = [await verify(signed), await verify(signed)];
  for (const { found } of [first, again]) assert.ok(found.every(({ isVerified }) => isVerified));
  assert.deepEqual([first.statements.length, again.statements.length], [2, 1]);
  for (const query of first.statements) {
    const plan = await planOf(database, query);
    assert.doesNotMatch(plan, /^\s*SCAN (?:k|p|o|e)\b|Seq Scan on (?:ssh_keys|openpgp_keys|accounts)/m, plan);
  }
});
