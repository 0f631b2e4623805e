import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, tryGit, workingCopy } from '../../support/git/git.ts';
import { emptyPack, FLUSH, type GitAnswer, packOf, pkt, pktLines, pushBody, sendGit } from './wire.ts';

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly tip: string;
  readonly work: string;
}

/** ada has a public repository `engine` with one commit. */
async function stage(t: TestContext): Promise<Stage> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), '# Engine\n');
  const tip = await commitAll(work, 'begin');
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'main']);
  return { forge, ada, tip, work };
}

/** A fetch of one commit by protocol 0. */
function wantBody(oid: string): Buffer<ArrayBuffer> {
  return Buffer.concat([pkt(`want ${oid} no-progress\n`), Buffer.from(FLUSH), pkt('done\n')]);
}

async function setRepository(forge: TestForge, columns: { archived_at?: number; is_mirror?: number }) {
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) =>
    tx.updateTable('repositories').set(columns).where('lower_name', '=', 'engine').execute(),
  );
}

function assertNotCached(answer: GitAnswer): void {
  const { headers } = answer;
  assert.deepEqual(
    [headers.get('expires'), headers.get('pragma'), headers.get('cache-control')],
    ['Fri, 01 Jan 1980 00:00:00 GMT', 'no-cache', 'no-cache, max-age=0, must-revalidate'],
  );
}

test('every git response has its content type and must not be cached', async (t) => {
  const { forge, ada, tip } = await stage(t);
  const as = { token: ada.token };
  const deletion = pushBody({ commands: [{ old: tip, ref: 'refs/heads/none' }] });
  const answers: Record<string, GitAnswer> = {
    'x-git-upload-pack-advertisement': await sendGit(
      forge.url,
      'ada/engine/info/refs?service=git-upload-pack',
    ),
    'x-git-receive-pack-advertisement': await sendGit(
      forge.url,
      'ada/engine/info/refs?service=git-receive-pack',
      { as },
    ),
    'x-git-upload-pack-result': await sendGit(forge.url, 'ada/engine/git-upload-pack', {
      body: wantBody(tip),
    }),
    'x-git-receive-pack-result': await sendGit(forge.url, 'ada/engine/git-receive-pack', {
      as,
      body: deletion,
    }),
  };
  for (const [type, answer] of Object.entries(answers)) {
    assert.equal(answer.status, 200, type);
    assert.equal(answer.headers.get('content-type'), `application/${type}`);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assertNotCached(answer);
  }
});

test('an advertisement begins with the name of the service, in every protocol version', async (t) => {
  const { forge } = await stage(t);
  for (const version of ['version=0', 'version=1', 'version=2']) {
    const answer = await sendGit(forge.url, 'ada/engine.git/info/refs?service=git-upload-pack', {
      headers: { 'git-protocol': version },
    });
    const lines = pktLines(answer.bytes);
    assert.deepEqual(lines.slice(0, 2), ['# service=git-upload-pack', FLUSH], version);
    if (version !== 'version=0') assert.equal(lines[2], version.replace('=', ' '));
  }
});

test('D2: an invalid protocol version in the header is ignored', async (t) => {
  const { forge } = await stage(t);
  const path = 'ada/engine/info/refs?service=git-upload-pack';
  const plain = await sendGit(forge.url, path);
  for (const header of ['version=3', 'version=2:x=y', 'version=2 ', 'x', '', 'version=2;ls', 'version=-1']) {
    const answer = await sendGit(forge.url, path, { headers: { 'git-protocol': header } });
    assert.equal(answer.status, 200, header);
    // A trailing space is not part of a header's value.
    if (header.trim() !== 'version=2') assert.equal(answer.text, plain.text, header);
  }
});

test('an anonymous caller gets 401 with a Basic challenge and a readable message', async (t) => {
  const { forge } = await stage(t);
  for (const path of [
    'ada/engine/info/refs?service=git-receive-pack',
    'ada/none/info/refs?service=git-upload-pack',
  ]) {
    const answer = await sendGit(forge.url, path);
    assert.equal(answer.status, 401, path);
    // By the realm, git-credential-oauth and Git Credential Manager recognize the server.
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm="Gitea"/);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
  }
});

test('B7: a hidden repository returns the same response as a missing one', async (t) => {
  const { forge, ada } = await stage(t);
  await ada.repository('secret', { private: true });
  const stranger = await forge.account('stranger');
  for (const as of [undefined, { token: stranger.token }]) {
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      const send = (name: string, tail: string, body?: Buffer<ArrayBuffer>) =>
        sendGit(forge.url, `ada/${name}/${tail}`, {
          ...(as === undefined ? {} : { as }),
          ...(body === undefined ? {} : { body }),
        });
      for (const [tail, body] of [
        [`info/refs?service=${service}`, undefined],
        [service, Buffer.from(FLUSH)],
      ] as const) {
        const [hidden, absent] = [await send('secret', tail, body), await send('absent', tail, body)];
        assert.equal(hidden.status, as === undefined ? 401 : 404, tail);
        assert.equal(hidden.text, absent.text);
        assert.deepEqual(withoutVarying(hidden.headers), withoutVarying(absent.headers));
      }
    }
  }
});

function withoutVarying(headers: Headers): Record<string, string> {
  const { date: _date, 'x-request-id': _id, ...others } = Object.fromEntries(headers);
  return others;
}

test('an unsupported service is rejected with 403', async (t) => {
  const { forge, ada } = await stage(t);
  for (const query of ['', '?service=', '?service=git-upload-archive', '?service=GIT-UPLOAD-PACK', '?x=y']) {
    const answer = await sendGit(forge.url, `ada/engine/info/refs${query}`, { as: { token: ada.token } });
    assert.equal(answer.status, 403, query);
    assert.match(answer.text, /dumb protocol is not served/);
  }
});

test('a body of another type is rejected with 415', async (t) => {
  const { forge, ada, tip } = await stage(t);
  const as = { token: ada.token };
  for (const type of [
    'application/json',
    'text/plain',
    'application/x-git-receive-pack-request',
    'application/x-git-upload-pack-request; charset=utf-8',
    'application/x-git-upload-pack-result',
    'multipart/form-data; boundary=x',
  ]) {
    const answer = await sendGit(forge.url, 'ada/engine/git-upload-pack', {
      as,
      body: wantBody(tip),
      headers: { 'content-type': type },
    });
    assert.equal(answer.status, 415, type);
  }
  const push = await sendGit(forge.url, 'ada/engine/git-receive-pack', {
    as,
    body: Buffer.from(FLUSH),
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
  });
  assert.equal(push.status, 415);
  assert.match(push.text, /application\/x-git-receive-pack-request/);
});

test('a body in an unknown compression is rejected with 415', async (t) => {
  const { forge, tip } = await stage(t);
  for (const encoding of ['br', 'deflate', 'zstd', 'gzip, gzip']) {
    const answer = await sendGit(forge.url, 'ada/engine/git-upload-pack', {
      body: wantBody(tip),
      headers: { 'content-encoding': encoding },
    });
    assert.equal(answer.status, 415, encoding);
  }
});

test('compressed bodies work in both directions, and broken ones are rejected', async (t) => {
  const { forge, ada, tip, work } = await stage(t);
  const headers = { 'content-encoding': 'gzip' };
  const fetched = await sendGit(forge.url, 'ada/engine/git-upload-pack', {
    body: Buffer.from(gzipSync(wantBody(tip))),
    headers,
  });
  assert.equal(fetched.bytes.toString('latin1', 0, 12), '0008NAK\nPACK');
  const pack = await packOf(work, [tip]);
  const body = pushBody({ commands: [{ new: tip, ref: 'refs/heads/second' }], pack });
  const as = { token: ada.token };
  const push = (bytes: Uint8Array) =>
    sendGit(forge.url, 'ada/engine/git-receive-pack', { as, body: Buffer.from(bytes), headers });
  assert.deepEqual(pktLines((await push(gzipSync(body))).bytes).slice(0, 2), [
    'unpack ok',
    'ok refs/heads/second',
  ]);
  const compressed = gzipSync(body);
  assert.equal((await push(Buffer.from('this is not gzip'))).status, 400);
  assert.equal((await push(compressed.subarray(0, 20))).status, 400);
  const cut = await push(compressed.subarray(0, -20));
  assert.doesNotMatch(cut.text, /unpack ok/);
});

test('unknown paths return 404', async (t) => {
  const { forge, ada } = await stage(t);
  const as = { token: ada.token };
  for (const path of [
    'ada/engine.wiki/info/refs?service=git-upload-pack',
    'ada/engine.wiki.git/info/refs?service=git-upload-pack',
    'ada/none.git/info/refs?service=git-upload-pack',
    'nobody/engine/info/refs?service=git-upload-pack',
    'ada/engine/HEAD',
    'ada/engine/objects/info/packs',
    'ada/engine/info/refs/more?service=git-upload-pack',
    'ada/engine/git-upload-archive',
    'ada/..%2fengine/info/refs?service=git-upload-pack',
    'ada/engine%2fx/info/refs?service=git-upload-pack',
    'ada/engine.git.git/info/refs?service=git-upload-pack',
  ]) {
    assert.equal((await sendGit(forge.url, path, { as })).status, 404, path);
  }
});

test('owner and repository names match in any case, with and without .git', async (t) => {
  const { forge, tip } = await stage(t);
  for (const path of ['ADA/Engine', 'ada/ENGINE.git', 'Ada/engine.GIT']) {
    assert.match(
      await git('.', ['ls-remote', `${forge.url}/${path}`, 'HEAD']),
      new RegExp(`^${tip}\t`),
      path,
    );
  }
});

test('an archived repository can be fetched but rejects pushes', async (t) => {
  const { forge, ada, work, tip } = await stage(t);
  await setRepository(forge, { archived_at: Date.now() });
  assert.match(await git('.', ['ls-remote', `${forge.url}/ada/engine`, 'HEAD']), new RegExp(tip));
  for (const as of [undefined, { token: ada.token }, { token: forge.root.token }]) {
    const who = as === undefined ? {} : { as };
    const listing = await sendGit(forge.url, 'ada/engine/info/refs?service=git-receive-pack', who);
    assert.equal(listing.status, 403);
    assert.match(listing.text, /archived/);
    const body = pushBody({ commands: [{ old: tip, ref: 'refs/heads/x' }], pack: emptyPack() });
    assert.equal((await sendGit(forge.url, 'ada/engine/git-receive-pack', { ...who, body })).status, 403);
  }
  const pushed = await tryGit(work, ['push', ada.remote('ada/engine'), 'main:other']);
  assert.match(pushed.stderr, /archived/);
});

test('a mirror rejects pushes', async (t) => {
  const { forge, ada, work } = await stage(t);
  await setRepository(forge, { is_mirror: 1 });
  const listing = await sendGit(forge.url, 'ada/engine/info/refs?service=git-receive-pack', {
    as: { token: ada.token },
  });
  assert.equal(listing.status, 403);
  assert.match((await tryGit(work, ['push', ada.remote('ada/engine'), 'main:other'])).stderr, /mirror/);
});
