import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { type Caller, runFor } from '../../../src/base/core/fairness/caller.ts';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { MarkdownEngine } from '../../../src/tracker/markdown/engine.ts';
import { MARKDOWN_LIMITS } from '../../../src/tracker/markdown/limits.ts';
import { renderParts } from '../../../src/tracker/markdown/render/render.ts';
import { afterTest } from '../../support/after-test.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { ManualClock } from '../../support/manual-clock.ts';

// Runs once: no outcome depends on the database.

const MARKDOWN = '/api/v1/markdown';

async function rendered(ada: Person, text: string, options: Record<string, unknown> = {}): Promise<string> {
  const answer = await ada.post(MARKDOWN, { Text: text, Mode: 'gfm', ...options });
  assert.equal(answer.status, 200, answer.text);
  return answer.text.trimEnd();
}

/** Markdown, and its HTML. */
const FORMS: readonly [text: string, html: string][] = [
  ['**a** *b* ~~c~~ `d`', '<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>'],
  [
    '|a|b|\n|-|-:|\n|1|2|',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="right">2</td>\n</tr>\n</tbody>\n</table>',
  ],
  [
    '- [ ] a\n- [x] b\n- [y] c',
    '<ul>\n<li class="task-list-item"><input type="checkbox" disabled="" /> a</li>\n' +
      '<li class="task-list-item"><input type="checkbox" disabled="" checked="" /> b</li>\n<li>[y] c</li>\n</ul>',
  ],
  ['```go\nx := "<b>"\n```', '<pre><code class="language-go">x := "&lt;b&gt;"\n</code></pre>'],
  [
    'see https://a.example/x?b=1&c, not a.example',
    '<p>see <a href="https://a.example/x?b=1&amp;c" rel="nofollow">https://a.example/x?b=1&amp;c</a>, not a.example</p>',
  ],
  ['<ada@a.example>', '<p><a href="mailto:ada@a.example" rel="nofollow">ada@a.example</a></p>'],
  ['# What is *this*?', '<h1 id="user-content-what-is-this">What is <em>this</em>?</h1>'],
  [
    '## Größe 2\n## Größe 2\n## !',
    '<h2 id="user-content-größe-2">Größe 2</h2>\n<h2 id="user-content-größe-2-1">Größe 2</h2>\n<h2 id="user-content-heading">!</h2>',
  ],
  ['[a](#b "c")', '<p><a href="#user-content-b" title="c" rel="nofollow">a</a></p>'],
  [
    'a[^n]\n\n[^n]: b',
    '<p>a<sup id="fnref:user-content-1"><a href="#fn:user-content-1" rel="nofollow">1</a></sup></p>\n' +
      '<div class="footnotes">\n<hr />\n<ol>\n<li id="fn:user-content-1"><p>b <a href="#fnref:user-content-1" rel="nofollow">↩︎</a></p>\n</li>\n</ol>\n</div>',
  ],
  ['<details open><summary>a</summary>b</details>', '<details open><summary>a</summary>b</details>'],
  ['a\nb', '<p>a\nb</p>'],
  ['\uE0000:0\uE001 \uD800', '<p>\uE0000:0\uE001 \uFFFD</p>'],
  ['', ''],
];

test('a text is rendered in the dialect of the reference', async (t) => {
  const ada = await (await startForge(t)).account('ada');
  for (const [text, html] of FORMS) assert.equal(await rendered(ada, text), html, text);
  assert.equal(await rendered(ada, 'a\nb', { Mode: 'comment' }), '<p>a<br />\nb</p>');
});

/** Markdown, and what is left of it. */
const ACTIVE: readonly [text: string, html: string][] = [
  ['<script>alert(1)</script>a', 'a'],
  ['a <script>alert(1)</script>', '<p>a </p>'],
  ['[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>'],
  [
    '[a](data:text/html,x) ![b](data:image/svg+xml,x)',
    '<p>[a](data:text/html,x) ![b](data:image/svg+xml,x)</p>',
  ],
  [
    '[a](java&#10;script:x) [b](&#106;avascript:x) [c](java&Tab;script:x)',
    '<p><a href="java%0Ascript:x" rel="nofollow">a</a> [b](javascript:x) <a href="java%09script:x" rel="nofollow">c</a></p>',
  ],
  ['<a href="java&#10;script:x">a</a>', '<p><a rel="nofollow">a</a></p>'],
  ['<a href="&#106;&#x61;vascript&colon;x">a</a>', '<p><a rel="nofollow">a</a></p>'],
  [
    '<a href=" &#1;javascript:x">a</a> <a href="vbscript:x">b</a> <a href="DATA:x">c</a>',
    '<p><a rel="nofollow">a</a> <a rel="nofollow">b</a> <a rel="nofollow">c</a></p>',
  ],
  ['a <img src="x" onerror="y" alt="b">', '<p>a <img src="x" alt="b" /></p>'],
  ['a <img src="data:image/png;base64,x"> <img srcset="javascript:x 2x">', '<p>a <img /> <img /></p>'],
  ['a <svg onload="x"><script>y</script></svg> <math><mi>z</mi></math>', '<p>a  z</p>'],
  ['<iframe src="/x"></iframe><object data="/x"></object><embed src="/x">', ''],
  ['a <form action="/x"><input name="password"><button>b</button></form>', '<p>a </p>b<p></p>'],
  [
    'a <p style="position:fixed" class="modal" id="main" onclick="x">b</p>',
    '<p>a </p><p id="user-content-main">b</p><p></p>',
  ],
  ['<style>p{}</style><link rel="x" href="/y"><meta http-equiv="refresh"><base href="/z">', ''],
  [
    '<a name="token" href="/x" target="_top" rel="opener">a</a>',
    '<p><a href="/x" name="user-content-token" rel="nofollow">a</a></p>',
  ],
  ['<!--#include file="/etc/passwd" -->', ''],
  ['```js" onload="x\na\n```', '<pre><code class="language-js&quot;">a\n</code></pre>'],
  [
    '<b title="</b><script>x</script>">a</b>',
    '<p><b title="&lt;/b&gt;&lt;script&gt;x&lt;/script&gt;">a</b></p>',
  ],
];

test('F2: nothing active stays in a rendered text', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const [text, html] of ACTIVE) assert.equal((await rendered(ada, text)).trim(), html, text);
  const { headers } = await ada.post(MARKDOWN, { Text: 'a' });
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
});

test('relative addresses belong to the context', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { default_branch: 'dev/1' });
  await ada.repository('hidden', { private: true });
  const bob = await forge.account('bob');
  const text = '[a](docs/b.md) ![c](d.png) <a href="../e">f</a> [g](/h) [i](https://j.example)';
  const addresses = async (options: Record<string, unknown>, who = ada, path = MARKDOWN) => {
    const answer = await who.post(path, { Text: text, Mode: 'gfm', ...options });
    assert.equal(answer.status, 200, answer.text);
    return [...answer.text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = '']) =>
      address.replace(forge.url, ''),
    );
  };
  const rest = ['/h', 'https://j.example'];

  const inBranch = [
    '/ada/engine/src/branch/main/x/docs/b.md',
    '/ada/engine/media/branch/main/x/d.png',
    '/ada/engine/src/branch/main/e',
    ...rest,
  ];
  for (const Context of ['/ada/engine/src/branch/main/x', `${forge.url}/ada/engine/src/branch/main/x/`])
    assert.deepEqual(await addresses({ Context }), inBranch, Context);
  const inDefault = [
    '/ada/engine/src/branch/dev/1/docs/b.md',
    '/ada/engine/media/branch/dev/1/d.png',
    '/ada/engine/src/branch/dev/e',
    ...rest,
  ];
  for (const Context of ['ada/engine', '/ada/engine/', `${forge.url}/ada/engine`])
    assert.deepEqual(await addresses({ Context }), inDefault, Context);
  assert.deepEqual(await addresses({ Context: 'ada/engine', Wiki: true }), [
    '/ada/engine/wiki/docs/b.md',
    '/ada/engine/wiki/raw/d.png',
    '/ada/engine/e',
    ...rest,
  ]);
  assert.deepEqual(
    (await addresses({ Context: 'ada/engine', BranchPath: 'tag/v1' }, ada, '/api/v1/markup'))[0],
    '/ada/engine/src/tag/v1/docs/b.md',
  );
  assert.deepEqual((await addresses({ Context: 'https://k.example/l' }))[0], 'https://k.example/l/docs/b.md');
  assert.deepEqual((await addresses({}))[0], 'docs/b.md');
  const missing = await addresses({ Context: 'ada/missing' }, bob);
  assert.deepEqual(missing[0], '/ada/missing/docs/b.md');
  assert.deepEqual(
    await addresses({ Context: 'ada/hidden' }, bob),
    missing.map((address) => address.replace('missing', 'hidden')),
    'a hidden repository looks like a missing one',
  );
  for (const Context of [
    'javascript:x',
    'data:x',
    '//',
    '?',
    '..',
    'ada/..',
    'http://',
    `a${'/b'.repeat(5_000)}`,
  ])
    assert.equal((await ada.post(MARKDOWN, { Text: text, Context })).status, 200, Context);
  assert.deepEqual((await addresses({ Context: 'javascript:x' }))[0], 'docs/b.md');
});

test('a mode decides how a text is rendered, and unknown ones are rejected by markup', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const markup = (body: unknown) => ada.post('/api/v1/markup', body);

  for (const Mode of ['', 'markdown', 'gfm', 'comment', 'wiki', 'unknown'])
    assert.equal((await ada.post(MARKDOWN, { Text: '*a*', Mode })).text.trim(), '<p><em>a</em></p>', Mode);
  for (const Mode of ['', 'markdown', 'gfm', 'comment', 'wiki'])
    assert.equal((await markup({ Text: '*a*', Mode })).text.trim(), '<p><em>a</em></p>', Mode);
  for (const FilePath of ['README.md', 'docs/A.MARKDOWN'])
    assert.equal((await markup({ Text: '*a*', Mode: 'file', FilePath })).text.trim(), '<p><em>a</em></p>');
  const unknown = await markup({ Text: '*a*', Mode: 'unknown' });
  assert.deepEqual([unknown.status, unknown.body.message], [422, 'Unknown mode: unknown']);
  const other = await markup({ Text: '*a*', Mode: 'file', FilePath: 'path/test.unknown' });
  assert.deepEqual([other.status, other.body.message], [422, 'Unsupported render extension: .unknown']);
  assert.equal((await markup({ Text: '*a*', Mode: 'file' })).status, 422);
  assert.equal((await markup({})).text, '');
});

test('a raw body is the text, whatever its content type', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const raw = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    ada.send('POST', '/api/v1/markdown/raw', { body, headers });

  for (const type of [
    'text/plain',
    'text/markdown; charset=utf-8',
    'application/x-www-form-urlencoded',
    'application/json',
  ])
    assert.equal(
      (await raw('{"Text": *é*}', { 'content-type': type })).text.trim(),
      '<p>{"Text": <em>é</em>}</p>',
      type,
    );
  assert.equal((await raw('*a*', {})).text.trim(), '<p><em>a</em></p>');
  const bytes = await raw(new Uint8Array([0x61, 0xff, 0x00]), { 'content-type': 'text/plain' });
  assert.equal(bytes.text.trim(), '<p>a\uFFFD\uFFFD</p>');
  const empty = await ada.send('POST', '/api/v1/markdown/raw');
  assert.deepEqual([empty.status, empty.text], [200, '']);
  assert.equal((await forge.send('POST', '/api/v1/markdown/raw', { body: 'a' })).status, 401);
  assert.equal((await raw('@ada #1', { 'content-type': 'text/plain' })).text.trim(), '<p>@ada #1</p>');
});

test('a body of wrong types, or one that is too large, is rejected', async (t) => {
  const ada = await (await startForge(t)).account('ada');
  for (const body of [{ Text: 1 }, { Text: [] }, { Mode: {} }, { Context: 1 }, { Wiki: 'yes' }])
    assert.equal((await ada.post(MARKDOWN, body)).status, 422, JSON.stringify(body));
  const long = 'x'.repeat(HTTP_LIMITS.jsonBodyBytesMax + 1);
  assert.equal((await ada.post(MARKDOWN, { Text: long })).status, 413);
  const raw = await ada.send('POST', '/api/v1/markdown/raw', {
    body: long,
    headers: { 'content-type': 'text/plain' },
  });
  assert.equal(raw.status, 413);
});

const HOSTILE = [
  ...[
    '[',
    '![',
    '[[',
    '[](',
    '*a **b',
    '> ',
    '- ',
    '> - 1) ',
    '`',
    '<',
    '<!--',
    '&amp;',
    '[^1]',
    '^[a]',
    '~~a',
  ],
  ...[
    '<b>',
    '<a href=x>',
    '[^1]: a\n\n',
    '\\',
    '***',
    'http://',
    'a@b.c ',
    '|a',
    '# ',
    '@a ',
    '#1 ',
    '\u0000',
  ],
];

test('hostile texts are rendered', async (t) => {
  const ada = await (await startForge(t)).account('ada');
  for (const piece of HOSTILE) {
    const text = piece.repeat(8_000 / piece.length);
    assert.equal((await ada.post(MARKDOWN, { Text: text, Mode: 'comment' })).status, 200, piece);
  }
});

/** Texts of about n characters, in which the time of a parser or renderer could grow with the square of n. */
const GROWING: Readonly<Record<string, (n: number) => string>> = {
  'open elements': (n) => '<b>'.repeat(n / 3),
  'open elements of several names': (n) => '<b><i><sub><span>'.repeat(n / 16),
  'open elements that no rule knows': (n) => '<x>'.repeat(n / 3),
  'elements that are closed in another order': (n) => '<b>'.repeat(n / 8) + '</i>'.repeat(n / 8),
  'elements whose end is hidden in a comment': (n) => '<b><!-- </b> -->'.repeat(n / 15),
  'elements whose end is hidden in an attribute': (n) => '<b title="</b>">'.repeat(n / 16),
  'elements whose end is hidden in text': (n) => '<b><title></b></title>'.repeat(n / 22),
  'elements whose end is hidden in other markup': (n) => '<b><svg><![CDATA[ > </b> ]]></svg>'.repeat(n / 34),
  'paragraphs that end implicitly': (n) => '<p><div></p>'.repeat(n / 12),
  'footnotes without uses': (n) => Array.from({ length: n / 12 }, (_, each) => `[^${each}]: x`).join('\n\n'),
  'footnotes in footnotes': (n) =>
    Array.from({ length: n / 16 }, (_, each) => `[^${each}]: [^${each + 1}]`).join('\n\n'),
  'uses of one footnote': (n) => `[^a]: x\n\n${'[^a]'.repeat(n / 4)}`,
  'open links': (n) => '[a](<b'.repeat(n / 6),
  emphasis: (n) => '*a*_a_'.repeat(n / 6),
  'headings of one name': (n) => '# a\n'.repeat(n / 4),
};

/** CPU time in ms, the least of two runs. */
function timeOf(text: string): number {
  const once = () => {
    const before = process.cpuUsage();
    renderParts({ text, baseUrl: 'http://localhost', keepsLines: false });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  return Math.min(once(), once());
}

test('H9: the time to render a hostile text grows with its length, not with the square of it', () => {
  for (const make of Object.values(GROWING)) timeOf(make(5_000));
  for (const [name, make] of Object.entries(GROWING)) {
    const [small, large] = [timeOf(make(30_000)), timeOf(make(240_000))];
    // 8 times as long; the square would be 64 times.
    assert.ok(large < 30 * Math.max(small, 20), `${name}: ${small} ms, then ${large} ms`);
  }
});

test('H9: an element deeper than the limit loses its tag and keeps its text', () => {
  const render = (text: string) => {
    const answer = renderParts({ text, baseUrl: 'http://localhost', keepsLines: false });
    return 'parts' in answer ? answer.parts.join('') : answer.why;
  };
  const deep = MARKDOWN_LIMITS.renderedNestingMax + 10;
  const html = render(`${'<b>'.repeat(deep)}text`);
  assert.match(html, /text/);
  assert.ok(html.split('<b>').length <= MARKDOWN_LIMITS.renderedNestingMax);
  assert.equal(
    render('<ul><li>a<li>b</ul>'.repeat(2_000)).split('<li>').length,
    4_001,
    'siblings are not deep',
  );
  assert.equal(render('a<br>'.repeat(2_000)).split('<br />').length, 2_001);
});

test('H9: a small text does not wait for the large texts of other callers', async (t) => {
  const forge = await startForge(t);
  const others = await Promise.all(Array.from({ length: 7 }, (_, each) => forge.account(`other-${each}`)));
  const ada = await forge.account('ada');
  const leave = new AbortController();
  let answered = 0;
  const large = `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(120_000)}`;
  const rendering = others.map(async ({ token }) => {
    const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ Text: large, Mode: 'comment' });
    const options = { method: 'POST', headers, body, signal: leave.signal };
    await fetch(`${forge.url}${MARKDOWN}`, options).then(
      () => (answered += 1),
      () => undefined,
    );
  });
  for (let each = 0; each < 3; each += 1) assert.equal(await rendered(ada, '*x*'), '<p><em>x</em></p>');
  assert.ok(answered < others.length, 'the large texts have all been rendered before');
  leave.abort();
  await Promise.all(rendering);
});

test('H9: a caller who has used the allowance of time waits, and others do not', async (t) => {
  const clock = new ManualClock();
  const engine = new MarkdownEngine({ clock, msPerPeriodMax: 200 });
  afterTest(t, () => engine.close());
  const callerOf = (share: string): Caller => ({ share, isAnonymous: false, isServer: false });
  const work = { text: '*a*', baseUrl: 'http://localhost', keepsLines: false };
  const render = (share: string) => runFor(callerOf(share), () => engine.render(work));
  let count = 0;
  const isBusy = (error: unknown) => error instanceof ForgeError && error.failure.kind === 'busy';
  // On a busy machine, too, each of these is rendered long before the deadline.
  const text = '|a|b|\n|-|-|\n|1|2|\n'.repeat(200);
  await assert.rejects(async () => {
    for (; count < 10_000; count += 1) await runFor(callerOf('eve'), () => engine.render({ ...work, text }));
  }, isBusy);
  assert.ok(count > 0);
  assert.equal((await render('ada')).join(''), '<p><em>a</em></p>\n');
  // On a busy machine, the last text may have taken the allowance of many periods.
  clock.advance(100 * MARKDOWN_LIMITS.markdownPeriodMs);
  await render('eve');
});

test('a text whose HTML is too long is rejected', () => {
  const text = 'x'.repeat(MARKDOWN_LIMITS.renderedCharsMax);
  const answer = renderParts({ text, baseUrl: 'http://localhost', keepsLines: false });
  assert.deepEqual(answer, { why: 'the text becomes longer than 8388608 characters: make it shorter' });
});

test('references of a text beyond the limit stay text', () => {
  const text = '@ada '.repeat(100_000);
  const work = { text, baseUrl: 'http://localhost', keepsLines: false, references: { withNumbers: true } };
  const answer = renderParts(work);
  assert.ok('parts' in answer);
  const links = answer.parts.filter((part) => typeof part !== 'string');
  assert.equal(links.length, MARKDOWN_LIMITS.renderedLinksMax);
  const shown = answer.parts.map((part) => (typeof part === 'string' ? part : part.label)).join('');
  assert.equal(shown, `<p>${text.trimEnd()}</p>\n`);
});

test('a text that takes too long is rejected, and the next one has a new thread', async (t) => {
  const engine = new MarkdownEngine({ deadlineMs: 1 });
  afterTest(t, () => engine.close());
  const work = { text: '*a*', baseUrl: 'http://localhost', keepsLines: false };
  // No thread starts in this time.
  for (let count = 0; count < 2; count += 1)
    await assert.rejects(engine.render(work), /takes too long to render/);
});
