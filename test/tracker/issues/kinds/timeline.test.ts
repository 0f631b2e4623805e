import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewEntry } from '../../../../src/tracker/issues/models/entries.ts';
import { insertEntries } from '../../../../src/tracker/issues/store/entries.ts';
import type { Person } from '../../../support/forge/forge.ts';
import { until } from '../../../support/until.ts';
import { open, type Wire } from '../tracker.ts';
import { ENGINE, ISSUE, ISSUES, openPull, PULL, startMixed } from './mixed.ts';

const timelineOf = async (who: Person, number: number): Promise<readonly Wire[]> => {
  const answer = await who.get(`${ISSUES}/${number}/timeline`);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-total-count'), String(answer.body.length));
  return answer.body;
};

const SHA = { old: 'a'.repeat(40), new: 'b'.repeat(40) };

/** What an entry without anything to say shows. */
const PLAIN = {
  ...{ body: '', old_ref: '', new_ref: '', ref_commit_sha: '', review_id: 0 },
  ...{ assignee: null, assignee_team: null, removed_assignee: false },
};

test('the timeline of a pull request shows what happens to one', async (t) => {
  const { forge, guild, ada, bob, pia } = await startMixed(t);
  const [{ id, repository }] = (await ada.get(`${ISSUES}?type=pulls`)).body;
  const { id: bobId } = (await bob.get('/api/v1/user')).body;
  const teams = (await ada.get('/api/v1/orgs/guild/teams')).body;
  const readers = teams.find(({ name }: Wire) => name === 'readers');
  await ada.post('/api/v1/orgs', { username: 'other' });
  const foreign = (await ada.post('/api/v1/orgs/other/teams', { name: 'foreign', permission: 'read' })).body;
  const entries: readonly (readonly [entry: NewEntry, shown: object])[] = [
    [
      {
        kind: 'pull_push',
        details: { before: SHA.old, after: SHA.new, isForced: false, commits: [SHA.new] },
      },
      { body: JSON.stringify({ is_force_push: false, commit_ids: [SHA.new] }) },
    ],
    [
      { kind: 'pull_push', details: { before: SHA.old, after: SHA.new, isForced: true, commits: [SHA.new] } },
      { body: JSON.stringify({ is_force_push: true, commit_ids: [SHA.old, SHA.new] }) },
    ],
    [
      { kind: 'change_target_branch', details: { from: 'main', to: 'next' } },
      { old_ref: 'main', new_ref: 'next' },
    ],
    [{ kind: 'delete_branch', details: { branch: 'pump' } }, { old_ref: 'pump' }],
    [
      { kind: 'review', body: 'Fine', details: { reviewId: 5, state: 'approved' } },
      { body: 'Fine', review_id: 5 },
    ],
    [{ kind: 'review_request', details: { accountId: bobId } }, { assignee: 'bob' }],
    [
      { kind: 'review_request', details: { accountId: bobId, isRemoved: true } },
      { assignee: 'bob', removed_assignee: true },
    ],
    [{ kind: 'review_request', details: { teamId: readers.id } }, { assignee_team: 'readers' }],
    [{ kind: 'review_request', details: { teamId: foreign.id } }, {}],
    [
      { kind: 'dismiss_review', body: 'Too old', details: { reviewId: 5 } },
      { body: 'Too old', review_id: 5 },
    ],
    [{ kind: 'pull_scheduled_merge' }, {}],
    [{ kind: 'pull_cancel_scheduled_merge' }, {}],
    [{ kind: 'merge_pull', details: { sha: SHA.new } }, { ref_commit_sha: SHA.new }],
  ];
  const { database } = forge.forge.running.engines;
  const issue = { id, repositoryId: repository.id };
  await database.transaction((tx) =>
    insertEntries(
      tx,
      { issue, authorId: bobId, at: Date.now() },
      entries.map(([entry]) => entry),
    ),
  );

  const [comment, ...shown] = await timelineOf(pia, PULL);
  const page = `${forge.url}/guild/engine/pulls/${PULL}`;
  assert.deepEqual([comment.type, comment.pull_request_url, comment.issue_url], ['comment', page, '']);
  assert.deepEqual(
    shown.map(({ type, user, assignee, assignee_team, ...entry }) => ({
      ...{ type, user: user.login },
      ...Object.fromEntries(Object.keys(PLAIN).map((key) => [key, entry[key]])),
      ...{ assignee: assignee?.login ?? null, assignee_team: assignee_team?.name ?? null },
    })),
    entries.map(([{ kind }, fields]) => ({ type: kind, user: 'bob', ...PLAIN, ...fields })),
  );
  assert.equal(shown[0].html_url, `${page}#issuecomment-${shown[0].id}`);
  await guild.ada.delete(`/api/v1/teams/${readers.id}`);
  assert.equal((await timelineOf(pia, PULL))[8].assignee_team, null);
});

test('references between the two kinds are in the timelines of those who may read both', async (t) => {
  const { ada, ida, pia, bob } = await startMixed(t);
  await openPull(ada, 'Three', { body: `Fixes #${ISSUE}` });
  await ada.post(`${ISSUES}/${ISSUE}/comments`, { body: `As #${PULL} and guild/engine#3 say` });
  await open(ida, 'Four', { body: `See #${PULL}, guild/engine#3 and #${ISSUE}` }, ISSUES);
  await ida.repository('loom');
  const elsewhere = '/api/v1/repos/ida/loom/issues';
  await open(ida, 'Elsewhere', { body: `guild/engine#3 and guild/engine#${ISSUE}` }, elsewhere);
  const seen = async (who: Person, number: number) =>
    (await timelineOf(who, number)).map(
      ({ type, ref_action: action, ref_issue: issue }) => `${type} ${action} ${issue?.number ?? ''}`,
    );

  const ofIssue = [
    'comment none ',
    'pull_ref closes 3',
    'comment none ',
    'issue_ref none 4',
    'issue_ref none 1',
  ];
  for (const who of [ada, bob]) assert.deepEqual(await seen(who, ISSUE), ofIssue);
  assert.deepEqual(
    await seen(ida, ISSUE),
    ofIssue.filter((entry) => !entry.startsWith('pull_ref')),
  );
  for (const who of [ada, bob]) {
    assert.deepEqual(await seen(who, PULL), ['comment none ', `comment_ref none ${ISSUE}`]);
    assert.deepEqual(await seen(who, 3), [`comment_ref none ${ISSUE}`], 'ida may not read it');
  }
  assert.deepEqual(await seen(pia, PULL), ['comment none ']);
  assert.deepEqual(await seen(pia, 3), []);
});

test('a text mentions users who may read its kind', async (t) => {
  const { ada } = await startMixed(t);
  const body = 'For @ida, @pia and @bob';
  await open(ada, 'Three', { body }, ISSUES);
  await openPull(ada, 'Four', { body });
  const mentioning = async (name: string) =>
    (await ada.get(`${ISSUES}?mentioned_by=${name}`)).body.map(({ number }: Wire) => number);
  assert.deepEqual(
    [await mentioning('ida'), await mentioning('pia'), await mentioning('bob')],
    [[3], [4], [4, 3]],
  );
});

test('the keyword of a commit closes an issue, but no pull request', async (t) => {
  const { ada } = await startMixed(t);
  const sent = await ada.post(`${ENGINE}/contents/pump.txt`, {
    content: '',
    message: `Closes #${PULL}, fixes #${ISSUE}`,
  });
  assert.equal(sent.status, 201, sent.text);
  const stateOf = async (number: number) => (await ada.get(`${ISSUES}/${number}`)).body.state;
  await until(async () => (await stateOf(ISSUE)) === 'closed');
  const last = (await timelineOf(ada, PULL)).at(-1);
  assert.deepEqual(
    [last.type, last.ref_commit_sha, last.ref_action],
    ['commit_ref', sent.body.commit.sha, 'closes'],
  );
  assert.equal(await stateOf(PULL), 'open');
});
