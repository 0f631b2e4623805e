import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, gitBytes, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { pkt, sendGit } from './wire.ts';

const API = '/api/v1/repos/ada/engine';

const OPTIONS = [
  '-',
  '--',
  '-x',
  '--output=pwned',
  '--upload-pack=touch pwned',
  '--exec=x',
  '--all',
  '-c x=y',
  '@{-1}',
  ':/x',
  'main:README.md',
  'main^',
  'main~0',
  'a\0b',
  'main\n--output=pwned',
];

test('D1: git does not read any value from a caller as an option or an expression', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  for (const text of OPTIONS) {
    const encoded = encodeURIComponent(text);
    for (const path of [
      `contents?ref=${encoded}`,
      `contents/README.md?ref=${encoded}`,
      `raw/README.md?ref=${encoded}`,
      `raw/${encoded}`,
      `contents/${encoded}`,
    ]) {
      assert.equal((await ada.get(`${API}/${path}`)).status, 404, path);
    }
    for (const options of [{ branch: text }, { new_branch: text }]) {
      const written = await ada.post(`${API}/contents/new`, { content: 'eA==', ...options });
      assert.ok([404, 422].includes(written.status), `${JSON.stringify(options)}: ${written.status}`);
    }
    const fetched = await sendGit(forge.url, 'ada/engine/git-upload-pack', {
      body: Buffer.concat([pkt(`want ${text}\n`), Buffer.from('0000'), pkt('done\n')]),
    });
    assert.ok(!fetched.bytes.includes('PACK'), text);
  }
  const files = await readdir(forge.forge.dataFolder, { recursive: true });
  assert.deepEqual(
    files.filter((name) => name.includes('pwned')),
    [],
  );
});

test('D5: a name or message sent over the API stays in its own field of the commit', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const forged = 'x\nauthor Eve <eve@example.org> 1 +0000';
  const texts = [
    forged,
    'a\rb',
    'a\0b',
    'Eve <eve@example.org>',
    '<',
    '>',
    '\u0007bell',
    ' . ',
    'x'.repeat(200),
  ];
  for (const [index, text] of texts.entries()) {
    const before = await tip();
    for (const person of [
      { name: text, email: 'a@example.org' },
      { name: 'A', email: text },
    ]) {
      const answer = await ada.post(`${API}/contents/file-${index}-${Object.values(person).indexOf(text)}`, {
        content: 'eA==',
        author: person,
        committer: person,
        message: `${forged}\n\ncommitter Eve <eve@example.org> 1 +0000`,
      });
      assert.ok(
        [201, 422].includes(answer.status),
        `${JSON.stringify(text)}: ${answer.status} ${answer.text}`,
      );
    }
    if ((await tip()) === before) continue;
    const head = (await rawCommit()).split('\n\n')[0] ?? '';
    const keys = head.split('\n').map((line) => line.split(' ')[0]);
    assert.deepEqual(keys, ['tree', 'parent', 'author', 'committer'], JSON.stringify(text));
    for (const line of head.split('\n').slice(2)) {
      assert.match(line, /^(?:author|committer) [^<>\u0000-\u001f]* ?<[^<>\u0000-\u001f]*> \d+ [+-]\d{4}$/);
    }
  }
  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', '--bare', ada.remote('ada/engine'), copy]);
  assert.equal((await tryGit(copy, ['fsck', '--strict'])).stderr, '');

  async function tip(): Promise<string> {
    return git('.', ['ls-remote', ada.remote('ada/engine'), 'refs/heads/main']);
  }
  async function rawCommit(): Promise<string> {
    const folder = join(await temporaryFolder(t), 'copy');
    await git('.', ['clone', '-q', '--bare', '--depth', '1', ada.remote('ada/engine'), folder]);
    return (await gitBytes(folder, ['cat-file', 'commit', 'HEAD'])).toString();
  }
});

test('D5: dates out of range are rejected, others are stored as given', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const write = (name: string, author: string) =>
    ada.post(`${API}/contents/${name}`, { content: 'eA==', dates: { author, committer: author } });
  for (const date of [
    '1 +0000',
    '1969-12-31T23:59:59Z',
    '2020-01-01T00:00:00+99:99',
    '2020-13-01T00:00:00Z',
    '2020-01-01T00:00:00Z\nx',
    '99999-01-01T00:00:00Z',
  ]) {
    assert.equal((await write('refused', date)).status, 422, date);
  }
  assert.equal((await write('given', '2020-02-03T04:05:06+02:00')).status, 201);
  const copy = join(await temporaryFolder(t), 'copy');
  await git('.', ['clone', '-q', ada.remote('ada/engine'), copy]);
  assert.equal(
    await git(copy, ['log', '-1', '--format=%ai %ci']),
    '2020-02-03 04:05:06 +0200 2020-02-03 04:05:06 +0200',
  );
});
