import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { EVENTS, kindsOf, readAll, type WireEvent } from './feed.ts';

const ENGINE = '/api/v1/repos/ada/engine';

/** Reads as an anonymous caller, or with a token. */
function readerOf(forge: TestForge, token?: string) {
  return { get: (path: string) => forge.send('GET', path, token === undefined ? {} : { as: { token } }) };
}

async function kindsFor(forge: TestForge, token?: string, path = EVENTS): Promise<readonly string[]> {
  return kindsOf((await readAll(readerOf(forge, token), path)).events);
}

test('each caller sees the events of exactly the repositories that the caller sees', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const [ben, cid] = [await forge.account('ben'), await forge.account('cid')];
  const lin = await forge.account('lin', { visibility: 'limited' });
  await ada.repository('open');
  await ada.repository('secret', { private: true });
  await lin.repository('limited');
  await ada.put('/api/v1/repos/ada/secret/collaborators/ben', { permission: 'read' });

  const created = async (token?: string) =>
    (await kindsFor(forge, token))
      .filter((kind) => kind.startsWith('repository.created'))
      .map((kind) => kind.split(' ')[1]);
  assert.deepEqual(await created(), ['ada/open']);
  assert.deepEqual(await created(cid.token), ['ada/open', 'lin/limited']);
  assert.deepEqual(await created(ben.token), ['ada/open', 'ada/secret', 'lin/limited']);
  assert.deepEqual(await created(ada.token), ['ada/open', 'ada/secret', 'lin/limited']);
  assert.deepEqual(await created(forge.root.token), ['ada/open', 'ada/secret', 'lin/limited']);
  assert.deepEqual(await created(await ada.tokenFor(['public-only', 'read:repository'])), ['ada/open']);
});

test('rights count as they are now: what was hidden appears, and what was visible disappears', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  const seen = async () => (await kindsFor(forge)).includes('repository.created ada/engine');
  assert.equal(await seen(), true);
  await ada.patch(ENGINE, { private: true });
  assert.equal(await seen(), false);
  await ada.patch(ENGINE, { private: false });
  assert.equal(await seen(), true);
});

test('a token sees only the events that its scopes are for', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  await ada.post(`${ENGINE}/issues`, { title: 'One' });
  await ada.post('/api/v1/orgs', { username: 'engines' });

  const wings = async (...scopes: readonly string[]) => {
    const kinds = await kindsFor(forge, await ada.tokenFor(scopes));
    return [...new Set(kinds.map((kind) => kind.split(/[ .]/)[0]))].sort();
  };
  assert.deepEqual(await wings('read:repository'), ['refs', 'repository']);
  assert.deepEqual(await wings('read:repository', 'read:issue'), ['issue', 'refs', 'repository']);
  assert.deepEqual(
    (await wings('read:repository', 'read:organization')).filter((wing) => wing === 'organization'),
    ['organization'],
  );
  assert.ok((await wings('read:repository', 'read:user')).includes('account'));
  const without = await forge.send('GET', EVENTS, { as: { token: await ada.tokenFor(['read:issue']) } });
  assert.equal(without.status, 403);
  const forNotes = await forge.send('GET', EVENTS, {
    as: { token: await ada.tokenFor(['all', 'notes-only']) },
  });
  assert.equal(forNotes.status, 403);
});

test('a token for named repositories sees the events of these', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.repository('other');
  const made = await forge.send('POST', '/api/v1/users/ada/tokens', {
    as: { name: 'ada', password: ada.password },
    json: { name: 'named', scopes: ['read:repository'], repositories: [{ owner: 'ada', name: 'engine' }] },
  });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(await kindsFor(forge, made.body.sha1), ['repository.created ada/engine']);
});

test('events of a unit that is switched off are hidden, and appear when it is switched on', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.post(`${ENGINE}/issues`, { title: 'One' });
  const seen = async () => (await kindsFor(forge)).includes('issue.created ada/engine');
  assert.equal(await seen(), true);
  await ada.patch(ENGINE, { has_issues: false });
  assert.equal(await seen(), false);
  await ada.patch(ENGINE, { has_issues: true });
  assert.equal(await seen(), true);
});

test('a team sees the events of its units, and members alone see teams', async (t) => {
  const forge = await startForge(t);
  const [ada, ben, cid] = [
    await forge.account('ada'),
    await forge.account('ben'),
    await forge.account('cid'),
  ];
  await ada.post('/api/v1/orgs', { username: 'engines' });
  const { id } = (
    await ada.post('/api/v1/orgs/engines/teams', {
      name: 'trackers',
      permission: 'read',
      units: ['repo.issues'],
      includes_all_repositories: true,
    })
  ).body;
  await ada.put(`/api/v1/teams/${id}/members/ben`);
  await ada.post('/api/v1/orgs/engines/repos', { name: 'engine', private: true, auto_init: true });
  await ada.post('/api/v1/repos/engines/engine/issues', { title: 'One' });

  const forBen = await kindsFor(forge, ben.token, '/api/v1/orgs/engines/events');
  assert.ok(forBen.includes('issue.created engines/engine'));
  assert.ok(!forBen.includes('refs.changed engines/engine'));
  assert.ok(forBen.includes('team.created'));
  assert.deepEqual(await kindsFor(forge, cid.token, '/api/v1/orgs/engines/events'), ['organization.created']);
  assert.ok(
    (await kindsFor(forge, ada.token, '/api/v1/orgs/engines/events')).includes('refs.changed engines/engine'),
  );
});

test('events of an account are for the account and site administrators, and not for tokens for public things', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.tokenFor(['read:user']);

  const tokens = async (token?: string) =>
    (await readAll(readerOf(forge, token))).events.filter(
      ({ kind, data }) => kind.startsWith('token.') && data.account.login === 'ada',
    ).length;
  assert.ok((await tokens(ada.token)) > 0);
  assert.ok((await tokens(forge.root.token)) > 0);
  assert.equal(await tokens(ben.token), 0);
  assert.equal(await tokens(), 0);
  assert.equal(await tokens(await ada.tokenFor(['public-only', 'all'])), 0);
});

test('settings that administrators read are for administrators', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  await ada.post(`${ENGINE}/branch_protections`, { rule_name: 'main' });
  const kinds = async (token?: string) =>
    (await kindsFor(forge, token, `${ENGINE}/events`)).map((kind) => kind.split(' ')[0]);
  const all = ['repository.created', 'collaborator.changed', 'protection.created'];
  assert.deepEqual(await kinds(ada.token), all);
  assert.deepEqual(await kinds(ben.token), ['repository.created', 'collaborator.changed']);
  assert.deepEqual(await kinds(), ['repository.created']);
});

test('the former owner of a deleted repository sees that it was deleted, and nothing else of it', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ada.delete(ENGINE);
  const ofEngine = async (token?: string) =>
    (await kindsFor(forge, token)).filter((kind) => kind.endsWith('ada/engine'));
  assert.deepEqual(await ofEngine(ada.token), ['repository.deleted ada/engine']);
  assert.deepEqual(await ofEngine(ben.token), []);
  assert.deepEqual(await ofEngine(), []);
});

test('a hidden or deleted account has no name in events of others, and former names of repositories stay', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ben.put('/api/v1/user/starred/ada/engine');
  await ben.post(`${ENGINE}/issues`, { title: 'One' });
  await ada.patch(ENGINE, { name: 'analytical' });
  const at = '/api/v1/repos/ada/analytical/events';
  const of = async (kind: string): Promise<WireEvent | undefined> =>
    (await readAll(readerOf(forge), at)).events.find((event) => event.kind === kind);

  const opened = await of('issue.created');
  assert.deepEqual([opened?.actor.login, opened?.repository?.full_name], ['ben', 'ada/engine']);
  assert.equal((await of('repository.starred'))?.data.account.login, 'ben');
  await forge.root.patch('/api/v1/admin/users/ben', { visibility: 'private' });
  assert.deepEqual((await of('issue.created'))?.actor, { kind: 'user', id: null, login: null });
  assert.equal(await of('repository.starred'), undefined);
  await forge.root.delete('/api/v1/admin/users/ben?purge=true');
  assert.deepEqual((await of('issue.created'))?.actor, { kind: 'user', id: null, login: null });
});

test('the fork of a repository is shown to those who see the fork', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  await ben.post(`${ENGINE}/forks`, {});
  const seen = async (token?: string) =>
    (await kindsFor(forge, token, `${ENGINE}/events`)).includes('repository.forked ada/engine');
  assert.equal(await seen(), true);
  await forge.root.patch('/api/v1/admin/users/ben', { visibility: 'private' });
  assert.equal(await seen(), false);
  assert.equal(await seen(ben.token), true);
});

test('refs of the server are hidden, and an event without other refs, too', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { database } = forge.forge.running.engines;
  const update = (ref: string) => ({ ref, old: null, new: '0'.repeat(40) });
  const payloads = [[update('refs/quire/x'), update('refs/heads/y')], [update('refs/quire/x')]];
  const repositoryId = (await ada.get(ENGINE)).body.id;
  await database.transaction(async (tx) => {
    for (const updates of payloads)
      await tx
        .insertInto('events')
        .values({
          kind: 'refs.changed',
          repository_id: repositoryId,
          payload: JSON.stringify({ updates, via: 'api' }),
          created_at: 0,
        })
        .execute();
  });
  const { events } = await readAll(readerOf(forge), `${ENGINE}/events`);
  const refs = events
    .filter(({ kind }) => kind === 'refs.changed')
    .map(({ data }) => data.updates.map((each: { ref: string }) => each.ref));
  assert.deepEqual(refs, [['refs/heads/main'], ['refs/heads/y']]);
});

test('the feed has no texts of issues', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  await ada.post(`${ENGINE}/issues`, { title: 'Quixotic', body: 'Xylophone' });
  await ada.patch(`${ENGINE}/issues/1`, { title: 'Other', body: 'Zither' });
  const { text } = await ada.get(`${ENGINE}/events`);
  assert.doesNotMatch(text, /Quixotic|Xylophone|Zither/);
  assert.match(text, /issue\.changed/);
});

test('notes are private to their owner, and so are their events', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const made = await ada.post('/index.php/apps/notes/api/v1/notes', { title: 'Mine', content: 'x' });
  assert.equal(made.status, 200, made.text);
  const ofNotes = async (token?: string) =>
    (await kindsFor(forge, token)).filter((kind) => kind.endsWith('ada/Notes')).length;
  assert.ok((await ofNotes(ada.token)) > 0);
  assert.equal(await ofNotes(ben.token), 0);
  assert.equal(await ofNotes(), 0);
});

test('events of a user are of the account and of what it owned at that time', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ben.repository('other');
  const own = await kindsFor(forge, ada.token, '/api/v1/users/ada/events');
  assert.ok(own.includes('account.created') && own.includes('repository.created ada/engine'));
  assert.deepEqual(await kindsFor(forge, undefined, '/api/v1/users/ada/events'), [
    'repository.created ada/engine',
  ]);
  assert.equal((await forge.get('/api/v1/users/nobody/events')).status, 404);
});

test('accounts in an event have the name of that time, unless they are hidden or gone now', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ada.put(`${ENGINE}/collaborators/ben`, { permission: 'write' });
  await ada.post(`${ENGINE}/issues`, { title: 'A', assignees: ['ben', 'ada'] });
  const rename = await forge.root.post('/api/v1/admin/users/ben/rename', { new_username: 'benno' });
  assert.equal(rename.status, 204, rename.text);
  const named = async () => {
    const { events } = await readAll(ada);
    const changes = events.filter(({ kind }) => /^(collaborator|issue\.assignees)/.test(kind));
    return changes.flatMap(({ data }) =>
      [data.account, ...(data.added ?? [])].flatMap((person) => person?.login ?? []),
    );
  };
  assert.deepEqual((await named()).toSorted(), ['ada', 'ben', 'ben']);
  assert.equal((await forge.root.delete('/api/v1/admin/users/benno')).status, 204);
  assert.deepEqual(await named(), ['ada']);
  assert.equal(ben.name, 'ben');
});

test('names of a repository show its former owner only to those who may see that account', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  await ada.patch(ENGINE, { name: 'motor' });
  await forge.root.post('/api/v1/repos/ada/motor/transfer', { new_owner: 'ben' });
  await forge.root.patch('/api/v1/admin/users/ada', { visibility: 'private' });
  const renamed = async (token: string) => {
    const { events } = await readAll(readerOf(forge, token), '/api/v1/repos/ben/motor/events');
    return events.filter(({ kind }) => kind === 'repository.renamed').map(({ data }) => data);
  };
  assert.deepEqual(await renamed(ben.token), [{ from: 'engine', to: 'motor' }]);
  assert.deepEqual(await renamed(ada.token), [{ from: 'ada/engine', to: 'ada/motor' }]);
  const { events } = await readAll(readerOf(forge, ben.token));
  assert.doesNotMatch(JSON.stringify(events), /ada/);
});
