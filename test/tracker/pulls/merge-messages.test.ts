import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { commitFile, ENGINE, openPull, PULLS, startEngine } from './pulls.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the variables of templates

const TEMPLATE = '.gitea/default_merge_message/MERGE_TEMPLATE.md';
const BY_DEFAULT = "Merge pull request 'Add a pump' (#1) from pump into main\n";
const CHARS_MAX = 262_144;

/** Starts with pull request 1 by ben, whose merges have a template. */
async function startTemplate(
  t: Parameters<typeof startEngine>[0],
  { template, body = '', path = TEMPLATE }: { template: string; body?: string; path?: string },
) {
  const engine = await startEngine(t);
  await commitFile(engine.ada, path, template);
  await commitFile(engine.ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(engine.ben, { body });
  return engine;
}

const merge = (who: Person, fields: Record<string, unknown> = {}) =>
  who.post(`${PULLS}/1/merge`, { Do: 'merge', ...fields });

/** Merges, and returns the message of the merge. */
async function messageOfMerge(who: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const merged = await merge(who, fields);
  assert.equal(merged.status, 200, merged.text);
  return (await who.get(`${ENGINE}/branches/main`)).body.commit.message;
}

test('a template that fills in more than a message may have is replaced by the default message', async (t) => {
  const template = `Take it\n\n${'${PullRequestDescription}'.repeat(20)}`;
  const { ada } = await startTemplate(t, { template, body: 'pump'.repeat(5_000) });
  assert.equal(await messageOfMerge(ada), BY_DEFAULT);
});

test('a title of the request and a template together have at most the characters of a message', async (t) => {
  const template = 'Take it\n\n${PullRequestDescription}';
  const { ada } = await startTemplate(t, { template, body: 'x'.repeat(CHARS_MAX - 1_000) });
  const title = 'y'.repeat(2_000);
  assert.equal(await messageOfMerge(ada, { MergeTitleField: title }), `${title}\n`);
});

test('a message of a request that is too long is 422', async (t) => {
  const { ada } = await startTemplate(t, { template: 'Take it' });
  const { status, body } = await merge(ada, {
    MergeTitleField: 'Take it',
    MergeMessageField: 'x'.repeat(CHARS_MAX),
  });
  assert.equal(status, 422);
  assert.match(body.message, /at most 262144 characters/);
});

test('a template that no commit could store counts as missing', async (t) => {
  const { ada } = await startTemplate(t, { template: 'Take\0 it' });
  assert.equal(await messageOfMerge(ada), BY_DEFAULT);
});

test('the trailers of a squash leave out people who do not fit', async (t) => {
  const { ada, ben } = await startEngine(t);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  const body = 'x'.repeat(CHARS_MAX - 60);
  const message = await messageOfMerge(ada, {
    Do: 'squash',
    MergeTitleField: 'Take it',
    MergeMessageField: body,
  });
  assert.equal(message, `Take it\n\n${body}\n\nCo-authored-by: ben <ben@example.org>\n`);
});

test('a template names the issues that the merge closes, and no other ones', async (t) => {
  const { ada, ben } = await startEngine(t);
  await commitFile(ada, TEMPLATE, 'Take it\n\n${ClosingIssues}');
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await ada.post(`${ENGINE}/issues`, { title: 'It leaks' });
  await ada.post(`${ENGINE}/issues`, { title: 'It is slow', closed: true });
  await ada.post(`${ENGINE}/issues`, { title: 'It is blocked' });
  await ada.post(`${ENGINE}/issues`, { title: 'It blocks' });
  const dependency = { owner: 'ada', repo: 'engine', index: 4 };
  assert.equal((await ada.post(`${ENGINE}/issues/3/dependencies`, dependency)).status, 201);
  await openPull(ben, {
    body: 'Fixes #1, fixes #2, fixes #3, fixes #5, fixes #99, fixes ada/engine#4 and see #4',
  });
  const merged = await ada.post(`${PULLS}/5/merge`, { Do: 'merge' });
  assert.equal(merged.status, 200, merged.text);
  const { commit } = (await ada.get(`${ENGINE}/branches/main`)).body;
  assert.equal(commit.message, 'Take it\n\nclose #1, close #4\n');
});

test('a template names only issues that the merger may close', async (t) => {
  const { ada, ben } = await startEngine(t);
  await commitFile(ada, TEMPLATE, 'Take it\n\n${ClosingIssues}');
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await ada.post(`${ENGINE}/issues`, { title: 'It leaks' });
  await openPull(ben, { body: 'Fixes #1' });
  await ada.patch(ENGINE, { has_issues: false });
  assert.equal((await ada.post(`${PULLS}/2/merge`, { Do: 'merge' })).status, 200);
  const { commit } = (await ada.get(`${ENGINE}/branches/main`)).body;
  assert.equal(commit.message, 'Take it\n');
});

test('a template names approvers, and the repositories of both sides', async (t) => {
  const template =
    'Take it\n\n${HeadRepoOwnerName}/${HeadRepoName} ${PullRequestPosterName}\n${ReviewedOn}\n${ReviewedBy}';
  const { forge, ada, cyd } = await startTemplate(t, {
    template,
    path: TEMPLATE.replace('.gitea', '.forgejo'),
  });
  for (const who of [ada, cyd]) await who.post(`${PULLS}/1/reviews`, { event: 'APPROVED' });
  const message = await messageOfMerge(ada);
  assert.equal(
    message,
    [
      'Take it\n\nada/engine ben',
      `Reviewed-on: ${forge.url}/ada/engine/pulls/1`,
      'Reviewed-by: ada <ada@example.org>',
      'Reviewed-by: cyd <cyd@example.org>\n',
    ].join('\n'),
  );
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the variables of templates
