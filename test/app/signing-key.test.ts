import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { encryptKey } from 'openpgp';
import { ConfigError, readConfig } from '../../src/app/config.ts';
import { readSigningKeys } from '../../src/app/setting-values/signing-keys.ts';
import { OpenPgpEngine } from '../../src/code/keys/openpgp/engine.ts';
import { afterTest } from '../support/after-test.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { newOpenPgpPair } from '../support/keys/openpgp.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

// Runs once: no outcome depends on the database.

async function serve(t: TestContext, words: readonly string[], environment: Record<string, string> = {}) {
  const command = [PROGRAM, 'serve', '--port', '0', '--data', await temporaryFolder(t), ...words];
  return run(t, process.execPath, command, { environment });
}

test('a key with which the server cannot sign is rejected with the reason', async (t) => {
  const openPgp = new OpenPgpEngine();
  afterTest(t, () => openPgp.close());
  const folder = await temporaryFolder(t);
  const pair = await newOpenPgpPair();
  const files = {
    empty: '',
    public: pair.armored,
    secret: pair.privateKey.armor(),
    large: 'x'.repeat(256 * 1024 + 1),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const at = (name: string) => join(folder, name);
  for (const [flags, reason] of [
    [{ signingKey: at('missing') }, /^cannot use the signing key \S+missing: ENOENT/],
    [{ signingKey: folder }, /^cannot use the signing key \S+: EISDIR/],
    [{ signingKey: at('empty') }, /^cannot use the signing key \S+empty: it is not a private key$/],
    [{ signingKey: at('public') }, /: it is a public key: the server needs the private one$/],
    [{ signingKey: at('large') }, /: it is too large$/],
    [{ formerSigningKeys: at('missing') }, /^cannot use the former signing key \S+missing: ENOENT/],
    [{ formerSigningKeys: at('empty') }, /^cannot use the former signing key \S+empty: it must begin with/],
    [
      { formerSigningKeys: `${at('public')},${at('secret')}` },
      /^cannot use the former signing key \S+secret: it is a private key: only the public one is needed$/,
    ],
  ] as const)
    await assert.rejects(readSigningKeys(readConfig(flags, {}).signing, openPgp), {
      name: ConfigError.name,
      message: reason,
    });
  const { signing } = readConfig({ signingKey: at('secret'), baseUrl: 'https://forge.example.org' }, {});
  const keys = await readSigningKeys(signing, openPgp);
  assert.deepEqual(keys.signer, { name: 'Quire', email: 'quire@forge.example.org' });
  assert.deepEqual([keys.key?.kind, keys.formerKeys], ['openpgp', []]);
});

test('a server needs the passphrase of its key to start', async (t) => {
  const { privateKey } = await newOpenPgpPair();
  const locked = await encryptKey({ privateKey, passphrase: 'correct horse' });
  const key = join(await temporaryFolder(t), 'key');
  await writeFile(key, locked.armor());
  const words = ['--signing-key', key];
  const without = await serve(t, words);
  assert.equal((await without.ended()).code, 1);
  assert.match(
    without.output(),
    /^quire: cannot use the signing key \S+: it has a passphrase \(set QUIRE_SIGNING_PASSPHRASE\)\n$/,
  );
  const wrong = await serve(t, words, { QUIRE_SIGNING_PASSPHRASE: 'other' });
  assert.equal((await wrong.ended()).code, 1);
  assert.match(wrong.output(), /: the passphrase is wrong \(set QUIRE_SIGNING_PASSPHRASE\)\n$/);
  const right = await serve(t, words, { QUIRE_SIGNING_PASSPHRASE: 'correct horse' });
  await right.line(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
});
