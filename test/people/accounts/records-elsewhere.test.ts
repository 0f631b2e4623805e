import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';

const ENGINE = '/api/v1/repos/guild/engine';
/** Lists of users, and one record that has some, each with ada in it. */
const LISTS = [
  '/api/v1/orgs/guild/members',
  '/api/v1/orgs/guild/public_members',
  `${ENGINE}/assignees`,
  `${ENGINE}/stargazers`,
  `${ENGINE}/subscribers`,
  `${ENGINE}/issues/1/subscriptions`,
];

test('records of a user in lists, issues and comments show private fields to that user and to administrators', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.put('/api/v1/orgs/guild/public_members/ada');
  await ada.post('/api/v1/orgs/guild/repos', { name: 'engine' });
  await ada.put('/api/v1/user/starred/guild/engine');
  await ada.put(`${ENGINE}/subscription`);
  const issue = await ada.post(`${ENGINE}/issues`, { title: 'It rattles', assignees: ['ada'] });
  await ada.put(`${ENGINE}/issues/1/subscriptions/ada`);
  await ada.post(`${ENGINE}/issues/1/comments`, { body: 'Still.' });
  await ada.post(`${ENGINE}/issues/1/reactions`, { content: 'heart' });
  await ada.patch('/api/v1/user/settings', { hide_email: true, language: 'de-DE' });
  const own = (await ada.get('/api/v1/user')).body;
  const teams = await ada.get('/api/v1/orgs/guild/teams');
  const recordsFor = async (viewer: Person) => {
    const get = async (path: string) => (await viewer.get(path)).body;
    const { user, assignee, assignees } = await get(`${ENGINE}/issues/1`);
    const [comment] = await get(`${ENGINE}/issues/1/comments`);
    const [reaction] = await get(`${ENGINE}/issues/1/reactions`);
    const lists = await Promise.all(LISTS.map(get));
    return [user, assignee, ...assignees, comment.user, reaction.user, ...lists.flat()];
  };

  assert.equal(issue.body.user.active, true);
  for (const viewer of [ada, forge.root]) {
    const records = await recordsFor(viewer);
    records.push(...(await viewer.get(`/api/v1/teams/${teams.body[0].id}/members`)).body);
    assert.equal(records.length, 5 + LISTS.length + 1);
    for (const record of records) assert.deepEqual(record, own);
  }
  const seen = {
    email: `ada@noreply.127.0.0.1`,
    language: '',
    active: false,
    last_login: '0001-01-01T00:00:00Z',
  };
  const records = await recordsFor(ben);
  assert.equal(records.length, 5 + LISTS.length);
  for (const record of records) assert.deepEqual(record, { ...own, ...seen });
});
