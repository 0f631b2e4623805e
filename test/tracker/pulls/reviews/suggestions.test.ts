import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestionsIn, withReplacements } from '../../../../src/tracker/pulls/reviews/suggestions/blocks.ts';
import type { Person } from '../../../support/forge/forge.ts';
import type { Wire } from '../../issues/tracker.ts';
import { commitFile, ENGINE, FORK, forkEngine, openPull, PULLS, protect, settle } from '../pulls.ts';
import { commented, LINES, PULL, REVIEWS, review, startPull } from './reviewing.ts';

const SUGGESTIONS = `${PULL}/suggestions`;

function suggesting(text: string): string {
  return `Better:\n\n\`\`\`suggestion\n${text}\`\`\`\n`;
}

async function textOf(who: Person, path: string, branch = 'pump', repository = ENGINE): Promise<string> {
  const { body } = await who.get(`${repository}/contents/${path}?ref=${branch}`);
  return Buffer.from(body.content, 'base64').toString();
}

test('201: suggestions become one commit of the head, and their comments are resolved', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const [one, two, three] = await commented(
    cyd,
    { path: 'pump.txt', new_position: 5, body: suggesting('a pump\nand a valve\n') },
    { path: 'valve.txt', new_position: 1, extra_lines_count: 1, body: suggesting('') },
    { path: 'valve.txt', new_position: 3, body: suggesting('THREE\n') },
  );
  const applied = await ben.post(SUGGESTIONS, { comments: [three.id, one.id, two.id, one.id] });
  assert.equal(applied.status, 201, applied.text);
  const { sha, branch, html_url } = applied.body;
  assert.deepEqual([branch, html_url], ['pump', `${forge.url}/ada/engine/commit/${sha}`]);
  assert.equal(await textOf(ada, 'pump.txt'), LINES.with(4, 'a pump\nand a valve\n').join(''));
  assert.equal(await textOf(ada, 'valve.txt'), 'THREE\n');
  const { commit } = (await ada.get(`${ENGINE}/git/commits/${sha}`)).body;
  assert.deepEqual([commit.author.name, commit.committer.name], ['ben', 'ben']);
  assert.match(commit.message, /^Apply suggestions of a review\n\nCo-authored-by: cyd <.*>\n$/);
  assert.equal((await ada.get(PULL)).body.head.sha, sha);
  await settle(forge);
  const comments = (await ada.get(`${REVIEWS}/${one.pull_request_review_id}/comments`)).body;
  assert.deepEqual(
    comments.map((each: Wire) => [each.resolver.login, each.position]),
    [
      ['ben', 0],
      ['ben', 0],
      ['ben', 0],
    ],
  );
  assert.equal((await ben.post(SUGGESTIONS, { comments: [one.id] })).status, 409, 'applied already');
});

test('a message of its own, and an own suggestion without a co-author', async (t) => {
  const { ben } = await startPull(t);
  const [one] = await commented(ben, { path: 'valve.txt', new_position: 1, body: suggesting('1\n') });
  const { body } = await ben.post(SUGGESTIONS, { comments: [one.id], message: ' Use digits \n' });
  const { commit } = (await ben.get(`${ENGINE}/git/commits/${body.sha}`)).body;
  assert.equal(commit.message, 'Use digits\n');
});

test('403: users who may not write the head, and 201 for maintainers if its author allows them', async (t) => {
  const { ada, cyd, forge } = await startPull(t);
  const [one] = await commented(cyd, { path: 'valve.txt', new_position: 1, body: suggesting('1\n') });
  assert.equal((await cyd.post(SUGGESTIONS, { comments: [one.id] })).status, 403);
  await forkEngine(cyd, 'tap');
  await openPull(cyd, { head: 'cyd:tap', title: 'Tap' });
  const comments = [{ path: 'tap.txt', new_position: 1, body: suggesting('a tap\n') }];
  const { id } = (await ada.post(`${PULLS}/2/reviews`, { event: 'COMMENT', comments })).body;
  const [comment] = (await ada.get(`${PULLS}/2/reviews/${id}/comments`)).body;
  const url = `${PULLS}/2/suggestions`;
  assert.equal((await ada.post(url, { comments: [comment.id] })).status, 403);
  await cyd.patch(`${PULLS}/2`, { allow_maintainer_edit: true });
  assert.equal((await ada.post(url, { comments: [comment.id] })).status, 201);
  assert.equal(await textOf(cyd, 'tap.txt', 'tap', FORK), 'a tap\n');
  await settle(forge);
  assert.equal((await ada.get(`${PULLS}/2/reviews/${id}/comments`)).body[0].resolver.login, 'ada');
});

test('suggestions that cannot be applied', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const at = { path: 'valve.txt', new_position: 1 };
  const [none, two, old, same, one, other] = await commented(
    cyd,
    { ...at, body: 'No suggestion.' },
    { ...at, body: suggesting('1\n') + suggesting('2\n') },
    { path: 'pump.txt', old_position: 5, body: suggesting('1\n') },
    { ...at, body: suggesting('one\n') },
    { ...at, extra_lines_count: 1, body: suggesting('1\n') },
    { path: 'valve.txt', new_position: 2, body: suggesting('2\n') },
  );
  const status = async (fields: Wire) => (await ben.post(SUGGESTIONS, fields)).status;
  for (const { id } of [none, two, old, same]) assert.equal(await status({ comments: [id] }), 422);
  assert.equal(await status({ comments: [one.id, other.id] }), 422, 'the same line twice');
  for (const comments of [[], Array.from({ length: 101 }, (_, index) => index + 1), 'x', [one.id, 'x']])
    assert.equal(await status({ comments }), 422);
  assert.equal(await status({ comments: [one.id, 999_999] }), 404);
  assert.equal(await status({ comments: [one.id], message: 'x\0' }), 422);
  const { id } = await review(cyd, { comments: [{ ...at, body: suggesting('1\n') }] });
  const [pending] = (await cyd.get(`${REVIEWS}/${id}/comments`)).body;
  assert.equal(await status({ comments: [pending.id] }), 404, 'the pending review of another user');
  await protect(ada, { enable_push: false }, { name: 'pump' });
  assert.equal(await status({ comments: [one.id] }), 403, 'the head is protected');
  await ada.delete(`${ENGINE}/branch_protections/pump`);
  await commitFile(ben, 'gauge.txt', 'x\n', { branch: 'pump' });
  assert.equal(await status({ comments: [one.id] }), 409, 'until the comments have followed');
  await settle(forge);
  assert.equal(await status({ comments: [one.id] }), 201);
  await ben.patch(PULL, { state: 'closed' });
  assert.equal(await status({ comments: [other.id] }), 422);
});

test('blocks of suggestions in a text', () => {
  const cases: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    ['', []],
    ['```\nx\n```', []],
    ['```suggestion\n```', [[]]],
    ['```suggestion\r\na\r\n\r\nb\r\n```\r\n', [['a', '', 'b']]],
    ['~~~ suggestion\n```\nx\n```\n~~~', [['```', 'x', '```']]],
    ['````suggestion\n```js\n```\n````', [['```js', '```']]],
    ['```js\n```suggestion\nx\n```', []],
    ['   ```suggestion\nx\n   ```', [['x']]],
    ['    ```suggestion\nx\n', []],
    ['```suggestion\nx', [['x']]],
    ['```suggestions\nx\n```', []],
  ];
  for (const [text, expected] of cases) assert.deepEqual(suggestionsIn(text), expected, text);
});

test('replaced lines keep the ends of the lines of their file', () => {
  const cases: readonly (readonly [string, number, number, readonly string[], string | undefined])[] = [
    ['a\nb\nc\n', 2, 0, ['x', 'y'], 'a\nx\ny\nc\n'],
    ['a\r\nb\r\n', 1, 0, ['x', 'y'], 'x\r\ny\r\nb\r\n'],
    ['a\nb', 2, 0, ['x'], 'a\nx'],
    ['a\nb\n', 1, 1, [], ''],
    ['a\n', 2, 0, ['x'], undefined],
    ['', 1, 0, ['x'], undefined],
    ['ä\nb\n', 2, 0, ['ü'], 'ä\nü\n'],
  ];
  for (const [text, line, extraLines, lines, expected] of cases) {
    const result = withReplacements(Buffer.from(text), [{ line, extraLines, lines }]);
    assert.equal(result?.toString(), expected, JSON.stringify(text));
  }
});
