import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentsOf, pushedRepository } from '../code/contents/files.ts';
import { startForge } from '../support/forge/forge.ts';
import { git } from '../support/git/git.ts';

// Runs once: no outcome depends on the database.

const INJECTED = [
  'Eve\nauthor Mallory <m@example.org> 0 +0000',
  'Eve\r\ncommitter Mallory <m@example.org> 0 +0000',
  'Eve\nparent 1111111111111111111111111111111111111111',
  'Eve\0\nencoding x',
  'Eve <m@example.org> 0 +0000\n\nanother message',
  'Eve> 1 +0000\nauthor M <m@example.org',
  '<<<>>>Eve',
  'Eve\u2028author M',
  '\n\n\nEve',
  ' Eve\u0085 ',
  'Eve\ud800',
];

test('D5: no name, address or message adds a header to a commit created over the API', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'engine', { file: 'x' });
  let parent = await git(folder, ['rev-parse', 'HEAD']);
  const bodies = INJECTED.flatMap((text) => [
    { author: { name: text, email: 'eve@example.org' } },
    { author: { name: 'Eve', email: `${text}@example.org` }, signoff: true },
    { committer: { name: text, email: text }, message: 'Eve' },
    { message: text.replaceAll('\0', ''), signoff: true },
  ]);
  let created = 0;
  for (const [index, body] of bodies.entries()) {
    const path = `made-${index}`;
    const answer = await ada.post(contentsOf('ada/engine', path), { content: '', ...body });
    const about = JSON.stringify(body);
    if (answer.status === 422) continue;
    assert.equal(answer.status, 201, `${about}: ${answer.text}`);
    await git(folder, ['fetch', '-q', ada.remote('ada/engine'), 'main']);
    const raw = await git(folder, ['cat-file', 'commit', 'FETCH_HEAD']);
    const headers = raw.slice(0, raw.indexOf('\n\n')).split('\n');
    assert.deepEqual(
      headers.map((line) => line.split(' ')[0]),
      ['tree', 'parent', 'author', 'committer'],
      about,
    );
    assert.equal(headers[1], `parent ${parent}`, about);
    for (const line of headers.slice(2))
      assert.match(line, /^\w+ [^<>\0\r]+ <[^<>\0\r\n ]*> \d+ \+0000$/, about);
    assert.equal(await git(folder, ['fsck', '--strict', 'FETCH_HEAD']), '', about);
    parent = answer.body.commit.sha;
    assert.equal(await git(folder, ['rev-parse', 'FETCH_HEAD']), parent);
    created += 1;
  }
  assert.ok(created > bodies.length / 2, `only ${created} of ${bodies.length} were accepted`);
});

test('D5: a trailer of the server has the name and address of the committer, and no other line', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'engine', { file: 'x' });
  for (const [index, name] of [...INJECTED, 'Eve\nSigned-off-by: Mallory <m@example.org>'].entries()) {
    const body = { content: '', message: 'Add', author: { name, email: 'eve@example.org' }, signoff: true };
    const answer = await ada.post(contentsOf('ada/engine', `made-${index}`), body);
    assert.equal(answer.status, 201, answer.text);
    await git(folder, ['fetch', '-q', ada.remote('ada/engine'), 'main']);
    const show = (format: string) => git(folder, ['show', '-s', `--format=${format}`, 'FETCH_HEAD']);
    const person = await show('%cn <%ce>');
    assert.equal(await show('%(trailers)'), `Signed-off-by: ${person}`, JSON.stringify(name));
    assert.equal(await show('%B'), `Add\n\nSigned-off-by: ${person}`, JSON.stringify(name));
  }
});

test('D5: dates that git cannot represent are rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const bad = [
    '1700000000 +0000\nparent x',
    '10000-01-01T00:00:00Z',
    '2026-01-01T00:00:00+15:00',
    '2026-01-01T00:00:00Z\n',
    '-0001-01-01T00:00:00Z',
    '1e3',
    'NaN',
  ];
  for (const date of bad) {
    for (const dates of [{ author: date }, { committer: date }]) {
      const answer = await ada.post(contentsOf('ada/engine', 'file'), { content: '', dates });
      assert.equal(answer.status, 422, `${JSON.stringify(dates)}: ${answer.text}`);
    }
  }
});
