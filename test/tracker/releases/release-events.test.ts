import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attach, ENGINE, RELEASES, release, startReleases, type Wire } from './release-world.ts';

const FEED = `${ENGINE}/events`;

test('the feed shows what happens to releases to readers, and to drafts only to people who may write', async (t) => {
  const { forge, ada, ben, cid } = await startReleases(t);
  const created = await release(ada, 'v1', { name: 'First' });
  await attach(ben, created, 'a.txt');
  await ada.patch(`${RELEASES}/${created.id}`, { name: 'Second', prerelease: true });
  const draft = await release(ben, 'v2', { draft: true });
  await ada.delete(`${RELEASES}/${draft.id}`);
  await ada.delete(`${RELEASES}/${created.id}`);
  const seen = async (who: { get: typeof ada.get }) => {
    const answer = await who.get(FEED);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.events.filter(({ kind }: Wire) => kind.startsWith('release.'));
  };
  const kinds = async (who: { get: typeof ada.get }) => (await seen(who)).map(({ kind }: Wire) => kind);

  const published = ['release.published', 'release.updated', 'release.updated', 'release.deleted'];
  for (const who of [cid, forge]) assert.deepEqual(await kinds(who), published);
  const events = await seen(ben);
  assert.deepEqual(
    events.map(({ kind, data }: Wire) => [kind, data.tag, data.title, data.changed ?? data.action]),
    [
      ['release.published', 'v1', 'First', undefined],
      ['release.updated', 'v1', 'First', ['assets']],
      ['release.updated', 'v1', 'Second', ['title', 'is_prerelease']],
      ['release.draft-changed', 'v2', 'v2', 'created'],
      ['release.draft-changed', 'v2', 'v2', 'deleted'],
      ['release.deleted', 'v1', 'Second', undefined],
    ],
  );
  assert.deepEqual(events[2].former, { title: 'First', is_prerelease: false });
  await ada.patch(ENGINE, { has_releases: false });
  for (const who of [ada, cid]) assert.deepEqual(await kinds(who), []);
});

test('readers of a release that becomes a draft do not learn what the draft says', async (t) => {
  const { ada, ben, cid } = await startReleases(t);
  const created = await release(ada, 'v1', { name: 'Shown' });
  const { status } = await ada.patch(`${RELEASES}/${created.id}`, {
    draft: true,
    name: 'Secret',
    tag_name: 'v9',
  });
  assert.equal(status, 200);
  const last = async (who: { get: typeof ada.get }) => {
    const { kind, data } = (await who.get(FEED)).body.events.at(-1);
    return [kind, data.tag, data.title, data.changed ?? data.action];
  };
  assert.deepEqual(await last(cid), ['release.updated', 'v1', 'Shown', ['is_draft']]);
  assert.deepEqual(await last(ben), ['release.draft-changed', 'v9', 'Secret', 'changed']);
});
