import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { attach } from '../../tracker/issues/attachments/attachment-files.ts';
import { ISSUES, open } from '../../tracker/issues/tracker.ts';
import { upload } from '../lfs/objects.ts';
import { limit } from './groups.ts';

const QUOTA = '/api/v1/user/quota';

test('users see what they have stored by kind, and their limits without names', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await open(ada, 'One');
  await upload(ada, 'ada/engine', Buffer.alloc(70, 'x'));
  await attach(ada, `${ISSUES}/1/assets`, Buffer.alloc(30, 'y'), 'a.txt');
  await limit(forge.root, 'ada', { bytes: 99, subjects: ['size:git:lfs', 'size:assets:all'] });

  const { status, body } = await ada.get(QUOTA);

  const rules = [{ limit: 99, subjects: ['size:git:lfs', 'size:assets:all'] }];
  const assets = { artifacts: 0, attachments: { issues: 30, releases: 0 }, packages: { all: 0 }, wiki: 0 };
  assert.equal(status, 200);
  assert.deepEqual(body, {
    used: { size: { repos: { public: 0, private: 0 }, git: { LFS: 70 }, assets } },
    groups: [{ rules }],
  });
  const seen = (await forge.root.get('/api/v1/admin/users/ada/quota')).body;
  assert.deepEqual(seen.used, body.used);
  assert.deepEqual(seen.groups, [{ name: 'ada-limits', rules: [{ name: 'ada-limits-rule', ...rules[0] }] }]);
  const checks = async (subject: string) => (await ada.get(`${QUOTA}/check?subject=${subject}`)).body;
  assert.equal(await checks('size:all'), false);
  assert.equal(await checks('size:git:lfs'), false);
  assert.equal(await checks('size:repos:all'), true);
});

test('422: a check of an unknown subject, or of none', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const query of ['', '?subject=', '?subject=size:none', '?subject=__proto__'])
    assert.equal((await ada.get(`${QUOTA}/check${query}`)).status, 422, query);
  assert.equal((await forge.get(QUOTA)).status, 401);
});

test('the limit of the server is one of the limits that users see', async (t) => {
  const forge = await startForge(t, { settings: { lfsOwnerMib: '1' } });
  const ada = await forge.account('ada');
  assert.deepEqual((await ada.get(QUOTA)).body.groups, [
    { rules: [{ limit: 1048576, subjects: ['size:git:lfs', 'size:assets:all'] }] },
  ]);
});

test('the attachments that count are listed in pages, the largest first', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await open(ada, 'One');
  const comment = await ada.post(`${ISSUES}/1/comments`, { body: 'Loudly.' });
  const ofIssue = await attach(ada, `${ISSUES}/1/assets`, Buffer.alloc(2, 'x'), 'a.txt');
  const comments = `${ISSUES}/comments/${comment.body.id}`;
  const ofComment = await attach(ada, `${comments}/assets`, Buffer.alloc(3, 'x'), 'b.txt');
  await ben.repository('loom');

  const list = await ada.get(`${QUOTA}/attachments`);

  const root = forge.url;
  assert.deepEqual(list.body, [
    {
      name: 'b.txt',
      size: 3,
      api_url: `${root}${comments}/assets/${ofComment.id}`,
      contained_in: {
        api_url: `${root}${comments}`,
        html_url: `${root}/ada/engine/issues/1#issuecomment-${comment.body.id}`,
      },
    },
    {
      name: 'a.txt',
      size: 2,
      api_url: `${root}${ISSUES}/1/assets/${ofIssue.id}`,
      contained_in: { api_url: `${root}${ISSUES}/1`, html_url: `${root}/ada/engine/issues/1` },
    },
  ]);
  for (const { api_url, contained_in } of list.body)
    for (const url of [api_url, contained_in.api_url])
      assert.equal((await ada.get(url.slice(root.length))).status, 200, url);
  const page = await ada.get(`${QUOTA}/attachments?limit=1&page=2`);
  assert.deepEqual([page.body[0].name, page.headers.get('x-total-count')], ['a.txt', '2']);
  assert.deepEqual((await ben.get(`${QUOTA}/attachments`)).body, []);
  for (const kind of ['artifacts', 'packages']) {
    const none = await ada.get(`${QUOTA}/${kind}`);
    assert.deepEqual([none.status, none.body, none.headers.get('x-total-count')], [200, [], '0'], kind);
  }
});

test('only owners of an organization see its quota', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const team = await ada.post('/api/v1/orgs/guild/teams', { name: 'readers' });
  await ada.put(`/api/v1/teams/${team.body.id}/members/ben`);
  const quota = '/api/v1/orgs/guild/quota';
  for (const path of [quota, `${quota}/attachments`, `${quota}/artifacts`, `${quota}/packages`]) {
    assert.equal((await ada.get(path)).status, 200, path);
    assert.equal((await ben.get(path)).status, 403, path);
  }
  assert.equal((await ada.get(`${quota}/check?subject=size:all`)).body, true);
  assert.equal((await ben.get(`${quota}/check?subject=size:all`)).status, 403);
  assert.equal((await ada.get('/api/v1/orgs/none/quota')).status, 404);
});
