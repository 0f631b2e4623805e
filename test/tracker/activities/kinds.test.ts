import assert from 'node:assert/strict';
import { test } from 'node:test';
import { git, temporaryFolder } from '../../support/git/git.ts';
import {
  commitFile,
  ENGINE,
  forkEngine,
  merge,
  openPull,
  PULLS,
  protect,
  settle,
  startEngine,
} from '../pulls/pulls.ts';
import { actsAt, feedAt, feedOf, feedOfUser, recorded } from './feeds.ts';

const OF_ENGINE = feedOf('ada/engine');

test('issues, comments and their states are in the feed of the repository, with their numbers and texts', async (t) => {
  const { forge, ada, cyd } = await startEngine(t);
  await cyd.post(`${ENGINE}/issues`, { title: 'It rattles' });
  const long = 'x'.repeat(500);
  const comment = await ada.post(`${ENGINE}/issues/1/comments`, { body: long });
  await ada.patch(`${ENGINE}/issues/1`, { state: 'closed' });
  await ada.patch(`${ENGINE}/issues/1`, { state: 'open' });
  await recorded(forge);
  assert.deepEqual(await actsAt(ada, OF_ENGINE), [
    'create_repo ada',
    'create_issue cyd 1|It rattles',
    `comment_issue ada 1|${'x'.repeat(199)}…`,
    'close_issue ada 1|',
    'reopen_issue ada 1|',
  ]);
  const commented = (await feedAt(ada, OF_ENGINE)).find(({ op_type }) => op_type === 'comment_issue');
  assert.deepEqual(
    [commented.comment_id, commented.comment.body, commented.comment.html_url],
    [comment.body.id, long, comment.body.html_url],
  );
});

test('an activity has all fields of the reference', async (t) => {
  const { forge, ada } = await startEngine(t);
  await ada.post(`${ENGINE}/issues`, { title: 'It rattles' });
  await recorded(forge);
  const [latest] = await feedAt(ada, OF_ENGINE);
  const { id, act_user, repo, created, ...rest } = latest;
  assert.deepEqual(rest, {
    user_id: act_user.id,
    op_type: 'create_issue',
    act_user_id: act_user.id,
    repo_id: repo.id,
    comment_id: 0,
    comment: null,
    ref_name: '',
    is_private: false,
    content: '1|It rattles',
  });
  assert.ok(Number.isInteger(id) && created.endsWith('Z'));
  assert.deepEqual([act_user.login, repo.full_name, repo.permissions.admin], ['ada', 'ada/engine', true]);
});

test('an edited text is edited in feeds, and a deleted comment or issue is gone from them', async (t) => {
  const { forge, ada } = await startEngine(t);
  await ada.post(`${ENGINE}/issues`, { title: 'The password is tea' });
  await ada.post(`${ENGINE}/issues`, { title: 'Another' });
  const { body } = await ada.post(`${ENGINE}/issues/1/comments`, { body: 'secret' });
  await recorded(forge);
  await ada.patch(`${ENGINE}/issues/1`, { title: 'It rattles' });
  await ada.patch(`${ENGINE}/issues/comments/${body.id}`, { body: 'public' });
  const issueActs = async () => (await actsAt(ada, OF_ENGINE)).slice(1);
  assert.deepEqual(await issueActs(), [
    'create_issue ada 1|It rattles',
    'create_issue ada 2|Another',
    'comment_issue ada 1|public',
  ]);
  await ada.delete(`${ENGINE}/issues/comments/${body.id}`);
  assert.equal((await issueActs()).length, 2);
  await ada.delete(`${ENGINE}/issues/1`);
  assert.deepEqual(await issueActs(), ['create_issue ada 2|Another']);
});

test('pull requests, reviews, merges and their branches are in the feed', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ada, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ada, { title: 'WIP: Add a pump' });
  await settle(forge);
  await ada.patch(`${PULLS}/1`, { title: 'Add a pump' });
  await ben.post(`${PULLS}/1/reviews`, { event: 'COMMENT', body: 'Why?' });
  await ben.post(`${PULLS}/1/reviews`, { event: 'REQUEST_CHANGES', body: 'No.' });
  const review = await ben.post(`${PULLS}/1/reviews`, { event: 'APPROVED', body: 'Fine' });
  await ada.post(`${PULLS}/1/reviews/${review.body.id}/dismissals`, { message: 'Read again' });
  await ada.patch(`${PULLS}/1`, { state: 'closed' });
  await ada.patch(`${PULLS}/1`, { state: 'open' });
  await ada.post(`${ENGINE}/issues/1/comments`, { body: 'Now' });
  await settle(forge);
  assert.equal((await merge(ada, { delete_branch_after_merge: true })).status, 200);
  await settle(forge);
  await recorded(forge);
  assert.deepEqual((await actsAt(ada, OF_ENGINE)).slice(1), [
    'commit_repo ada refs/heads/pump {}',
    'create_pull_request ada 1|Add a pump',
    'pull_request_ready_for_review ada 1|Add a pump',
    'comment_pull ben 1|Why?',
    'reject_pull_request ben 1|No.',
    'approve_pull_request ben 1|Fine',
    'pull_review_dismissed ada 1|ben|Read again',
    'close_pull_request ada 1|',
    'reopen_pull_request ada 1|',
    'comment_pull ada 1|Now',
    'merge_pull_request ada 1|Add a pump',
    'commit_repo ada refs/heads/main {}',
    'delete_branch ada refs/heads/pump',
  ]);
});

test('a merge that has waited for its protection is an automatic one', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ada, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await protect(ada, { required_approvals: 1 });
  await openPull(ada);
  await settle(forge);
  assert.equal((await merge(ada, { merge_when_checks_succeed: true })).status, 201);
  assert.equal((await ben.post(`${PULLS}/1/reviews`, { event: 'APPROVED' })).status, 200);
  await settle(forge);
  await recorded(forge);
  assert.ok((await actsAt(ada, OF_ENGINE)).includes('auto_merge_pull_request ada 1|Add a pump'));
});

test('a push has its newest commits, their number and a comparison', async (t) => {
  const { forge, ada } = await startEngine(t);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  for (let n = 1; n <= 7; n += 1)
    await git(folder, ['commit', '-q', '--allow-empty', '-m', `Step ${n}\n\nWhy`]);
  await git(folder, ['tag', '-am', 'One', 'v1']);
  await git(folder, ['push', '-q', 'origin', 'HEAD:main', 'v1']);
  for (let n = 1; n <= 30; n += 1) await git(folder, ['commit', '-q', '--allow-empty', '-m', `More ${n}`]);
  await git(folder, ['push', '-q', 'origin', 'HEAD:refs/heads/many']);
  await git(folder, ['push', '-q', 'origin', ':many', ':v1']);
  await recorded(forge);
  const feed = (await feedAt(ada, OF_ENGINE)).toReversed();
  const { body: head } = await ada.get(`${ENGINE}/git/commits/main`);
  const old = head.parents[0].sha;
  const of = (type: string, ref: string) => {
    const found = feed.find(({ op_type, ref_name }) => op_type === type && ref_name === ref);
    return JSON.parse(found.content);
  };
  const pushed = of('commit_repo', 'refs/heads/main');
  assert.equal(pushed.Len, 7);
  assert.deepEqual(
    pushed.Commits.map(({ Message }: { Message: string }) => Message),
    [7, 6, 5, 4, 3].map((n) => `Step ${n}\n\nWhy\n`),
  );
  assert.equal(pushed.Commits[1].Sha1, old);
  assert.deepEqual(pushed.HeadCommit, pushed.Commits[0]);
  assert.deepEqual(Object.keys(pushed.HeadCommit), [
    'Sha1',
    'Message',
    'AuthorEmail',
    'AuthorName',
    'CommitterEmail',
    'CommitterName',
    'Timestamp',
  ]);
  assert.match(pushed.CompareURL, new RegExp(`^ada/engine/compare/[0-9a-f]{40}\\.\\.\\.${head.sha}$`));
  const many = of('commit_repo', 'refs/heads/many');
  assert.deepEqual([many.Len, many.Commits.length, many.CompareURL], [30, 5, '']);
  const tag = of('push_tag', 'refs/tags/v1');
  assert.deepEqual([tag.Len, tag.Commits, tag.HeadCommit.Sha1], [0, [], head.sha]);
  assert.deepEqual(feed.map(({ op_type }) => op_type).slice(-2), ['delete_branch', 'delete_tag']);
});

test('stars, renames, transfers and forks are in the feeds of their actors', async (t) => {
  const { forge, ada, cyd } = await startEngine(t);
  await cyd.put('/api/v1/user/starred/ada/engine');
  await forkEngine(cyd);
  await ada.patch(ENGINE, { name: 'motor' });
  await forge.root.post('/api/v1/repos/ada/motor/transfer', { new_owner: 'ben' });
  await recorded(forge);
  const acts = (name: string) => actsAt(forge.root, feedOfUser(name, 'only-performed-by=true'));
  assert.deepEqual(await acts('cyd'), [
    'star_repo cyd',
    'create_repo cyd',
    'commit_repo cyd refs/heads/pump {}',
  ]);
  assert.deepEqual(await acts('ada'), ['create_repo ada', 'rename_repo ada engine']);
  assert.deepEqual(await acts('root'), ['transfer_repo root ada/motor']);
});

test('activities name a former owner only to those who may see that account', async (t) => {
  const { forge, ada } = await startEngine(t);
  await commitFile(ada, 'a.txt', 'a');
  await recorded(forge);
  await forge.root.post('/api/v1/repos/ada/engine/transfer', { new_owner: 'ben' });
  const settled = await forge.root.patch('/api/v1/admin/users/ada', { visibility: 'private' });
  assert.equal(settled.status, 200, settled.text);
  await recorded(forge);
  const dora = await forge.account('dora');
  const moved = async (who: Parameters<typeof feedAt>[0]) => {
    const feed = await feedAt(who, feedOf('ben/engine'));
    return feed.filter(({ op_type: type }) => type === 'transfer_repo').map(({ content }) => content);
  };
  assert.deepEqual(await moved(dora), ['engine']);
  assert.deepEqual(await moved(ada), ['ada/engine']);
  assert.deepEqual(await moved(forge.root), ['ada/engine']);
  assert.match((await dora.get('/ben/engine.rss')).text, /root transferred engine to ben\/engine/);
  const push = (await feedAt(forge.root, feedOf('ben/engine'))).find(
    ({ op_type: type }) => type === 'commit_repo',
  );
  assert.match(JSON.parse(push?.content).CompareURL, /^ben\/engine\/compare\//);
  await forge.root.delete('/api/v1/admin/users/ada?purge=true');
  assert.deepEqual(await moved(forge.root), ['engine']);
});

test('the first refs of a repository, and refs of the server, are in no feed', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await ben.post('/api/v1/user/repos', { name: 'begun', auto_init: true });
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  await git(folder, ['push', '-q', 'origin', 'HEAD:refs/notes/x']);
  await recorded(forge);
  assert.deepEqual(await actsAt(ada, OF_ENGINE), ['create_repo ada']);
  assert.deepEqual(await actsAt(ben, feedOf('ben/begun')), ['create_repo ben']);
});

test('a push of many refs has a bounded number of activities', async (t) => {
  const { forge, ada } = await startEngine(t);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  const refs = Array.from({ length: 60 }, (_, n) => `HEAD:refs/heads/b${n}`);
  await git(folder, ['push', '-q', 'origin', ...refs]);
  await recorded(forge);
  const { body, headers } = await ada.get(`${feedOf('ada/engine')}&page=2`);
  assert.deepEqual([body.length, headers.get('x-total-count')], [1, '51']);
});

test('a published release is in the feed with its tag and its title, and a draft is not', async (t) => {
  const { forge, ada } = await startEngine(t);
  await ada.post(`${ENGINE}/releases`, { tag_name: 'v1', name: 'First', draft: true });
  const made = await ada.post(`${ENGINE}/releases`, { tag_name: 'v2', name: 'Second' });
  assert.equal(made.status, 201, made.text);
  await recorded(forge);
  const acts = await actsAt(ada, OF_ENGINE);
  assert.deepEqual(
    acts.filter((act) => act.startsWith('publish_release')),
    ['publish_release ada v2 Second'],
  );
});
