import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '../../../src/api/access/viewer.ts';
import { listIssuesAt } from '../../../src/tracker/markdown/store.ts';
import { pushedRepository } from '../../code/contents/files.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { git } from '../../support/git/git.ts';

const MARKDOWN = '/api/v1/markdown';

interface Sender {
  send(method: string, path: string, options: { json: unknown }): Promise<{ status: number; text: string }>;
}

/** Returns the links of a rendered text, as `label -> address`. */
async function linksFor(forge: TestForge, who: Sender, text: string, options: Record<string, unknown> = {}) {
  const json = { Text: text, Mode: 'comment', Context: 'ada/engine', ...options };
  const answer = await who.send('POST', MARKDOWN, { json });
  assert.equal(answer.status, 200, answer.text);
  return [...answer.text.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g)].map(
    ([, address = '', label = '']) => `${label} -> ${address.replace(forge.url, '')}`,
  );
}

test('a mention links to a user whom the caller may see', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const bob = await forge.account('Bob');
  const eve = await forge.account('eve');
  const hidden = await forge.root.patch('/api/v1/admin/users/eve', {
    visibility: 'private',
    login_name: 'eve',
    source_id: 0,
  });
  assert.equal(hidden.status, 200, hidden.text);
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const text = '@ada (@bob), @eve @missing @guild/devs `@ada` [@ada](/x) a@ada';

  const known = ['@ada -> /ada', '@bob -> /Bob', '@ada -> /x'];
  assert.deepEqual(await linksFor(forge, ada, text), known);
  assert.deepEqual(await linksFor(forge, eve, text), [...known.slice(0, 2), '@eve -> /eve', '@ada -> /x']);
  assert.deepEqual(await linksFor(forge, bob, text, { Mode: 'markdown' }), ['@ada -> /x']);
  const token = await eve.tokenFor(['write:misc', 'read:repository']);
  const limited = {
    send: (method: string, path: string, options: object) =>
      forge.send(method, path, { ...options, as: { token } }),
  };
  assert.deepEqual(await linksFor(forge, limited, text), known, 'a token that may not read users');
});

test('an issue reference links only if the caller may see the issue', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const bob = await forge.account('bob');
  await ada.repository('engine');
  await ada.repository('hidden', { private: true });
  for (const name of ['engine', 'hidden'])
    assert.equal((await ada.post(`/api/v1/repos/ada/${name}/issues`, { title: 'One' })).status, 201);
  const page = `${forge.url}/ada/hidden/issues/1`;
  const text = `#1 #2 !1 ADA/engine#1 ada/hidden#1 ada/hidden#2 ada/missing#1 fixes **#1** \`#1\` ${page}`;

  const open = [
    '#1 -> /ada/engine/issues/1',
    '!1 -> /ada/engine/issues/1',
    'ADA/engine#1 -> /ADA/engine/issues/1',
  ];
  const more = '#1 -> /ada/engine/issues/1';
  assert.deepEqual(await linksFor(forge, ada, text), [
    ...open,
    'ada/hidden#1 -> /ada/hidden/issues/1',
    more,
    'ada/hidden#1 -> /ada/hidden/issues/1',
  ]);
  assert.deepEqual(await linksFor(forge, bob, text), [...open, more, `${page} -> /ada/hidden/issues/1`]);
  const elsewhere = ['ADA/engine#1 -> /ADA/engine/issues/1', `${page} -> /ada/hidden/issues/1`];
  assert.deepEqual(await linksFor(forge, bob, text, { Context: 'ada/hidden' }), elsewhere);
  assert.deepEqual(await linksFor(forge, bob, text, { Context: 'ada/missing' }), elsewhere);
  assert.deepEqual(await linksFor(forge, bob, text, { Context: '' }), elsewhere);
  const token = await ada.tokenFor(['write:misc', 'read:repository', 'read:user']);
  const limited = {
    send: (method: string, path: string, options: object) =>
      forge.send(method, path, { ...options, as: { token } }),
  };
  assert.deepEqual(
    await linksFor(forge, limited, text),
    [`${page} -> /ada/hidden/issues/1`],
    'a token that may not read issues',
  );
  await ada.patch('/api/v1/repos/ada/engine', { has_issues: false });
  assert.deepEqual(await linksFor(forge, bob, '#1 ada/engine#1'), [], 'no issues');
});

test('a file has references to issues only with their repositories', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.post('/api/v1/repos/ada/engine/issues', { title: 'One' });
  const json = { Text: 'We are #1. ada/engine#1', Mode: 'file', FilePath: 'a.md', Context: 'ada/engine' };
  const { text } = await ada.send('POST', '/api/v1/markup', { json });
  const link = `<a href="${forge.url}/ada/engine/issues/1" class="ref-issue" rel="nofollow">ada/engine#1</a>`;
  assert.equal(text.trim(), `<p>We are #1. ${link}</p>`);
});

test('an external tracker has the issues, in its format', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.post('/api/v1/repos/ada/engine/issues', { title: 'One' });
  const text = '#12 !12 ABC-34 (x/7) ada/engine#1 `#12`';
  const linksWith = async (style: string, pattern = '') => {
    const external_tracker = {
      external_tracker_url: 'https://t.example',
      external_tracker_format: 'https://t.example/{user}/{repo}?i={index}',
      external_tracker_style: style,
      external_tracker_regexp_pattern: pattern,
    };
    const changed = await ada.patch('/api/v1/repos/ada/engine', { has_issues: true, external_tracker });
    assert.equal(changed.status, 200, changed.text);
    return linksFor(forge, ada, text);
  };

  assert.deepEqual(await linksWith('numeric'), ['#12 -> https://t.example/ada/engine?i=12']);
  assert.deepEqual(await linksWith('alphanumeric'), ['ABC-34 -> https://t.example/ada/engine?i=ABC-34']);
  assert.deepEqual(await linksWith('regexp', '\\((x/\\d+)\\)|#(\\d)2'), [
    '#12 -> https://t.example/ada/engine?i=1',
    '(x/7) -> https://t.example/ada/engine?i=x%2F7',
  ]);
  assert.deepEqual(await linksWith('regexp', '(unclosed'), []);
});

test('an id links if it is that of a commit of the repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const bob = await forge.account('bob');
  const { folder } = await pushedRepository(t, ada, 'engine', { a: '1' });
  const commit = (await git(folder, ['rev-parse', 'HEAD'])).trim();
  const tree = (await git(folder, ['rev-parse', 'HEAD^{tree}'])).trim();
  const short = commit.slice(0, 7);
  const page = `${forge.url}/ada/engine/commit/${commit}`;
  const text = `${commit} ${short}, ${tree} ${'0'.repeat(40)} fffffff ada/engine@${short} ada/other@${short} ${page}`;

  const shown = `<code>${commit.slice(0, 10)}</code>`;
  const links = [
    `${shown} -> /ada/engine/commit/${commit}`,
    `<code>${short}</code> -> /ada/engine/commit/${short}`,
    `<code>ada/engine@${short}</code> -> /ada/engine/commit/${short}`,
    `${shown} -> /ada/engine/commit/${commit}`,
  ];
  assert.deepEqual(await linksFor(forge, bob, text), links);
  assert.deepEqual(await linksFor(forge, bob, text, { Context: '' }), [
    `${page} -> /ada/engine/commit/${commit}`,
  ]);
  await ada.patch('/api/v1/repos/ada/engine', { private: true });
  assert.deepEqual(await linksFor(forge, bob, text), [`${page} -> /ada/engine/commit/${commit}`]);
  assert.equal((await linksFor(forge, ada, text)).length, links.length);
});

test('one statement finds all issues that a text refers to', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (let count = 0; count < 3; count += 1)
    await ada.post('/api/v1/repos/ada/engine/issues', { title: 'x' });
  const numbers = Array.from({ length: 300 }, (_, index) => `#${index + 1} @user${index}`);
  assert.deepEqual(
    await linksFor(forge, ada, `${numbers.join(' ')} @ada`),
    ['#1', '#2', '#3'].map((label, index) => `${label} -> /ada/engine/issues/${index + 1}`),
  );
  const { database } = forge.forge.running.engines;
  const paths = [3, 9, 1].map((number) => ({ owner: 'ADA', name: 'engine', number }));
  const { found, statements } = await statementsOf(database, (db) => listIssuesAt(db, ANONYMOUS, paths));
  const positions = found.map(({ position }) => position).toSorted((one, other) => one - other);
  assert.deepEqual([positions, statements.length], [[0, 2], 1]);
});
