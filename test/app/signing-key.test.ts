import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../support/git/git.ts';
import { newOpenPgpPair } from '../support/keys/openpgp.ts';
import { run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

// Runs once: no outcome depends on the database.

async function requireNoStart(
  t: TestContext,
  words: readonly string[],
  reason: RegExp,
  environment: Record<string, string> = {},
): Promise<void> {
  const data = await temporaryFolder(t);
  const command = [PROGRAM, 'serve', '--port', '0', '--data', data, ...words];
  const server = run(t, process.execPath, command, { environment });
  assert.equal((await server.ended()).code, 1);
  assert.match(server.output(), reason);
  assert.equal(server.output().split('\n').length, 2, server.output());
}

test('a server does not start with a signing key that it cannot use, and says why', async (t) => {
  const folder = await temporaryFolder(t);
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const pair = await newOpenPgpPair();
  const secret = pair.privateKey.armor();
  const missing = join(folder, 'missing');
  const words = (path: string) => ['--signing-key', path];
  await requireNoStart(t, words(missing), /^quire: cannot use the signing key \S+missing: ENOENT/);
  await requireNoStart(t, words(folder), /^quire: cannot use the signing key \S+: EISDIR/);
  const empty = await file('empty', '');
  await requireNoStart(
    t,
    words(empty),
    /^quire: cannot use the signing key \S+empty: it is not a private key\n/,
  );
  const open = await file('public', pair.armored);
  await requireNoStart(t, words(open), /: it is a public key: the server needs the private one\n/);
  const large = await file('large', 'x'.repeat(256 * 1024 + 1));
  await requireNoStart(t, words(large), /: it is too large\n/);
  const former = ['--former-signing-keys', `${open},${await file('secret', secret)}`];
  await requireNoStart(t, former, /^quire: cannot use the former signing key \S+secret: it is a private key/);
  const email = ['--signing-email', 'quire'];
  await requireNoStart(
    t,
    email,
    /^quire: the e-mail address of the signer must have the form name@example\.org, not/,
  );
  await requireNoStart(t, ['--signing-name', 'a\u0007b'], /^quire: the name of the signer must be one line/);
});

test('a server with a key that has a passphrase needs the right one', async (t) => {
  const { privateKey } = await newOpenPgpPair();
  const { encryptKey } = await import('openpgp');
  const locked = await encryptKey({ privateKey, passphrase: 'correct horse' });
  const key = join(await temporaryFolder(t), 'key');
  await writeFile(key, locked.armor());
  const words = ['--signing-key', key];
  await requireNoStart(t, words, /: it has a passphrase \(set QUIRE_SIGNING_PASSPHRASE\)\n/);
  const wrong = { QUIRE_SIGNING_PASSPHRASE: 'other' };
  await requireNoStart(t, words, /: the passphrase is wrong \(set QUIRE_SIGNING_PASSPHRASE\)\n/, wrong);
  const data = await temporaryFolder(t);
  const server = run(t, process.execPath, [PROGRAM, 'serve', '--port', '0', '--data', data, ...words], {
    environment: { QUIRE_SIGNING_PASSPHRASE: 'correct horse' },
  });
  await server.line(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
});
