import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import {
  commitAll,
  git,
  gitBytes,
  objectsOf,
  refsOf,
  temporaryFolder,
  tryGit,
  workingCopy,
} from '../../support/git/git.ts';
import { FLUSH, pkt, pktLines, sendGit, sideBands } from './wire.ts';

// Runs once: no outcome depends on the database.

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  /** clone URL of a repository with `commits`, with ada's token */
  readonly remote: string;
  /** working copy that pushed the commits */
  readonly source: string;
  readonly commits: readonly string[];
}

/** Pushes a public repository with five commits on `main`, a branch `topic` and a tag. */
async function stage(t: TestContext): Promise<Stage> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const source = await workingCopy(t);
  const commits: string[] = [];
  for (const number of [1, 2, 3, 4, 5]) {
    await writeFile(join(source, `file-${number}.txt`), `content ${number}\n`);
    commits.push(await commitAll(source, `commit ${number}`));
  }
  await git(source, ['branch', 'topic', 'HEAD~2']);
  await git(source, ['tag', '-a', '-m', 'first', 'v1', 'HEAD~1']);
  const remote = ada.remote('ada/engine');
  await git(source, ['push', '-q', remote, '--all']);
  await git(source, ['push', '-q', remote, '--tags']);
  return { forge, ada, remote, source, commits };
}

async function clone(t: TestContext, args: readonly string[]): Promise<string> {
  const folder = join(await temporaryFolder(t), 'clone');
  await git('.', ['clone', '-q', ...args, folder]);
  return folder;
}

for (const version of [0, 1, 2]) {
  test(`a clone and later fetches by protocol ${version} bring all commits`, async (t) => {
    const { remote, source } = await stage(t);
    const copy = join(await temporaryFolder(t), 'clone');
    const speak = ['-c', `protocol.version=${version}`];
    const cloned = await tryGit('.', [...speak, 'clone', '--mirror', remote, copy], {
      environment: { GIT_TRACE_PACKET: '1' },
    });
    assert.equal(cloned.exitCode, 0, cloned.stderr);
    // The first lines of the response name the version, except for version 0.
    const spoken = /< version ([12])/.exec(cloned.stderr)?.[1] ?? '0';
    assert.equal(spoken, String(version));
    assert.deepEqual(await refsOf(copy), await refsOf(source));
    assert.deepEqual(await objectsOf(copy), await objectsOf(source));

    await writeFile(join(source, 'later.txt'), 'later\n');
    await commitAll(source, 'later');
    await git(source, ['push', '-q', remote, 'main']);
    await git(copy, [...speak, 'fetch', '-q']);
    assert.deepEqual(await refsOf(copy), await refsOf(source));
    await git(copy, ['fsck', '--strict', '--no-dangling']);
  });
}

test('ls-remote lists HEAD, branches, tags and the targets of tags', async (t) => {
  const { remote, commits, source } = await stage(t);
  const tag = await git(source, ['rev-parse', 'v1']);
  const listed = await git('.', ['ls-remote', '--symref', remote]);
  assert.deepEqual(listed.split('\n'), [
    'ref: refs/heads/main\tHEAD',
    `${commits[4]}\tHEAD`,
    `${commits[4]}\trefs/heads/main`,
    `${commits[2]}\trefs/heads/topic`,
    `${tag}\trefs/tags/v1`,
    `${commits[3]}\trefs/tags/v1^{}`,
  ]);
  assert.equal(await git('.', ['ls-remote', remote, 'refs/heads/top*']), `${commits[2]}\trefs/heads/topic`);
});

test('a shallow clone can be deepened and completed', async (t) => {
  const { remote, source } = await stage(t);
  const count = (folder: string) => git(folder, ['rev-list', '--count', 'HEAD']);
  const shallow = await clone(t, ['--depth', '1', remote]);
  assert.equal(await count(shallow), '1');
  assert.deepEqual(await refsOf(shallow), [
    `refs/heads/main ${await git(source, ['rev-parse', 'main'])}`,
    `refs/remotes/origin/HEAD ${await git(source, ['rev-parse', 'main'])}`,
    `refs/remotes/origin/main ${await git(source, ['rev-parse', 'main'])}`,
  ]);
  await git(shallow, ['fetch', '-q', '--deepen', '2']);
  assert.equal(await count(shallow), '3');
  await git(shallow, ['fetch', '-q', '--unshallow']);
  assert.equal(await count(shallow), '5');
  await git(shallow, ['fsck', '--strict']);
});

test('a shallow clone can end at a date or at a ref', async (t) => {
  const { remote } = await stage(t);
  const since = await clone(t, ['--shallow-exclude', 'topic', remote]);
  assert.equal(await git(since, ['rev-list', '--count', 'HEAD']), '2');
  const recent = await clone(t, ['--shallow-since', '2001-01-01', remote]);
  assert.equal(await git(recent, ['rev-list', '--count', 'HEAD']), '5');
});

test('a clone of a single branch has only that branch', async (t) => {
  const { remote, commits } = await stage(t);
  const single = await clone(t, ['--single-branch', '--no-tags', '--branch', 'topic', remote]);
  assert.deepEqual(await refsOf(single), [
    `refs/heads/topic ${commits[2]}`,
    `refs/remotes/origin/topic ${commits[2]}`,
  ]);
});

test('a partial clone without blobs fetches each blob when it is first used', async (t) => {
  const { remote } = await stage(t);
  const partial = await clone(t, ['--filter=blob:none', '--no-checkout', remote]);
  const missing = async () => {
    const listed = await git(partial, ['rev-list', '--objects', '--missing=print', 'HEAD']);
    return listed.split('\n').filter((line) => line.startsWith('?')).length;
  };
  assert.equal(await missing(), 5);
  assert.equal(await git(partial, ['show', 'HEAD:file-3.txt']), 'content 3');
  assert.equal(await missing(), 4);
  await git(partial, ['checkout', '-q', 'main']);
  assert.equal(await readFile(join(partial, 'file-5.txt'), 'utf8'), 'content 5\n');
  assert.equal(await missing(), 0);
});

test('a partial clone without trees fetches each tree when it is first used', async (t) => {
  const { remote } = await stage(t);
  const partial = await clone(t, ['--filter=tree:0', '--no-checkout', remote]);
  assert.equal(await git(partial, ['rev-list', '--count', 'HEAD']), '5');
  assert.equal(await git(partial, ['ls-tree', '--name-only', 'HEAD~3']), 'file-1.txt\nfile-2.txt');
});

for (const version of [0, 2]) {
  test(`a clone with many own commits sends compressed requests (protocol ${version})`, async (t) => {
    const { remote, source } = await stage(t);
    const copy = await clone(t, [remote]);
    const tip = await git(copy, ['rev-parse', 'HEAD']);
    await git(copy, ['fast-import', '--quiet', '--force'], { input: longHistory(tip, 300) });
    await writeFile(join(source, 'later.txt'), 'later\n');
    const later = await commitAll(source, 'later');
    await git(source, ['push', '-q', remote, 'main']);
    const fetched = await tryGit(copy, ['-c', `protocol.version=${version}`, 'fetch', 'origin', 'main'], {
      environment: { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' },
    });
    assert.equal(fetched.exitCode, 0, fetched.stderr);
    assert.match(fetched.stderr, /Send header: Content-Encoding: gzip/);
    assert.equal(await git(copy, ['rev-parse', 'FETCH_HEAD']), later);
  });
}

/** Returns a fast-import stream of a branch of `count` commits that only this clone has. */
function longHistory(from: string, count: number): string {
  const commits = Array.from({ length: count }, (_, number) =>
    [
      'commit refs/heads/own',
      `committer Ada <ada@example.org> ${2_000_000_000 + number} +0000`,
      'data 3',
      'own',
      ...(number === 0 ? [`from ${from}`] : []),
      '',
    ].join('\n'),
  );
  return commits.join('\n');
}

for (const version of [0, 2]) {
  test(`a partial clone by protocol ${version} may use filters of bounded cost, and others are denied by name`, async (t) => {
    const { remote, commits } = await stage(t);
    const filtered = async (filter: string) => {
      const folder = join(await temporaryFolder(t), 'clone');
      const options = ['-c', `protocol.version=${version}`];
      const { exitCode, stderr } = await tryGit('.', [
        ...options,
        'clone',
        '--bare',
        `--filter=${filter}`,
        remote,
        folder,
      ]);
      return { exitCode, stderr };
    };
    for (const filter of ['blob:none', 'blob:limit=1k', 'tree:0', 'tree:3', 'object:type=commit']) {
      const { exitCode, stderr } = await filtered(filter);
      assert.equal(exitCode, 0, `${filter}: ${stderr}`);
    }
    for (const [filter, message] of [
      [`sparse:oid=${commits[4]}:file-1.txt`, "filter 'sparse:oid' not supported"],
      ['combine:blob:none+tree:1', "filter 'combine' not supported"],
      [`combine:blob:none+sparse:oid=${commits[4]}`, "filter 'combine' not supported"],
      ['tree:101', 'tree filter allows max depth 100, but got 101'],
    ] as const) {
      const { exitCode, stderr } = await filtered(filter);
      assert.notEqual(exitCode, 0, filter);
      assert.ok(stderr.includes(message), `${filter}: ${stderr}`);
    }
  });
}

test("a clone of an empty repository is on the repository's default branch", async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { default_branch: 'trunk' });
  const copy = await clone(t, [ada.remote('ada/engine')]);
  assert.equal(await git(copy, ['symbolic-ref', 'HEAD']), 'refs/heads/trunk');
  assert.deepEqual(await refsOf(copy), []);
});

test('the client shows the progress of a fetch, but not with --quiet', async (t) => {
  const { remote } = await stage(t);
  const [loud, quiet] = [await temporaryFolder(t), await temporaryFolder(t)];
  const shown = await tryGit('.', ['clone', '--progress', remote, join(loud, 'c')]);
  assert.match(shown.stderr, /^remote: (?:Counting|Enumerating) objects/m);
  const silent = await tryGit('.', ['clone', '-q', remote, join(quiet, 'c')]);
  assert.equal(silent.stderr, '');
});

test('a commit can be fetched by its oid', async (t) => {
  const { remote, commits } = await stage(t);
  const folder = await workingCopy(t);
  for (const version of [0, 2]) {
    await git(folder, ['-c', `protocol.version=${version}`, 'fetch', '-q', remote, commits[version] ?? '']);
    assert.equal(await git(folder, ['rev-parse', 'FETCH_HEAD']), commits[version]);
  }
});

test('a request for a missing object returns a protocol error', async (t) => {
  const { forge } = await stage(t);
  const absent = 'ab'.repeat(20);
  const second = Buffer.concat([
    pkt('command=fetch\n'),
    Buffer.from('0001'),
    pkt(`want ${absent}\n`),
    pkt('done\n'),
    Buffer.from(FLUSH),
  ]);
  const answer = await sendGit(forge.url, 'ada/engine/git-upload-pack', {
    body: second,
    headers: { 'git-protocol': 'version=2' },
  });
  assert.equal(answer.status, 200);
  assert.match(answer.text, /ERR upload-pack: not our ref/);
});

test('a fetch by protocol 0 sent as raw bytes returns a pack in side band 1', async (t) => {
  const { forge, commits, source } = await stage(t);
  const body = Buffer.concat([
    pkt(`want ${commits[4]} side-band-64k no-progress ofs-delta agent=git/test\n`),
    Buffer.from(FLUSH),
    pkt('done\n'),
  ]);
  const answer = await sendGit(forge.url, 'ada/engine.git/git-upload-pack', { body });
  assert.equal(answer.status, 200);
  assert.equal(pktLines(answer.bytes.subarray(0, 8))[0], 'NAK');
  const pack = sideBands(answer.bytes.subarray(8))[1];
  assert.equal(pack.toString('latin1', 0, 4), 'PACK');
  const copy = await workingCopy(t);
  await gitBytes(copy, ['index-pack', '--stdin', '--strict'], { input: pack });
  assert.equal(
    await git(copy, ['rev-parse', `${commits[4]}^{tree}`]),
    await git(source, ['rev-parse', 'HEAD^{tree}']),
  );
});
