import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, workingCopy } from '../../support/git/git.ts';
import { EVENTS, readAll, type WireEvent } from '../../tracker/event-feed/feed.ts';
import { base64, newPage, wikiUrl } from './wiki.ts';

const ENGINE = '/api/v1/repos/ada/engine';

async function wikiEvents(reader: Person | TestForge): Promise<readonly WireEvent[]> {
  return (await readAll(reader, EVENTS)).events.filter(({ kind }) => kind.startsWith('wiki.'));
}

test('each change of a page has an event with its title, its address and the message', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const made = await newPage(ada, 'Draft 1', 'one');
  const edited = await ada.patch(wikiUrl('page/Draft-1'), { title: 'Final', message: 'Ready\n\nAt last' });
  await ada.patch(wikiUrl('page/Final'), { title: 'Final' });
  assert.equal((await ada.delete(wikiUrl('page/Final'))).status, 204);

  const events = await wikiEvents(ada);

  assert.deepEqual(
    events.map(({ kind }) => kind),
    [
      ...['wiki.page-created', 'wiki.refs-changed'],
      ...['wiki.page-edited', 'wiki.refs-changed'],
      ...['wiki.page-deleted', 'wiki.refs-changed'],
    ],
  );
  const pages = events.filter(({ kind }) => kind.includes('page')).map(({ data, former }) => [data, former]);
  const deleted = pages[2]?.[0]?.commit;
  assert.deepEqual(pages, [
    [{ page: 'Draft 1', address: 'Draft-1', comment: 'Add "Draft 1"', commit: made.last_commit.sha }, null],
    [
      { page: 'Final', address: 'Final', comment: 'Ready\n\nAt last', commit: edited.body.last_commit.sha },
      { page: 'Draft 1' },
    ],
    [{ page: 'Final', address: 'Final', comment: 'Delete page "Final"', commit: deleted }, null],
  ]);
  const [event] = events;
  assert.deepEqual(
    [event?.actor.login, event?.actor.kind, event?.repository?.full_name],
    ['ada', 'user', 'ada/engine'],
  );
  assert.deepEqual(events[1]?.data, {
    updates: [{ ref: 'refs/heads/main', old: null, new: made.last_commit.sha }],
    via: 'api',
  });
});

test('a push to a wiki has an event of its own, and none of the repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'Home.md'), 'fixes #1\n');
  const commit = await commitAll(work, 'fixes #1');
  await ada.post(`${ENGINE}/issues`, { title: 'It rattles' });
  const before = (await ada.get(ENGINE)).body;

  await git(work, ['push', '-q', ada.remote('ada/engine.wiki'), 'main']);

  const { events } = await readAll(ada, EVENTS);
  const [event, ...others] = events.filter(({ kind }) => /refs|wiki/.test(kind));
  assert.deepEqual(others, []);
  assert.deepEqual(
    [event?.kind, event?.data],
    ['wiki.refs-changed', { updates: [{ ref: 'refs/heads/main', old: null, new: commit }], via: 'push' }],
  );
  const after = (await ada.get(ENGINE)).body;
  assert.deepEqual([after.empty, after.updated_at, after.language], [true, before.updated_at, '']);
  assert.equal((await ada.get(`${ENGINE}/issues/1`)).body.state, 'open');
});

test('readers of the wiki see its events, while it is switched on', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.post('/api/v1/orgs', { username: 'works' });
  await ada.post('/api/v1/orgs/works/repos', { name: 'engine', private: true });
  const units = { units_map: { 'repo.code': 'write' }, includes_all_repositories: true, permission: 'read' };
  const { body } = await ada.post('/api/v1/orgs/works/teams', { name: 'coders', ...units });
  await ada.put(`/api/v1/teams/${body.id}/members/ben`);
  await newPage(ada, 'Home', '', 'works/engine');

  assert.equal((await wikiEvents(ada)).length, 2);
  assert.equal((await wikiEvents(ben)).length, 0);
  assert.equal((await wikiEvents(forge)).length, 0);
  await ada.patch('/api/v1/repos/works/engine', { private: false });
  assert.equal((await wikiEvents(forge)).length, 2);
  await ada.patch('/api/v1/repos/works/engine', { has_wiki: false });
  assert.equal((await wikiEvents(ada)).length, 0);
});

test('the commits of pages are by the user who asked, with a hidden address if that is hidden', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.patch('/api/v1/user/settings', { hide_email: true, full_name: 'Ada Lovelace' });
  const { last_commit: last } = await newPage(ada, 'Home');
  assert.equal(last.author.name, 'Ada Lovelace');
  assert.match(last.author.email, /noreply/);
  assert.equal((await ada.patch(wikiUrl('page/Home'), { content_base64: base64('x') })).status, 200);
});
