import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { currentCaller } from '../../../src/base/core/fairness/caller.ts';
import { startSource } from '../../base/outbound/servers.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { collectLog } from '../../support/log-lines.ts';
import { until } from '../../support/until.ts';
import { commitTo, refsAt } from '../mirrors/backend.ts';
import { ALLOWED } from '../mirrors/sync.ts';
import { addMirror, PUSH_MIRRORS, pushed, SYNC, startTarget, update } from './targets.ts';

function addFile(ada: Person, name: string) {
  return ada.post(`/api/v1/repos/ada/engine/contents/${name}`, { content: '' });
}

test('each ref that a target rejects is on the record, and the others are pushed', async (t) => {
  const target = await startTarget(t, { settings: { 'receive.denyDeletes': 'true' } });
  const hook = join(target.folder, 'hooks', 'update');
  await writeFile(hook, '#!/bin/sh\ncase "$1" in *locked*) echo "not here" >&2; exit 1;; esac\n');
  await chmod(hook, 0o755);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addMirror(ada, target.url);
  assert.equal(await update(forge, ada), '');
  await commitTo(target.folder, 'theirs', 'cannot go');
  for (const new_branch_name of ['locked', 'open'])
    await ada.post('/api/v1/repos/ada/engine/branches', { new_branch_name });
  const failed = await update(forge, ada);
  assert.match(
    failed,
    /^the target rejected 2 refs: refs\/heads\/theirs: deletion prohibited; refs\/heads\/locked: hook declined$/,
  );
  const names = (await refsAt(target.folder)).map((line) => line.split('\t')[1]);
  assert.deepEqual(names.sort(), ['refs/heads/main', 'refs/heads/open', 'refs/heads/theirs']);
});

test('a target that denies, is missing, is no repository, or has other objects fails with the reason', async (t) => {
  const denying = await startTarget(t, { settings: { 'http.receivepack': 'false' } });
  const closed = await startTarget(t, { authorization: 'Basic none' });
  const other = await startTarget(t, { objectFormat: 'sha256' });
  const page = await startSource(t, (_request, response) => response.end('<html>'));
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  for (const [url, why] of [
    [denying.url, 'the target denies access: give credentials that may push to it'],
    [closed.url, 'the target denies access: give credentials that may push to it'],
    [`${denying.url.replace('engine', 'none')}`, 'the target has no repository at this address'],
    [other.url, 'the target has sha256 objects, and this repository sha1'],
    [`http://127.0.0.1:${page}/x`, 'the address does not answer in the smart protocol of git'],
    ['http://127.0.0.1:65535/x', 'the server does not accept a connection'],
  ] as const) {
    const { remote_name: name } = await addMirror(ada, url);
    assert.equal(await update(forge, ada), why, url);
    assert.equal((await ada.delete(`${PUSH_MIRRORS}/${name}`)).status, 204);
  }
});

test('a target that lies, ends early or sends nonsense fails, and is right after the next update', async (t) => {
  let trick: string | null = null;
  const target = await startTarget(t, {
    intercept: async (request, response) => {
      if (trick === null || !request.url?.endsWith('/git-receive-pack')) return false;
      response.setHeader('content-type', 'application/x-git-receive-pack-result');
      if (trick === 'lies')
        response.setHeader('content-length', '1000').write('0030\x01', () => response.destroy());
      else response.end(trick);
      return true;
    },
  });
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addMirror(ada, target.url);
  const band = (text: string) => `${(text.length + 5).toString(16).padStart(4, '0')}\x01${text}`;
  for (const [each, why] of [
    ['lies', /the connection ended before the response did/],
    ['', /the target ended the transfer early/],
    [`${band('000eunpack ok\n')}0000`, /the target ended the transfer early/],
    [`${band('000eunpack ok\n0000')}0000`, /refs\/heads\/main: the target did not say what it did/],
    [`${band('0015unpack disk full\n0000')}0000`, /did not take the objects: disk full/],
    [`${band('0009hello0000')}0000`, /does not answer in the smart protocol/],
    ['0008\x03abc', /the target ended the transfer with an error/],
    ['not packets at all', /does not answer in the smart protocol/],
  ] as const) {
    trick = each;
    assert.match(await update(forge, ada), why, each);
    assert.deepEqual(await refsAt(target.folder), []);
  }
  trick = null;
  assert.equal(await update(forge, ada), '');
  const folder = await temporaryFolder(t);
  assert.deepEqual(await refsAt(target.folder), await refsAt(folder, ada.remote('ada/engine')));
});

test('a ref of a target with a malformed name stays there, and does not hide why an update failed', async (t) => {
  const line = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
  const oid = '1'.repeat(40);
  const names = ['refs/heads/a\0b', 'refs/heads/a\x07', 'refs/heads/a b', `refs/heads/${'x'.repeat(5_000)}`];
  const target = await startTarget(t, {
    intercept: async ({ url = '' }, response) => {
      const isList = url.includes('/info/refs');
      response.setHeader(
        'content-type',
        `application/x-git-receive-pack-${isList ? 'advertisement' : 'result'}`,
      );
      const [first, ...others] = ['refs/heads/old', ...names].map((name) => `${oid} ${name}`);
      const listed = [`${first}\0report-status delete-refs`, ...others].map(line).join('');
      if (isList) response.end(`${line('# service=git-receive-pack\n')}0000${listed}0000`);
      else response.end(`${line('unpack ok\n')}${line('ok refs/heads/main\n')}0000`);
      return true;
    },
  });
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await addMirror(ada, target.url);
  assert.equal(
    await update(forge, ada),
    'the target rejected a ref: refs/heads/old: the target did not say what it did',
  );
});

test('E1: each connection of a push mirror checks the address again, and each redirect', async (t) => {
  const target = await startTarget(t);
  let to = '';
  const redirecting = await startSource(t, (request, response) =>
    response.writeHead(307, { location: `${to}${request.url}` }).end(),
  );
  let answer = ['127.0.0.1'];
  const forge = await startForge(t, { ...ALLOWED, resolveHost: async () => answer });
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { port } = new URL(target.url);
  const { remote_name: name } = await addMirror(ada, `http://target.test:${port}/engine.git`);
  for (const address of ['127.0.0.2', '10.0.0.1', '64:ff9b::7f00:1', '::ffff:127.0.0.1']) {
    answer = ['127.0.0.1', address];
    assert.equal(await update(forge, ada), 'this site does not connect to this host');
  }
  assert.deepEqual(target.requests, []);
  // The name leads elsewhere between the list of refs and the push.
  answer = ['127.0.0.1'];
  assert.equal(await update(forge, ada), '');
  await addFile(ada, 'a');
  const before = target.requests.length;
  await ada.delete(`${PUSH_MIRRORS}/${name}`);
  await addMirror(ada, `http://127.0.0.1:${redirecting}/engine.git`);
  for (const place of ['http://10.0.0.1', 'http://169.254.169.254', 'http://0x7f.2']) {
    to = place;
    assert.equal(await update(forge, ada), 'this site does not connect to this host', place);
  }
  to = 'file://';
  assert.match(await update(forge, ada), /redirects to an address that is not http or https/);
  assert.equal(target.requests.length, before);
  to = `http://127.0.0.1:${port}`;
  assert.equal(await update(forge, ada), '');
});

test('E1: a name that leads elsewhere after the refs were listed gets no pack', async (t) => {
  let asked = 0;
  const target = await startTarget(t);
  const forge = await startForge(t, {
    ...ALLOWED,
    resolveHost: async () => {
      asked += 1;
      return [asked <= 2 ? '127.0.0.1' : '127.0.0.2'];
    },
  });
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  // Asked when it is added, when the refs are listed, and when the pack is sent.
  await addMirror(ada, target.url.replace('127.0.0.1', 'target.test'));
  assert.equal(await update(forge, ada), 'this site does not connect to this host');
  assert.equal(asked, 3);
  assert.deepEqual(
    target.requests.map(({ path }) => path),
    ['/engine.git/info/refs?service=git-receive-pack'],
  );
});

test('E3: the credentials of a push mirror reach its target, and nothing shows them', async (t) => {
  const secret = 'hidden/secret';
  const encoded = Buffer.from(`writer:${secret}`).toString('base64');
  let isEchoing = false;
  let isRefusing = false;
  const target = await startTarget(t, {
    authorization: `Basic ${encoded}`,
    intercept: async ({ url = '' }, response) => {
      if (isRefusing && url.includes('/info/refs')) {
        response.setHeader('content-type', 'application/x-git-receive-pack-advertisement');
        response.end(`${(secret.length + 8).toString(16).padStart(4, '0')}ERR ${secret}`);
        return true;
      }
      if (!isEchoing || !url.endsWith('/git-receive-pack')) return false;
      const status = `unpack ${secret} ${encodeURIComponent(secret)} ${encoded}\n`;
      const line = `${(status.length + 4).toString(16).padStart(4, '0')}${status}0000`;
      response.setHeader('content-type', 'application/x-git-receive-pack-result');
      response.end(`${(line.length + 5).toString(16).padStart(4, '0')}\x01${line}0000`);
      return true;
    },
  });
  const elsewhere: string[] = [];
  const other = await startSource(t, ({ headers }, response) => {
    elsewhere.push(headers.authorization ?? 'none');
    response.writeHead(404).end();
  });
  const leading = await startSource(t, (_request, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${other}/info/refs` }).end(),
  );
  const forge = await startForge(t, { ...ALLOWED, logLevel: 'trace' });
  const log = collectLog(forge.forge.running.app);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const texts: string[] = [];
  const given = { remote_username: 'writer', remote_password: secret };
  texts.push(JSON.stringify(await addMirror(ada, target.url, given)));
  assert.equal(await update(forge, ada), '');
  assert.equal((await refsAt(target.folder)).length, 1);
  await addFile(ada, 'a');
  isEchoing = true;
  assert.equal(await update(forge, ada), 'the target did not take the objects: *** *** ***');
  isRefusing = true;
  assert.equal(await update(forge, ada), 'the other server reports an error');
  assert.ok(log.some((line) => line.includes('ERR ***')));
  await addMirror(ada, `http://127.0.0.1:${leading}/x`, given);
  await update(forge, ada);
  assert.deepEqual(elsewhere, ['none']);
  const wrong = await ada.post(PUSH_MIRRORS, {
    ...given,
    remote_address: `http://u:${encodeURIComponent(secret)}@[x]/x`,
  });
  assert.equal(wrong.status, 400);
  texts.push(wrong.text, (await ada.get(PUSH_MIRRORS)).text);
  const { reader } = forge.forge.running.engines.database;
  const rows = await reader.selectFrom('push_mirrors').selectAll().execute();
  assert.equal(rows.filter(({ credentials }) => credentials?.startsWith('v1.')).length, 2);
  const events = await reader.selectFrom('events').selectAll().execute();
  const jobs = await reader.selectFrom('jobs').selectAll().execute();
  const all = [...texts, ...log, JSON.stringify([rows, events, jobs])].join('\n');
  assert.ok(log.some((line) => line.includes('a push mirror was not updated')));
  for (const form of [secret, encodeURIComponent(secret), encoded]) assert.ok(!all.includes(form), form);
  assert.ok(target.requests.every(({ path }) => !path.includes('hidden')));
});

test('push mirrors with slow targets hold back no push mirror of another owner, and no push', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const slow = await startTarget(t, {
    intercept: async () => {
      await released;
      return false;
    },
  });
  const quick = await startTarget(t);
  const callers = new Set<string>();
  const forge = await startForge(t, {
    ...ALLOWED,
    resolveHost: async () => {
      const { share, isServer } = currentCaller();
      callers.add(`${share} ${isServer}`);
      return ['127.0.0.1'];
    },
  });
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await ben.repository('engine', { auto_init: true });
  for (let count = 0; count < 3; count += 1) await addMirror(ada, slow.url, { sync_on_commit: true });
  assert.equal((await addFile(ada, 'a')).status, 201);
  await until(() => slow.requests.length > 0);
  callers.clear();
  const added = await ben.post('/api/v1/repos/ben/engine/push_mirrors', {
    remote_address: quick.url.replace('127.0.0.1', 'target.test'),
  });
  assert.equal(added.status, 200, added.text);
  await until(async () => (await refsAt(quick.folder)).length === 1);
  assert.ok(callers.has('mirrors false'));
  assert.equal((await addFile(ada, 'b')).status, 201);
  assert.equal(slow.requests.length, 1);
  release();
  await pushed(forge);
  const folder = await temporaryFolder(t);
  assert.deepEqual(await refsAt(slow.folder), await refsAt(folder, ada.remote('ada/engine')));
});

test('a push mirror that is deleted, or whose repository is, during its update leaves no row and no error', async (t) => {
  const forge = await startForge(t, { ...ALLOWED, logLevel: 'error' });
  const log = collectLog(forge.forge.running.app);
  const ada = await forge.account('ada');
  let path = '';
  const target = await startTarget(t, {
    intercept: async ({ url = '' }) => {
      if (url.endsWith('/git-receive-pack')) assert.equal((await ada.delete(path)).status, 204);
      return false;
    },
  });
  for (const what of ['push mirror', 'repository']) {
    await ada.repository('engine', { auto_init: true });
    const { remote_name: name } = await addMirror(ada, target.url);
    path = what === 'repository' ? '/api/v1/repos/ada/engine' : `${PUSH_MIRRORS}/${name}`;
    assert.equal((await ada.post(SYNC)).status, 200);
    await pushed(forge);
    await git(target.folder, ['update-ref', '-d', 'refs/heads/main']);
    const { reader } = forge.forge.running.engines.database;
    assert.deepEqual(await reader.selectFrom('push_mirrors').select('id').execute(), []);
    await ada.delete('/api/v1/repos/ada/engine');
  }
  assert.deepEqual(log, []);
});

test('a server stops although a target hangs, and updates it when it runs again', async (t) => {
  let hangs = true;
  const target = await startTarget(t, { intercept: async () => hangs });
  const dataFolder = await temporaryFolder(t);
  const forge = await startForge(t, { ...ALLOWED, dataFolder });
  await forge.root.repository('engine', { auto_init: true });
  const added = await forge.root.post('/api/v1/repos/root/engine/push_mirrors', {
    remote_address: target.url,
  });
  assert.equal(added.status, 200, added.text);
  await until(() => target.requests.length > 0);
  const at = forge.flags.indexOf('--database-url');
  const database = at === -1 ? {} : { databaseUrl: forge.flags[at + 1] ?? '' };
  await forge.forge.stop();
  hangs = false;
  const again = await startForge(t, { ...ALLOWED, dataFolder, ...database });
  await pushed(again);
  assert.equal((await refsAt(target.folder)).length, 1);
});
