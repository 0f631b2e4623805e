import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, refsOf, tryGit, workingCopy } from '../../support/git/git.ts';
import { emptyPack, packOf, pktLines, pushBody, sendGit, ZERO } from './wire.ts';

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly work: string;
  readonly first: string;
  readonly second: string;
  /** Creates or deletes refs and returns the lines of the report. */
  move(refs: readonly string[], to: { old?: string; new?: string }): Promise<string[]>;
}

/** Starts a forge where ada has a repository whose `main` is at `second`. */
async function stage(t: TestContext): Promise<Stage> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), 'first\n');
  const first = await commitAll(work, 'first');
  await writeFile(join(work, 'README.md'), 'second\n');
  const second = await commitAll(work, 'second');
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'main']);
  const move: Stage['move'] = async (refs, to) => {
    const commands = refs.map((ref) => ({ old: ZERO, new: ZERO, ...to, ref }));
    const body = pushBody({ commands, pack: emptyPack() });
    const answer = await sendGit(forge.url, 'ada/engine/git-receive-pack', {
      as: { token: ada.token },
      body,
    });
    assert.equal(answer.status, 200, answer.text);
    return pktLines(answer.bytes);
  };
  return { forge, ada, work, first, second, move };
}

const AMBIGUOUS = [
  'HEAD',
  'refs/heads/HEAD',
  'refs/tags/HEAD',
  'refs/heads/refs/heads/main',
  'refs/tags/refs/heads/main',
  'refs/heads/refs',
  `refs/heads/${'ab'.repeat(20)}`,
  `refs/heads/${'AB'.repeat(20)}`,
  `refs/tags/${'ab'.repeat(32)}`,
  'refs/heads/--output=x',
  'refs/heads/-x',
  'refs/tags/-x',
  'refs/pull/1/head',
  'refs/for/main',
  `refs/replace/${'ab'.repeat(20)}`,
  'main',
  'refs/heads',
  'refs/heads/',
  'heads/main',
  'config',
  '../refs/heads/x',
  'refs/heads/../../config',
  'refs/heads/a..b',
  'refs/heads/a b',
  'refs/heads/a\tb',
  'refs/heads/a~1',
  'refs/heads/a^',
  'refs/heads/a:b',
  'refs/heads/a?b',
  'refs/heads/a*b',
  'refs/heads/a[b',
  'refs/heads/a\\b',
  'refs/heads/a@{b',
  'refs/heads/.a',
  'refs/heads/a.',
  'refs/heads/a.lock',
  'refs/heads/a.lock/b',
  'refs/heads//a',
  'refs/heads/a/',
  'refs/heads/a\u007f',
  `refs/heads/${'x'.repeat(1020)}`,
];

test('B5: a ref with an ambiguous name is rejected', async (t) => {
  const { move, work, first, second, ada } = await stage(t);
  const lines = await move(AMBIGUOUS, { new: first });
  assert.equal(lines[0], 'unpack ok');
  AMBIGUOUS.forEach((ref, index) => {
    assert.ok(lines[index + 1]?.startsWith('ng '), `${ref}: ${lines[index + 1]}`);
  });
  assert.deepEqual(await refsOf(work, ada.remote('ada/engine')), [`refs/heads/main ${second}`]);
});

test('unusual but unambiguous names are accepted', async (t) => {
  const { move, work, first, ada } = await stage(t);
  const refs = [
    'refs/heads/größe/日本語/\u{1F600}',
    'refs/heads/a-b_c.d+e=f,g',
    'refs/heads/@',
    'refs/heads/a@b',
    'refs/heads/deadbeef',
    "refs/heads/it's",
    'refs/heads/"quoted"',
    'refs/heads/<b>',
    'refs/heads/$(x);y|z&`w`',
    'refs/heads/#1',
    'refs/heads/100%',
    `refs/heads/${'x'.repeat(240)}`,
    'refs/notes/commits',
    'refs/custom/thing',
    'refs/heads/__proto__',
    'refs/heads/constructor',
  ];
  const lines = await move(refs, { new: first });
  assert.deepEqual(
    lines.slice(1, -1),
    refs.map((ref) => `ok ${ref}`),
  );
  assert.equal((await refsOf(work, ada.remote('ada/engine'))).length, refs.length + 1);
});

test('B5: raw, contents and git agree on a tag named like a branch', async (t) => {
  const { move, ada, first } = await stage(t);
  const created = await move(['refs/tags/main', 'refs/heads/v1', 'refs/tags/v1'], { new: first });
  assert.deepEqual(created.slice(1, -1), ['ok refs/tags/main', 'ok refs/heads/v1', 'ok refs/tags/v1']);
  const read = async (ref: string) => {
    const api = '/api/v1/repos/ada/engine';
    const raw = await ada.get(`${api}/raw/README.md?ref=${ref}`);
    const contents = await ada.get(`${api}/contents/README.md?ref=${ref}`);
    return [raw.text, Buffer.from(contents.body.content, 'base64').toString()];
  };
  assert.deepEqual(await read('main'), ['second\n', 'second\n']);
  assert.deepEqual(await read('refs/tags/main'), ['first\n', 'first\n']);
  assert.deepEqual(await read('refs/heads/main'), ['second\n', 'second\n']);
});

test('B5: a replace ref of a clone changes no response', async (t) => {
  const { ada, work, first, second } = await stage(t);
  await git(work, ['replace', second, first]);
  const pushed = await tryGit(work, ['push', ada.remote('ada/engine'), 'refs/replace/*:refs/replace/*']);
  assert.match(pushed.stderr, /refs\/replace\/ is reserved/);
  const raw = await ada.get('/api/v1/repos/ada/engine/raw/README.md');
  assert.equal(raw.text, 'second\n');
});

test('B4: every ref of a push is authorized separately', async (t) => {
  const { move, first, ada, work, second } = await stage(t);
  const lines = await move(
    ['refs/heads/one', 'refs/pull/1/head', 'refs/heads/two', 'refs/replace/x', 'refs/tags/three'],
    { new: first },
  );
  assert.deepEqual(
    lines.slice(1, -1).map((line) => line.slice(0, 2)),
    ['ok', 'ng', 'ok', 'ng', 'ok'],
  );
  const refs = await refsOf(work, ada.remote('ada/engine'));
  assert.deepEqual(refs, [
    `refs/heads/main ${second}`,
    `refs/heads/one ${first}`,
    `refs/heads/two ${first}`,
    `refs/tags/three ${first}`,
  ]);
});

test('B6: an object of a private repository cannot be fetched through another repository', async (t) => {
  const { forge, ada, work } = await stage(t);
  await ada.repository('secret', { private: true });
  await writeFile(join(work, 'secret.txt'), 'the secret\n');
  const hidden = await commitAll(work, 'hidden');
  await git(work, ['push', '-q', ada.remote('ada/secret'), 'HEAD:main']);
  const blob = await git(work, ['rev-parse', 'HEAD:secret.txt']);
  const elsewhere = await workingCopy(t);
  for (const version of [0, 1, 2]) {
    for (const oid of [hidden, blob]) {
      const speak = ['-c', `protocol.version=${version}`];
      const fetched = await tryGit(elsewhere, [...speak, 'fetch', '-q', `${forge.url}/ada/engine`, oid]);
      assert.notEqual(fetched.exitCode, 0, `version ${version}`);
      assert.match(fetched.stderr, /not our ref/);
    }
  }
  for (const path of [
    `contents?ref=${hidden}`,
    `raw/secret.txt?ref=${hidden}`,
    `contents?ref=${hidden.slice(0, 12)}`,
  ]) {
    assert.equal((await forge.get(`/api/v1/repos/ada/engine/${path}`)).status, 404, path);
  }
});

test('B6: objects of a rejected push are hidden from every caller', async (t) => {
  const { forge, ada, work, second } = await stage(t);
  await writeFile(join(work, 'README.md'), 'third\n');
  const third = await commitAll(work, 'third');
  const pack = await packOf(work, [third, `^${second}`]);
  const body = pushBody({ commands: [{ new: third, ref: 'refs/pull/1/head' }], pack });
  const answer = await sendGit(forge.url, 'ada/engine/git-receive-pack', { as: { token: ada.token }, body });
  assert.match(answer.text, /ng refs\/pull\/1\/head/);
  const elsewhere = await workingCopy(t);
  for (const version of [0, 2]) {
    const speak = ['-c', `protocol.version=${version}`];
    const fetched = await tryGit(elsewhere, [...speak, 'fetch', ada.remote('ada/engine'), third]);
    assert.match(fetched.stderr, /not our ref/);
  }
  assert.equal((await ada.get(`/api/v1/repos/ada/engine/contents?ref=${third}`)).status, 404);
});
