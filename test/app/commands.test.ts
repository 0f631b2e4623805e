import assert from 'node:assert/strict';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../../src/base/database/open.ts';
import { GIT_LIMITS } from '../../src/git/limits.ts';
import { folderOf } from '../code/contents/stored-files.ts';
import { databaseLocation } from '../support/database/database-location.ts';
import { startForge, type TestForge } from '../support/forge/forge.ts';
import { withCodes } from '../support/forge/second-factor.ts';
import { commitAll, git, temporaryFolder, workingCopy } from '../support/git/git.ts';
import { type Credentials, request } from '../support/http/http.ts';
import { PageReader } from '../support/http/page-reader.ts';
import { type Ended, quire } from './quire.ts';

const REPOSITORY = 'root/engine';

interface Stage {
  readonly forge: TestForge;
  readonly url: string;
  /** of the site administrator */
  readonly password: string;
  /** Runs one command on the same data. */
  quire(...words: readonly string[]): Promise<Ended>;
  /** Runs one command with these lines on its standard input. */
  answer(lines: readonly string[], ...words: readonly string[]): Promise<Ended>;
}

/** Starts a server, and returns functions that run commands on its data. */
async function stage(t: TestContext, settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const forge = await startForge(t, { settings });
  const { flags } = forge;
  return {
    forge,
    url: forge.url,
    password: forge.root.password,
    quire: (...words) => quire(t, [...words, ...flags]),
    answer: (lines, ...words) => quire(t, [...words, ...flags], lines.map((line) => `${line}\n`).join('')),
  };
}

async function whoIs(
  url: string,
  as: Credentials,
): Promise<{ status: number; login?: string; isAdmin?: boolean }> {
  const { status, body } = await request('GET', `${url}/api/v1/user`, { as });
  return status === 200 ? { status, login: body.login, isAdmin: body.is_admin } : { status };
}

test('a user changes their password with a command, which reads both from standard input', async (t) => {
  const { forge, url, answer, password } = await stage(t);
  const { token } = forge.root;
  assert.equal((await whoIs(url, { token })).status, 200);
  const words = ['account', 'change-password', 'root'];

  const wrong = await answer(['wrong horse', 'a better horse'], ...words);
  assert.deepEqual(wrong, { code: 1, output: 'quire: the current password is wrong\n' });
  const short = await answer([password], ...words);
  assert.deepEqual(short, {
    code: 1,
    output: 'quire: expected current password and new password, one a line\n',
  });
  const missing = await answer([password, 'a better horse'], 'account', 'change-password', 'missing');
  assert.deepEqual(missing, { code: 1, output: 'quire: there is no account missing\n' });

  const changed = await answer([password, 'a better horse'], ...words, '--delete-tokens');
  assert.deepEqual(changed, { code: 0, output: 'root has a new password and no access tokens\n' });
  assert.equal((await whoIs(url, { name: 'root', password })).status, 401);
  assert.equal((await whoIs(url, { name: 'root', password: 'a better horse' })).status, 200);
  assert.equal((await whoIs(url, { token })).status, 401);
});

test('an account created by a command signs in to the running server at once', async (t) => {
  const { url, quire } = await stage(t);
  const created = await quire('admin', 'create-user', 'ada', '--email', 'ada@example.org', '--admin');
  assert.equal(created.code, 0, created.output);
  const password = /^password: (\S+)$/m.exec(created.output)?.[1] ?? '';
  assert.match(created.output, /^created the site administrator ada$/m);
  assert.deepEqual(await whoIs(url, { name: 'ada', password }), { status: 200, login: 'ada', isAdmin: true });

  const own = await quire(
    'admin',
    'create-user',
    'bob',
    '--email',
    'b@example.org',
    '--password',
    'long enough 1',
  );
  assert.deepEqual(own, { code: 0, output: 'created the account bob\n' });
  assert.equal((await whoIs(url, { name: 'bob', password: 'long enough 1' })).isAdmin, false);
});

test('a failed creation of an account prints its reason in one line', async (t) => {
  const { quire } = await stage(t);
  for (const [words, reason] of [
    [['root', '--email', 'x@example.org'], /already/],
    [['admin', '--email', 'x@example.org'], /reserved/],
    [['a/b', '--email', 'x@example.org'], /: invalid name: use letters/],
    [['ada', '--email', 'nonsense'], /: invalid e-mail address/],
    [['ada', '--email', 'ada@example.org', '--password', 'short'], /password/i],
  ] as const) {
    const { code, output } = await quire('admin', 'create-user', ...words);
    assert.equal(code, 1, output);
    assert.match(output, reason);
    assert.match(output, /^quire: [^\n]*\n$/);
  }
});

test('a password reset by a command replaces the old one at once', async (t) => {
  const { url, quire, password: old } = await stage(t);
  assert.equal((await whoIs(url, { name: 'root', password: old })).status, 200);
  const reset = await quire('admin', 'reset-password', 'root');
  assert.equal(reset.code, 0, reset.output);
  const password = /^password: (\S+)$/m.exec(reset.output)?.[1] ?? '';
  assert.equal((await whoIs(url, { name: 'root', password: old })).status, 401);
  assert.equal((await whoIs(url, { name: 'root', password })).status, 200);
  const unknown = await quire('admin', 'reset-password', 'missing');
  assert.equal(unknown.code, 1);
  assert.match(unknown.output, /^quire: [^\n]*\n$/);
});

test('commands make links that invite a person and that give a new password, and verify an address', async (t) => {
  const { forge, url, quire } = await stage(t, { signUp: 'invitation' });
  const ada = await forge.account('ada');
  await ada.post('/api/v1/user/emails', { emails: ['work@example.org'] });
  const flags = ['--base-url', url, '--sign-up', 'invitation'];
  const linkOf = (output: string) => /^link: \S+(\/user\/\S+)$/m.exec(output)?.[1] ?? '';

  const invited = await quire('admin', 'invite', 'ben@example.org', ...flags);
  assert.equal(invited.code, 0, invited.output);
  const reader = new PageReader(forge);
  const fields = { user_name: 'ben', password: 'correct horse battery' };
  assert.equal((await reader.post(linkOf(invited.output), fields)).status, 200);
  const closed = await quire('admin', 'invite', 'eve@example.org');
  assert.match(closed.output, /^quire: this server takes no invitations/);

  const reset = await quire('admin', 'reset-link', 'ada', ...flags);
  assert.equal(reset.code, 0, reset.output);
  assert.equal((await reader.post(linkOf(reset.output), { password: 'a new password' })).status, 200);
  assert.equal((await whoIs(url, { name: 'ada', password: 'a new password' })).status, 200);

  const verified = await quire('admin', 'verify-email', 'ada', 'work@example.org');
  assert.equal(verified.code, 0, verified.output);
  const { body } = await ada.get('/api/v1/user/emails');
  assert.equal(body[1].verified, true);
  for (const words of [
    ['invite', 'ada@example.org', ...flags],
    ['invite', 'no address', ...flags],
    ['reset-link', 'missing'],
    ['verify-email', 'ada', 'missing@example.org'],
    ['verify-email', 'missing', 'work@example.org'],
  ]) {
    const { code, output } = await quire('admin', ...words);
    assert.equal(code, 1, output);
    assert.match(output, /^quire: [^\n]*\n$/);
  }
});

test('a command removes the second factors of a user who has lost them', async (t) => {
  const { forge, quire } = await stage(t);
  const ada = await forge.account('ada');
  await withCodes(forge, ada);

  const reset = await quire('admin', 'reset-second-factor', 'ada');

  assert.equal(reset.code, 0, reset.output);
  await new PageReader(forge).signIn(ada);
  for (const name of ['ada', 'missing']) {
    const again = await quire('admin', 'reset-second-factor', name);
    assert.equal(again.code, 1);
    assert.match(again.output, /^quire: [^\n]*\n$/);
  }
});

test('list-users prints one line per account', async (t) => {
  const { forge, quire } = await stage(t);
  await forge.account('ada', { email: 'ada@example.org' });
  const listed = await quire('admin', 'list-users');
  assert.equal(listed.code, 0);
  const lines = listed.output
    .trim()
    .split('\n')
    .map((line) => line.split('\t').slice(1));
  assert.deepEqual(lines.map(([name]) => name).sort(), ['ada', 'root']);
  assert.deepEqual(
    lines.find(([name]) => name === 'ada'),
    ['ada', 'ada@example.org'],
  );
  assert.equal(lines.find(([name]) => name === 'root')?.at(-1), 'administrator');
});

test('a token created by a command grants exactly its scopes', async (t) => {
  const { url, quire } = await stage(t);
  const created = await quire('token', 'create', 'root', '--name', 'ci', '--scopes', 'read:user');
  assert.match(created.output, /^quirep_[0-9A-Za-z]{33}\n$/);
  const token = created.output.trim();
  assert.equal((await whoIs(url, { token })).login, 'root');
  const denied = await request('POST', `${url}/api/v1/user/repos`, { as: { token }, json: { name: 'x' } });
  assert.equal(denied.status, 403);
  const all = (await quire('token', 'create', 'root', '--name', 'all')).output.trim();
  const allowed = await request('POST', `${url}/api/v1/user/repos`, {
    as: { token: all },
    json: { name: 'x' },
  });
  assert.equal(allowed.status, 201);
  for (const words of [
    ['root', '--name', 'ci'],
    ['missing', '--name', 'x'],
    ['root', '--name', 'y', '--scopes', 'write:everything'],
  ]) {
    const { code, output } = await quire('token', 'create', ...words);
    assert.equal(code, 1, words.join(' '));
    assert.match(output, /^quire: [^\n]*\n$/);
  }
});

interface Pushed {
  readonly id: number;
  /** folder of the repository on the disk of the server */
  readonly bare: string;
  readonly tip: string;
}

/** Creates the repository `root/engine` and pushes one commit to it, which is large enough for a pack. */
async function pushOne(t: TestContext, { forge }: Stage): Promise<Pushed> {
  const { id } = await forge.root.repository('engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), 'x'.repeat(GIT_LIMITS.freshObjectsBytesMax));
  const tip = await commitAll(work, 'first');
  await git(work, ['push', '-q', forge.root.remote(REPOSITORY), 'main']);
  return { id, bare: await folderOf(forge, id), tip };
}

test('the doctor finds no problem while the server runs, and reports a manually changed ref', async (t) => {
  const at = await stage(t);
  const { bare, tip } = await pushOne(t, at);
  const clean = await at.quire('doctor');
  assert.deepEqual(clean, { code: 0, output: 'checked 1 repository\neverything agrees\n' });

  await git(bare, ['update-ref', 'refs/heads/by-hand', tip]);
  const found = await at.quire('doctor');
  assert.equal(found.code, 1, found.output);
  assert.match(found.output, /by-hand/);
  const imported = await at.quire('doctor', '--import-refs', 'root/engine');
  assert.equal(imported.code, 0, imported.output);
  assert.match(imported.output, new RegExp(`root/engine: refs/heads/by-hand new -> ${tip}`));
  assert.match(await git('.', ['ls-remote', `${at.url}/${REPOSITORY}`, 'by-hand']), new RegExp(tip));
});

test('the doctor restores no file that the running server has hidden', async (t) => {
  const at = await stage(t);
  const { bare } = await pushOne(t, at);
  const hidden = join(bare, 'upkeep/running/condemned');
  await mkdir(join(bare, 'upkeep/running'));
  await rename(join(bare, 'objects/pack'), join(hidden, '../pack'));
  await mkdir(hidden);
  await rename(join(hidden, '../pack'), join(hidden, 'pack'));
  const before = await readdir(join(hidden, 'pack'));
  assert.ok(before.length > 0);

  const checked = await at.quire('doctor');
  assert.deepEqual(checked, { code: 0, output: 'checked 1 repository\neverything agrees\n' });
  assert.deepEqual(await readdir(join(hidden, 'pack')), before);
});

test('the doctor reports a missing object', async (t) => {
  const at = await stage(t);
  const { id, bare } = await pushOne(t, at);
  const files = await readdir(join(bare, 'objects'), { recursive: true, withFileTypes: true });
  for (const file of files) if (file.isFile()) await rm(join(file.parentPath, file.name));
  const found = await at.quire('doctor');
  assert.equal(found.code, 1, found.output);
  assert.match(found.output, new RegExp(`^repository ${id}: `, 'm'));
  assert.match(found.output, /problems? found$/m);
});

test('migrate reports that the database is up to date, on the first run and on the second', async (t) => {
  const location = await databaseLocation(t, { schema: 'empty' });
  const flags = [
    '--data',
    await temporaryFolder(t),
    ...(location.kind === 'url' ? ['--database-url', location.url] : []),
  ];
  for (const time of ['first', 'second']) {
    const migrated = await quire(t, ['migrate', ...flags]);
    assert.deepEqual(migrated, { code: 0, output: 'the database is up to date\n' }, time);
  }
});

test('every command rejects a newer database in one line', async (t) => {
  const dataFolder = await temporaryFolder(t);
  const location = await databaseLocation(t, { schema: 'migrated', folder: dataFolder });
  const flags = ['--data', dataFolder, ...(location.kind === 'url' ? ['--database-url', location.url] : [])];
  await insertNewerVersion(location);
  for (const words of [['serve', '--port', '0'], ['migrate'], ['admin', 'list-users'], ['doctor']]) {
    const { code, output } = await quire(t, [...words, ...flags]);
    assert.equal(code, 1, words.join(' '));
    assert.match(output, /^quire: [^\n]*newer[^\n]*\n$/, words.join(' '));
  }
});

async function insertNewerVersion(target: Parameters<typeof openDatabase>[0]): Promise<void> {
  const database = openDatabase(target);
  try {
    const row = sql`insert into schema_versions (number, name, applied_at) values (9999, 'from-the-future', 0)`;
    await database.transaction((tx) => row.execute(tx));
  } finally {
    await database.close();
  }
}
