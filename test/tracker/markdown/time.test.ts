import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, runFor } from '../../../src/base/core/fairness/caller.ts';
import { MarkdownEngine } from '../../../src/tracker/markdown/engine.ts';
import { MARKDOWN_LIMITS } from '../../../src/tracker/markdown/limits.ts';
import type { RenderWork } from '../../../src/tracker/markdown/model.ts';
import { renderParts } from '../../../src/tracker/markdown/render/render.ts';
import { afterTest } from '../../support/after-test.ts';
import { assertLinear } from '../../support/cpu-time.ts';
import { startForge } from '../../support/forge/forge.ts';

const BASE = { baseUrl: 'http://localhost', keepsLines: false };

function rendered(text: string, work: Partial<RenderWork> = {}): string {
  const answer = renderParts({ ...BASE, text, ...work });
  assert.ok('parts' in answer, JSON.stringify(answer));
  return answer.parts.map((part) => (typeof part === 'string' ? part : part.label)).join('');
}

function depthOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, slash] of html.matchAll(/<(\/?)[a-z]/g)) {
    depth += slash === '' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Repeats a piece up to a length. */
const repeated = (piece: string) => (chars: number) => piece.repeat(Math.ceil(chars / piece.length));

/** Numbers pieces up to a length. */
function numbered(chars: number, piece: (number: number) => string): string {
  let text = '';
  for (let number = 0; text.length < chars; number += 1) text += piece(number);
  return text;
}

function table(columns: number, rows: number): string {
  return `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}\n`;
}

/** Texts of any length that are costly for a part of the renderer. */
const COSTLY: readonly [what: string, text: (chars: number) => string][] = [
  ['elements of HTML inside each other', repeated('<b>')],
  ['unknown elements inside each other', repeated('<svg><x>')],
  ['frames that end in an open tag', repeated('<iframe><b </iframe><b>')],
  ['ends of elements that are not open', (chars) => `${'<b>'.repeat(300)}${'</i>'.repeat(chars / 4)}`],
  ['emphasis inside each other', (chars) => `${'*'.repeat(chars / 2)}a${'*'.repeat(chars / 2)}`],
  ['brackets that do not close', (chars) => `[x]: y\n\n${'['.repeat(chars)}`],
  ['brackets inside each other', (chars) => `[x]: y\n\n${'['.repeat(chars / 2)}a${']'.repeat(chars / 2)}`],
  ['labels of footnotes that do not close', (chars) => `[^x]: y\n\n${'[^a'.repeat(chars / 3)}`],
  [
    'footnotes that refer to each other',
    (chars) => `[^0]\n\n${numbered(chars, (n) => `[^${n}]: a[^${n + 1}]\n\n`)}`,
  ],
  ['references to one footnote', (chars) => `[^1]: a\n\n${'[^1]'.repeat(chars / 4)}`],
  ['wide tables of short rows', repeated(table(256, 256))],
  [
    'lazy lines after quotations inside each other',
    (chars) => `${'>'.repeat(90)}a\n${'a\n'.repeat(chars / 2)}`,
  ],
  ['marks of code of growing lengths', (chars) => numbered(chars, (n) => `a${'`'.repeat(n)}`)],
];

for (const [what, text] of COSTLY)
  test(`H9: the time of rendering grows no faster than the text, with ${what}`, () => {
    assertLinear(text, (one) => renderParts({ ...BASE, text: one }), { from: 8 * 1024, to: 128 * 1024 });
  });

test('H9: the tags of elements that are too deep are dropped, and their contents stay', () => {
  for (const piece of ['<b>', '<sub>', '<div>\n', '<b><svg>', '<iframe><b </iframe><b>', '*a **b ']) {
    const html = rendered(`${piece.repeat(2_000)}end`);
    assert.ok(depthOf(html) <= MARKDOWN_LIMITS.renderedNestingMax, piece);
    assert.match(html, /end/, piece);
  }
  const kept = MARKDOWN_LIMITS.renderedNestingMax - 1;
  assert.equal(
    rendered(`${'<b>'.repeat(1_000)}<i title="x&amp;y">a</i><br/>${'</b>'.repeat(1_000)} <i>b</i>`),
    `<p>${'<b>'.repeat(kept)}a${'</b>'.repeat(kept)} <i>b</i></p>\n`,
  );
  assert.equal(rendered(`${'<b>a</b>'.repeat(1_000)}`), `<p>${'<b>a</b>'.repeat(1_000)}</p>\n`);
});

test('H9: a text becomes no more cells than are in proportion to it', () => {
  const cellsOf = (text: string) => rendered(text).split('<td').length - 1;
  assert.equal(cellsOf(table(20, 100)), 2_000, 'short rows of an ordinary table are completed');
  assert.equal(cellsOf(`${'|a|b|c|d|\n|-|-|-|-|\n'}${'|1|2|3|4|\n'.repeat(20_000)}`), 80_000);
  const text = table(256, 256).repeat(20);
  assert.ok(cellsOf(text) < text.length, `${cellsOf(text)} cells of ${text.length} characters`);
});

test('H9: many links to one long address are rejected before they become HTML', () => {
  const text = `[x]: ${'a'.repeat(100_000)}\n\n${'[x]'.repeat(100_000)}`;
  const answer = renderParts({ ...BASE, text });
  assert.deepEqual(answer, { why: 'the text becomes longer than 8388608 characters: make it shorter' });
});

test('H9: the pattern of an external tracker ends after its time, and its text is rendered', () => {
  const tracker = { style: 'regexp', pattern: '(a+)+$|X-([0-9]+)' } as const;
  const references = { withNumbers: true, tracker };
  assert.equal(rendered(`${'a'.repeat(6)}${'aB'.repeat(50)}`, { references }).length > 0, true);
  const text = `${'a'.repeat(50)}!`;
  assert.equal(rendered(`${text}\n\nX-1`, { references }), `<p>${text}</p>\n<p>X-1</p>\n`);
});

function account(number: number, left?: AbortSignal): Caller {
  const caller = { share: `account ${number}`, lane: 'familiar', isAnonymous: false, isServer: false };
  return left === undefined ? caller : { ...caller, left };
}

test('H9: a small text is next, however many callers have sent costly ones', async (t) => {
  const engine = new MarkdownEngine();
  afterTest(t, () => engine.close());
  await engine.render({ ...BASE, text: 'a' });
  const leaving = new AbortController();
  afterTest(t, () => leaving.abort());
  const done: string[] = [];
  const send = (what: string, texts: number, text: string) =>
    Array.from({ length: texts }, (_, number) =>
      runFor(account(number, leaving.signal), () => engine.render({ ...BASE, text })).then(() =>
        done.push(what),
      ),
    );
  const small = table(256, 256).repeat(9);
  assert.ok(small.length <= MARKDOWN_LIMITS.markdownSmallChars);
  const sent = [...send('costly', 70, small), ...send('large', 7, '<b>'.repeat(100_000))];
  await runFor(account(100), () => engine.render({ ...BASE, text: '*x*' }));
  // Large texts have a thread of their own.
  assert.ok(done.filter((what) => what === 'costly').length <= 2, done.join());
  leaving.abort();
  await Promise.allSettled(sent);
});

test('H9: a user gets a small text while others render ones that take long', async (t) => {
  const forge = await startForge(t);
  const bob = await forge.account('bob');
  const send = async (name: string) => {
    const other = await forge.account(name);
    return other.post('/api/v1/markdown', { Text: '<b>'.repeat(100_000) });
  };
  let ended = 0;
  const large = Array.from({ length: 7 }, (_, number) => send(`other${number}`).finally(() => (ended += 1)));
  await Promise.race(large);
  const answer = await bob.post('/api/v1/markdown', { Text: '*x*' });
  assert.deepEqual([answer.status, answer.text], [200, '<p><em>x</em></p>\n']);
  assert.ok(ended < large.length, 'all of the large texts were rendered before');
  for (const { status, text } of await Promise.all(large)) {
    assert.equal(status, 200, text);
    assert.ok(depthOf(text) <= MARKDOWN_LIMITS.renderedNestingMax);
  }
});

test('H9: long rows of slashes and long contexts cost no more than other texts', async (t) => {
  const ada = await (await startForge(t)).account('ada');
  const row = `a${'/'.repeat(900_000)}b`;
  const links = '[a](b)'.repeat(2_000);
  for (const body of [
    { Text: 'a', Context: row },
    { Text: 'a', Context: 'ada/engine', BranchPath: row },
    { Text: links, Context: `https://a.example/${'a/'.repeat(400_000)}` },
  ]) {
    const answer = await ada.post('/api/v1/markup', body);
    assert.equal(answer.status, 200, answer.text.slice(0, 100));
    assert.ok(answer.text.length <= 200 * body.Text.length);
  }
});
