import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf } from '../../../support/forge/events.ts';
import type { Person } from '../../../support/forge/forge.ts';
import type { Wire } from '../../issues/tracker.ts';
import { commitFile, ENGINE, openPull, protect, settle, startEngine } from '../pulls.ts';
import { GUILD, GUILD_PULL, startGuildPull } from './guild.ts';
import { entries, PULL, REVIEWS, review, startPull } from './reviewing.ts';

/** A name, and a pattern that takes too long to compare with it. */
const COSTLY = {
  name: 'a'.repeat(200),
  pattern: `{${'a?,'.repeat(15)}${'*a'.repeat(60)}}${'*a'.repeat(40)}b`,
};

interface Base {
  readonly name?: string;
  readonly protect: (ada: Person) => Promise<void>;
  readonly dismisses: boolean;
}

const RELEASE = { name: 'release' };

/** Bases that a pull request gets after its reviews. */
const BASES: Readonly<Record<string, Base>> = {
  'no protection': { protect: async () => {}, dismisses: false },
  'a protection that takes approvals of earlier heads': {
    protect: (ada) => protect(ada, { required_approvals: 1 }, RELEASE),
    dismisses: false,
  },
  'a protection that dismisses approvals of earlier heads': {
    protect: (ada) => protect(ada, { dismiss_stale_approvals: true }, RELEASE),
    dismisses: true,
  },
  'a protection that ignores approvals of earlier heads': {
    protect: (ada) => protect(ada, { ignore_stale_approvals: true }, RELEASE),
    dismisses: true,
  },
  'a name that takes too long to compare with the patterns of protections': {
    name: COSTLY.name,
    protect: (ada) => protect(ada, {}, { name: COSTLY.pattern }),
    dismisses: true,
  },
};

for (const [what, { name = 'release', protect: protectBase, dismisses }] of Object.entries(BASES)) {
  test(`another base with ${what} ${dismisses ? 'dismisses' : 'keeps'} approvals`, async (t) => {
    const { ada, ben, cyd, forge } = await startPull(t);
    assert.equal((await ada.post(`${ENGINE}/branches`, { new_branch_name: name })).status, 201);
    await protectBase(ada);
    const approved = await review(ada, { event: 'APPROVED' });
    const rejected = await review(cyd, { event: 'REQUEST_CHANGES', body: 'No.' });
    const { status, text } = await ben.patch(PULL, { base: name });
    assert.equal(status, 201, text);
    const isDismissed = async ({ id }: Wire) => (await ada.get(`${REVIEWS}/${id}`)).body.dismissed;
    assert.deepEqual([await isDismissed(approved), await isDismissed(rejected)], [dismisses, false]);
    await settle(forge);
    const dismissals = (await entries(ada, 'dismiss_review')).map(({ review_id: id, user }) => [
      id,
      user.login,
    ]);
    assert.deepEqual(dismissals, dismisses ? [[approved.id, 'ben']] : []);
    const events = await eventsOf(forge.forge.running.engines.database, 'pull.review-dismissed');
    assert.equal(events.length, dismisses ? 1 : 0);
  });
}

test('no approval counts for a base that takes too long to compare, and new commits dismiss it', async (t) => {
  const { ada, ben } = await startEngine(t);
  assert.equal((await ada.post(`${ENGINE}/branches`, { new_branch_name: COSTLY.name })).status, 201);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben, { base: COSTLY.name });
  const before = await review(ada, { event: 'APPROVED' });
  assert.equal(before.official, true);
  await protect(ada, {}, { name: COSTLY.pattern });
  const { id, official } = await review(ada, { event: 'APPROVED' });
  assert.equal(official, false);
  await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'pump' });
  assert.equal((await ada.get(`${REVIEWS}/${id}`)).body.dismissed, true);
  assert.equal((await ada.post(`${PULL}/merge`, { Do: 'merge', force_merge: true })).status, 422);
});

test('approvals of members of listed teams count as long as they are members', async (t) => {
  const { guild, ada, ben, cyd, dora } = await startGuildPull(t);
  const units = ['repo.code', 'repo.pulls'];
  await guild.team('menders', { members: [dora], repositories: ['engine'], permission: 'write', units });
  const rule = {
    required_approvals: 1,
    enable_approvals_whitelist: true,
    approvals_whitelist_teams: ['smiths'],
    enable_merge_whitelist: true,
    merge_whitelist_usernames: ['ada', 'ben'],
    merge_whitelist_teams: ['menders'],
  };
  await protect(ada, rule, { repository: GUILD });
  const others = { approvals_whitelist_username: ['ada'], approvals_whitelist_teams: ['menders'] };
  await protect(ada, { enable_approvals_whitelist: true, ...others }, { name: 'other', repository: GUILD });
  const approve = async (who: Person) => {
    const { status, text, body } = await who.post(`${GUILD_PULL}/reviews`, { event: 'APPROVED' });
    assert.equal(status, 200, text);
    return body.official;
  };
  const merge = async () => (await ben.post(`${GUILD_PULL}/merge`, { Do: 'merge' })).status;
  assert.equal(await approve(dora), false, 'a member of a team that may merge');
  assert.equal(await approve(ada), false, 'an owner who may merge');
  assert.equal(await merge(), 405);
  assert.equal(await approve(cyd), true);
  const teams: readonly Wire[] = (await ada.get('/api/v1/orgs/guild/teams')).body;
  const smiths = teams.find(({ name }) => name === 'smiths');
  assert.equal((await ada.delete(`/api/v1/teams/${smiths.id}/members/cyd`)).status, 204);
  assert.equal(await merge(), 405);
  assert.equal((await ada.put(`/api/v1/teams/${smiths.id}/members/cyd`)).status, 204);
  assert.equal(await merge(), 200);
});

test('a request to a team is official if the list names the team, or without a list if its members may write', async (t) => {
  const { guild, ada, ben } = await startGuildPull(t);
  const units = ['repo.code', 'repo.pulls'];
  await guild.team('writers', { repositories: ['engine'], permission: 'write', units });
  await guild.team('readers', { repositories: ['engine'], permission: 'read', units });
  const requests = `${GUILD_PULL}/requested_reviewers`;
  const officials = async () => {
    const named = { team_reviewers: ['smiths', 'writers', 'readers'] };
    const { status, text, body } = await ben.post(requests, named);
    assert.equal(status, 201, text);
    assert.equal((await ben.delete(requests, named)).status, 204);
    return body.map(({ official }: Wire) => official);
  };
  assert.deepEqual(await officials(), [true, true, false]);
  const rule = {
    enable_approvals_whitelist: true,
    approvals_whitelist_teams: ['smiths', 'readers'],
    enable_merge_whitelist: true,
    merge_whitelist_teams: ['writers'],
  };
  await protect(ada, rule, { repository: GUILD });
  assert.deepEqual(await officials(), [true, false, true]);
});
