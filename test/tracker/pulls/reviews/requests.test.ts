import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../../support/forge/events.ts';
import { until } from '../../../support/until.ts';
import type { Wire } from '../../issues/tracker.ts';
import { commitFile, ENGINE, merge, openPull, PULLS, protect, settle } from '../pulls.ts';
import { GUILD, GUILD_PULL, startGuildPull } from './guild.ts';
import { entries, PULL, REQUESTS, REVIEWS, requested, review, startPull, states } from './reviewing.ts';

test('201: requests by the author, and by people who may write', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const dora = await forge.account('dora');
  const { status, body } = await ben.post(REQUESTS, { reviewers: ['Ada', 'cyd'] });
  assert.equal(status, 201);
  assert.deepEqual(
    body.map(({ state, user, official, commit_id }: Wire) => [state, user.login, official, commit_id]),
    [
      ['REQUEST_REVIEW', 'ada', true, ''],
      ['REQUEST_REVIEW', 'cyd', false, ''],
    ],
  );
  assert.deepEqual(await requested(dora), ['ada', 'cyd']);
  assert.deepEqual((await ada.get(PULLS)).body[0].requested_reviewers.length, 2);
  const again = await ada.post(REQUESTS, { reviewers: ['cyd', 'dora'] });
  assert.deepEqual([again.status, again.body[0].id], [201, body[1].id]);
  assert.deepEqual(await requested(ada), ['ada', 'cyd', 'dora']);
  assert.deepEqual(
    (await entries(ada, 'review_request')).map((each) => [
      each.user.login,
      each.assignee.login,
      each.removed_assignee,
    ]),
    [
      ['ben', 'ada', false],
      ['ben', 'cyd', false],
      ['ada', 'dora', false],
    ],
  );
  assert.equal((await cyd.post(REQUESTS, { reviewers: ['dora'] })).status, 422, 'who may only read');
  const none = await ben.post(REQUESTS, {});
  assert.deepEqual([none.status, none.body], [201, []]);
});

test('404: unknown users and teams; 422: those who cannot review', async (t) => {
  const { ada, ben, forge } = await startPull(t);
  await forge.account('hidden', { visibility: 'private' });
  await forge.root.post('/api/v1/orgs', { username: 'guild' });
  for (const name of ['missing', 'hidden', 'guild', '', 'cyd\0', 'x'.repeat(300), "' or 1=1 --"])
    assert.equal((await ben.post(REQUESTS, { reviewers: ['cyd', name] })).status, 404, name);
  assert.equal((await ben.post(REQUESTS, { team_reviewers: ['smiths'] })).status, 404);
  assert.equal((await ada.post(REQUESTS, { reviewers: ['ben'] })).status, 422, 'the author');
  const many = Array.from({ length: 51 }, (_, index) => `user${index}`);
  assert.equal((await ada.post(REQUESTS, { reviewers: many })).status, 422);
  assert.equal((await ada.post(REQUESTS, { reviewers: 'cyd' })).status, 422);
  assert.deepEqual(await requested(ada), []);
  await ada.patch(ENGINE, { private: true });
  assert.equal((await ada.post(REQUESTS, { reviewers: ['cyd'] })).status, 422, 'who may not read the code');
});

test('204: requests are taken back by the author, by writers, and by the reviewer', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const dora = await forge.account('dora');
  await ben.post(REQUESTS, { reviewers: ['ada', 'cyd', 'dora'] });
  assert.equal((await cyd.delete(REQUESTS, { reviewers: ['dora'] })).status, 422);
  assert.equal((await cyd.delete(REQUESTS, { reviewers: ['cyd'] })).status, 204);
  assert.equal((await ben.delete(REQUESTS, { reviewers: ['dora', 'cyd'] })).status, 204);
  assert.equal((await ada.delete(REQUESTS, { reviewers: ['missing'] })).status, 404);
  assert.deepEqual(await requested(dora), ['ada']);
  const removed = (await entries(ada, 'review_request')).filter((each) => each.removed_assignee);
  assert.deepEqual(
    removed.map((each) => [each.user.login, each.assignee.login]),
    [
      ['cyd', 'cyd'],
      ['ben', 'dora'],
    ],
  );
  const kinds = (await eventsOf(forge.forge.running.engines.database, 'pull.review-requested')) as Wire;
  assert.deepEqual(
    kinds.map(({ actor, isRemoved }: Wire) => [actor, isRemoved]),
    [
      ['ben', false],
      ['ben', false],
      ['ben', false],
      ['cyd', true],
      ['ben', true],
    ],
  );
});

test('a request ends with the review, and the reviewer may be asked again', async (t) => {
  const { ada, ben, cyd } = await startPull(t);
  await ben.post(REQUESTS, { reviewers: ['cyd', 'ada'] });
  await review(cyd, { body: 'A draft.' });
  assert.deepEqual(await requested(ada), ['cyd', 'ada'], 'a pending review is no answer');
  await review(cyd, { event: 'COMMENT', body: 'Hm.' });
  const approved = await review(ada, { event: 'APPROVED' });
  assert.deepEqual(await requested(ada), []);
  assert.equal((await ben.post(REQUESTS, { reviewers: ['ada'] })).status, 201);
  assert.deepEqual(await states(ada), ['COMMENT', 'APPROVED', 'REQUEST_REVIEW']);
  const isOfficial = async () => (await ada.get(`${REVIEWS}/${approved.id}`)).body.official;
  // The new review will take the place of the approval.
  assert.equal(await isOfficial(), false);
  assert.equal((await ada.delete(REQUESTS, { reviewers: ['ada'] })).status, 204);
  assert.equal(await isOfficial(), true);
});

test('one request asks several reviewers, and one takes all requests back', async (t) => {
  const { ada, ben, forge } = await startPull(t);
  const dora = await forge.account('dora');
  await ada.put(`${ENGINE}/collaborators/dora`, { permission: 'write' });
  const approvals = [await review(ada, { event: 'APPROVED' }), await review(dora, { event: 'APPROVED' })];
  const areOfficial = () =>
    Promise.all(approvals.map(async ({ id }) => (await ada.get(`${REVIEWS}/${id}`)).body.official));
  assert.deepEqual(await areOfficial(), [true, true]);
  const [known] = (await ben.post(REQUESTS, { reviewers: ['ada'] })).body;
  const { body } = await ben.post(REQUESTS, { reviewers: ['dora', 'ada', 'cyd'] });
  assert.deepEqual(
    body.map(({ user, official }: Wire) => [user.login, official]),
    [
      ['dora', true],
      ['ada', true],
      ['cyd', false],
    ],
  );
  assert.equal(body[1].id, known.id);
  assert.deepEqual(await areOfficial(), [false, false]);
  assert.equal((await ben.delete(REQUESTS, { reviewers: ['cyd', 'ada', 'dora'] })).status, 204);
  assert.deepEqual(await areOfficial(), [true, true]);
  assert.deepEqual(await requested(ada), []);
  assert.deepEqual(
    (await entries(ada, 'review_request')).map((each) => [each.assignee.login, each.removed_assignee]),
    [
      ['ada', false],
      ['dora', false],
      ['cyd', false],
      ['cyd', true],
      ['ada', true],
      ['dora', true],
    ],
  );
});

test('403: requests of a closed pull request', async (t) => {
  const { ben } = await startPull(t);
  await ben.patch(PULL, { state: 'closed' });
  assert.equal((await ben.post(REQUESTS, { reviewers: ['cyd'] })).status, 403);
});

test('423: requests in an archived repository', async (t) => {
  const { ada, ben } = await startPull(t);
  await ada.patch(ENGINE, { archived: true });
  assert.equal((await ben.post(REQUESTS, { reviewers: ['cyd'] })).status, 423);
});

test('422: a request is not deleted as a review', async (t) => {
  const { ada, ben, cyd } = await startPull(t);
  const [request] = (await ben.post(REQUESTS, { reviewers: ['cyd'] })).body;
  for (const who of [ada, cyd]) assert.equal((await who.delete(`${REVIEWS}/${request.id}`)).status, 422);
  assert.equal((await cyd.post(`${REVIEWS}/${request.id}`, { event: 'APPROVED' })).status, 422);
  assert.equal((await ada.post(`${REVIEWS}/${request.id}/dismissals`, {})).status, 403);
});

test('requests that are pending block a merge if the protection of the base says so', async (t) => {
  const { ada, ben } = await startPull(t);
  await protect(ada, { block_on_official_review_requests: true });
  // cyd could not approve.
  await ben.post(REQUESTS, { reviewers: ['ada', 'cyd'] });
  assert.equal((await merge(ben)).status, 405);
  await review(ada, { event: 'APPROVED' });
  assert.equal((await merge(ben)).status, 200);
});

test('a reviewer who lost access does not block a merge', async (t) => {
  const { ada, ben } = await startPull(t);
  const rule = { rule_name: 'main', block_on_official_review_requests: true };
  assert.equal((await ada.post(`${ENGINE}/branch_protections`, rule)).status, 201);
  const collaborator = `${ENGINE}/collaborators/cyd`;
  assert.equal((await ada.put(collaborator, { permission: 'write' })).status, 204);
  assert.equal((await ben.post(REQUESTS, { reviewers: ['cyd'] })).status, 201);
  assert.equal((await ben.post(`${PULL}/merge`, { Do: 'merge' })).status, 405);
  assert.equal((await ada.delete(collaborator)).status, 204);
  assert.equal((await ben.post(`${PULL}/merge`, { Do: 'merge' })).status, 200);
});

test('a listed reviewer who may not read the code any more does not block a merge', async (t) => {
  const { ada, ben } = await startPull(t);
  assert.equal((await ada.patch(ENGINE, { private: true })).status, 200);
  const collaborator = `${ENGINE}/collaborators/cyd`;
  assert.equal((await ada.put(collaborator, { permission: 'read' })).status, 204);
  const rule = {
    rule_name: 'main',
    block_on_official_review_requests: true,
    enable_approvals_whitelist: true,
    approvals_whitelist_username: ['cyd'],
  };
  assert.equal((await ada.post(`${ENGINE}/branch_protections`, rule)).status, 201);
  assert.equal((await ben.post(REQUESTS, { reviewers: ['cyd'] })).status, 201);
  assert.equal((await ben.post(`${PULL}/merge`, { Do: 'merge' })).status, 405);
  assert.equal((await ada.delete(collaborator)).status, 204);
  assert.equal((await ben.post(`${PULL}/merge`, { Do: 'merge' })).status, 200);
});

test('a team that lost the repository does not block a merge, listed or not', async (t) => {
  for (const list of [{}, { enable_approvals_whitelist: true, approvals_whitelist_teams: ['casters'] }]) {
    await t.test(JSON.stringify(list), async (inner) => {
      const { guild, ada, ben } = await startGuildPull(inner);
      const fields = { repositories: ['engine'], permission: 'write', units: ['repo.code', 'repo.pulls'] };
      const casters = await guild.team('casters', fields);
      const rule = { rule_name: 'main', block_on_official_review_requests: true, ...list };
      assert.equal((await ada.post(`${GUILD}/branch_protections`, rule)).status, 201);
      const asked = await ben.post(`${GUILD_PULL}/requested_reviewers`, { team_reviewers: ['casters'] });
      assert.equal(asked.status, 201, asked.text);
      assert.equal((await ben.post(`${GUILD_PULL}/merge`, { Do: 'merge' })).status, 405);
      assert.equal((await ada.delete(`/api/v1/teams/${casters.id}/repos/guild/engine`)).status, 204);
      assert.equal((await ben.post(`${GUILD_PULL}/merge`, { Do: 'merge' })).status, 200);
    });
  }
});

test('a merge that waits for an approval happens with it', async (t) => {
  const { ada, ben, forge } = await startPull(t);
  await protect(ada, { required_approvals: 1 });
  const scheduled = await merge(ben, { merge_when_checks_succeed: true });
  assert.equal(scheduled.status, 201, scheduled.text);
  await review(ada, { event: 'APPROVED' });
  await forge.forge.running.services.jobs.runDue();
  assert.equal((await ben.get(PULL)).body.merged, true);
});

test('a scheduled merge happens when what blocks it ends: a rejection is dismissed, a request is taken back', async (t) => {
  const { ada, ben, forge } = await startPull(t);
  await protect(ada, {
    block_on_rejected_reviews: true,
    block_on_official_review_requests: true,
  });
  const ends = {
    2: async (pull: string) => {
      const { id } = (await ada.post(`${pull}/reviews`, { event: 'REQUEST_CHANGES', body: 'No.' })).body;
      return () => ada.post(`${pull}/reviews/${id}/dismissals`, { message: 'Well.' });
    },
    3: async (pull: string) => {
      await ben.post(`${pull}/requested_reviewers`, { reviewers: ['ada'] });
      return () => ben.delete(`${pull}/requested_reviewers`, { reviewers: ['ada'] });
    },
  };
  for (const [number, block] of Object.entries(ends)) {
    await commitFile(ben, `tap-${number}.txt`, 'tap\n', { branch: `tap-${number}`, from: 'main' });
    await openPull(ben, { head: `tap-${number}` });
    const pull = `${PULLS}/${number}`;
    const end = await block(pull);
    const wish = { Do: 'merge', merge_when_checks_succeed: true };
    assert.equal((await ben.post(`${pull}/merge`, wish)).status, 201);
    await settle(forge);
    assert.equal((await ben.get(pull)).body.merged, false);
    assert.ok((await end()).status < 300);
    await settle(forge);
    assert.equal((await ben.get(pull)).body.merged, true, number);
  }
});

test('teams are requested by members of the organization, and a member answers for the team', async (t) => {
  const { guild, ada, ben, cyd, dora } = await startGuildPull(t);
  await guild.team('writers', { units: ['repo.code'], permission: 'write' });
  const requests = `${GUILD_PULL}/requested_reviewers`;
  const asked = await ben.post(requests, { team_reviewers: ['Smiths'] });
  assert.equal(asked.status, 201, asked.text);
  const [{ user, team, state, official }] = asked.body;
  assert.deepEqual([user, team.name, state, official], [null, 'smiths', 'REQUEST_REVIEW', true]);
  assert.deepEqual(await requested(dora, GUILD_PULL), ['team smiths']);
  assert.equal((await ben.post(requests, { team_reviewers: ['writers'] })).status, 422, 'without access');
  assert.equal((await ben.post(requests, { team_reviewers: ['missing'] })).status, 404);

  await commitFile(ada, 'tap.txt', 'tap\n', { repository: GUILD, branch: 'tap', from: 'main' });
  await ada.put(`${GUILD}/collaborators/dora`, { permission: 'read' });
  const opened = await dora.post(`${GUILD}/pulls`, { title: 'Tap', base: 'main', head: 'tap' });
  assert.equal(opened.status, 201, opened.text);
  const outside = `${GUILD}/pulls/2/requested_reviewers`;
  assert.equal((await dora.post(outside, { team_reviewers: ['smiths'] })).status, 404, 'an outsider');
  assert.equal((await dora.post(outside, { reviewers: ['cyd'] })).status, 201);

  const timeline = (await ada.get(`${GUILD}/issues/1/timeline`)).body;
  const [entry] = timeline.filter(({ type }: Wire) => type === 'review_request');
  assert.deepEqual([entry.assignee, entry.assignee_team.name], [null, 'smiths']);
  const unread = async () =>
    (await cyd.get('/api/v1/notifications')).body.map((each: Wire) => each.subject.title);
  await until(async () => (await unread()).includes('Pump'));

  const reviews = `${GUILD_PULL}/reviews`;
  assert.equal((await cyd.post(reviews, { event: 'COMMENT', body: 'Hm.' })).status, 200);
  assert.deepEqual(await requested(ada, GUILD_PULL), ['team smiths'], 'a comment is no answer of the team');
  assert.equal((await cyd.post(reviews, { event: 'APPROVED' })).status, 200);
  assert.deepEqual(await requested(ada, GUILD_PULL), []);

  await ben.post(requests, { team_reviewers: ['smiths'] });
  assert.equal((await cyd.delete(requests, { team_reviewers: ['smiths'] })).status, 204, 'a member refuses');
  await ben.post(requests, { team_reviewers: ['smiths'] });
  const id = (await ada.get('/api/v1/orgs/guild/teams')).body.find(({ name }: Wire) => name === 'smiths').id;
  assert.equal((await ada.delete(`/api/v1/teams/${id}`)).status, 204);
  assert.deepEqual(await requested(ada, GUILD_PULL), [], 'the team was deleted');
});

test('a site administrator names teams of any organization, but not with a token for public things', async (t) => {
  const { forge } = await startGuildPull(t);
  const url = `${GUILD_PULL}/requested_reviewers`;
  const json = { team_reviewers: ['smiths'] };
  const as = { token: await forge.root.tokenFor(['all', 'public-only']) };
  assert.equal((await forge.send('POST', url, { as, json })).status, 404);
  assert.equal((await forge.root.post(url, json)).status, 201);
});

test('searches find pull requests by requests and reviews', async (t) => {
  const { ben, cyd } = await startPull(t);
  const found = async (flag: string) =>
    (await cyd.get(`/api/v1/repos/issues/search?${flag}=true`)).body.length;
  assert.deepEqual([await found('review_requested'), await found('reviewed')], [0, 0]);
  await ben.post(REQUESTS, { reviewers: ['cyd'] });
  assert.deepEqual([await found('review_requested'), await found('reviewed')], [1, 0]);
  await review(cyd, { event: 'APPROVED' });
  assert.deepEqual([await found('review_requested'), await found('reviewed')], [0, 1]);
});

test('a user who is asked is notified', async (t) => {
  const { ben, cyd } = await startPull(t);
  await ben.post(REQUESTS, { reviewers: ['cyd'] });
  const titles = async () =>
    (await cyd.get('/api/v1/notifications')).body.map((each: Wire) => each.subject.title);
  await until(async () => (await titles()).includes('Add a pump'));
  assert.deepEqual(await titles(), ['Add a pump']);
});
