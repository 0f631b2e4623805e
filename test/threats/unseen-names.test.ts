import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasUnseen, printable } from '../../src/base/core/text/text.ts';
import { base64, contentsOf, encodedPath, pushedRepository } from '../code/contents/files.ts';
import { startForge } from '../support/forge/forge.ts';
import { git, tryGit } from '../support/git/git.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const UNSEEN = [
  'pay\u202eexe',
  'ma\u200bin',
  'a\u2066b',
  'x\u00ady',
  '\ufeffx',
  'x\u200dy',
  '\u200cx',
  'a\u{e0041}',
];
const SEEN = [
  'größe',
  '日本語',
  'نامه\u200cای',
  'क्\u200dष',
  '👩\u200d💻',
  '🏴\u{e0067}\u{e0062}\u{e007f}',
  'e\u0301',
  'ok❤️',
];

test('C1: new names that people read hold no invisible characters and no marks of direction', async (t) => {
  for (const name of UNSEEN) assert.equal(hasUnseen(name), true, JSON.stringify(name));
  for (const name of SEEN) assert.equal(hasUnseen(name), false, JSON.stringify(name));

  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder } = await pushedRepository(t, ada, 'engine', { a: 'a' });
  const remote = ada.remote('ada/engine');
  for (const name of UNSEEN) {
    const pushed = await tryGit(folder, ['push', remote, `main:refs/heads/${name}`]);
    assert.notEqual(pushed.exitCode, 0, name);
    assert.match(pushed.stderr, /invisible characters/);
    const made = [
      await ada.post(`${ENGINE}/branches`, { new_branch_name: name }),
      await ada.post(`${ENGINE}/tags`, { tag_name: name }),
      await ada.post(`${ENGINE}/contents/${encodeURIComponent('f')}`, { content: '', new_branch: name }),
      await ada.post(`${ENGINE}/labels`, { name: `l${name}l`, color: '#000000' }),
      await ada.post(`${ENGINE}/milestones`, { title: `l${name}l` }),
      await ada.patch('/api/v1/user/settings', { full_name: `l${name}l` }),
      await ada.post('/api/v1/orgs', { username: 'guild', full_name: `l${name}l` }),
    ];
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([422]), JSON.stringify(name));
  }
  for (const name of SEEN) await git(folder, ['push', '-q', remote, `main:refs/heads/${name}`]);
  assert.equal((await ada.get(`${ENGINE}/branches`)).body.length, SEEN.length + 1);
});

test('C1: pages show the invisible characters of names that exist, and keep those of addresses and texts', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const name = 'pay\u202eexe.md';
  const shown = 'pay\\u{202e}exe.md';
  const text = 'wor\u200bd नमस्\u200dते';
  await ada.repository('engine', { auto_init: true, description: 'It\u2066 computes' });
  const created = await ada.post(contentsOf('ada/engine', `docs\u200b/${name}`), {
    content: base64(text),
    message: `Sub\u200bject\n\n${text}`,
    author: { name: 'A\u202eda', email: 'ada@example.org' },
  });
  assert.equal(created.status, 201, created.text);
  await ada.post(`${ENGINE}/issues`, { title: `Issue\u2067`, body: text });
  await ada.post(`${ENGINE}/issues/1/comments`, { body: `comment ${text}` });
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('accounts').set({ full_name: 'A\u2066da' }).where('name', '=', 'ada').execute(),
  );

  const folder = `/ada/engine/src/branch/main/${encodedPath('docs\u200b')}`;
  const address = `${folder}/${encodedPath(name)}`;
  for (const [path, ...parts] of [
    ['/ada', '<title>A\\u{2066}da (ada)</title>', 'It\\u{2066} computes'],
    ['/ada/engine', '<p>It\\u{2066} computes</p>'],
    ['/ada/engine/src/branch/main', `<a href="${folder}">docs\\u{200b}</a>`],
    [folder, `<a href="${address}">${shown}</a>`, '<strong>docs\\u{200b}</strong>'],
    [address, `<strong>${shown}</strong>`, `<p>${text}</p>`],
    [
      `/ada/engine/commit/${created.body.commit.sha}`,
      '<title>Sub\\u{200b}ject · ada/engine</title>',
      '<h1>Sub\\u{200b}ject</h1>',
      `<pre class="message">${text}</pre>`,
      ' A\\u{202e}da</span>',
    ],
    ['/ada/engine/issues/1', '<h1>Issue\\u{2067} <span', `<p>${text}</p>`, `<p>comment ${text}</p>`],
  ] as const) {
    const page = await forge.get(path);
    assert.equal(page.status, 200, path);
    for (const part of parts) assert.ok(page.text.includes(part), `${path}: ${part}\n${page.text}`);
  }

  const form = await forge.get('/login/flow', {
    as: { name: 'ada', password: ada.password },
    headers: { 'user-agent': 'App\u00ad "1"', 'ocs-apirequest': 'true' },
  });
  assert.match(form.text, /<strong>App\\u\{ad\} &quot;1&quot;<\/strong>/);
  assert.match(form.text, /name="device" value="App\u00ad &quot;1&quot;"/);
  const markdown = await ada.post('/api/v1/markdown', { Text: text, Mode: 'gfm' });
  assert.ok(markdown.text.includes(text), markdown.text);
});

test('C1: commands print no character that controls the terminal or that people do not see', () => {
  for (const [line, printed] of [
    ['a\tb', 'a\tb'],
    ['a\u001b[2J\nb', 'a\\u{1b}[2J\\u{a}b'],
    ['a\u2028b\u0085', 'a\\u{2028}b\\u{85}'],
    ...UNSEEN.map((name) => [name, name.replaceAll(/[^ -~]/gu, escaped)]),
    ...SEEN.map((name) => [name, name]),
  ] as const)
    assert.equal(printable(line as string), printed);
});

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
