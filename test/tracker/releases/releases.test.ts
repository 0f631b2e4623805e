import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RELEASE_LIMITS } from '../../../src/tracker/releases/limits.ts';
import { eventsOf } from '../../support/forge/events.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { commitAll, git, temporaryFolder } from '../../support/git/git.ts';
import { until } from '../../support/until.ts';
import { counterOf, ENGINE, RELEASES, release, startReleases, tagsOf, type Wire } from './release-world.ts';

test('a release is created with its tag at the default branch, read, changed and deleted, each with an event', async (t) => {
  const { forge, ada, tip } = await startReleases(t);
  const { database } = forge.forge.running.engines;

  const created = await release(ada, 'v1.0', { name: ' First ', body: 'One\nTwo' });

  const { id, author, created_at: at, published_at: published, ...fields } = created;
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  assert.equal(published, at);
  assert.equal(author.login, 'ada');
  const html = `${forge.url}/ada/engine`;
  assert.deepEqual(fields, {
    tag_name: 'v1.0',
    target_commitish: 'main',
    name: 'First',
    body: 'One\nTwo',
    url: `${forge.url}${RELEASES}/${id}`,
    html_url: `${html}/releases/tag/v1.0`,
    tarball_url: `${html}/archive/v1.0.tar.gz`,
    zipball_url: `${html}/archive/v1.0.zip`,
    upload_url: `${forge.url}${RELEASES}/${id}/assets`,
    hide_archive_links: false,
    draft: false,
    prerelease: false,
    assets: [],
    archive_download_count: { zip: 0, tar_gz: 0 },
  });
  assert.equal((await ada.get(`${ENGINE}/tags/v1.0`)).body.id, tip, 'a plain tag');
  for (const path of [`${RELEASES}/${id}`, `${RELEASES}/tags/v1.0`, `${RELEASES}/latest`])
    assert.deepEqual((await ada.get(path)).body, created, path);
  const listed = await ada.get(RELEASES);
  assert.deepEqual([listed.body, listed.headers.get('x-total-count')], [[created], '1']);
  assert.equal(await counterOf(ada), 1);

  const changed = await ada.patch(`${RELEASES}/${id}`, { body: 'Three', prerelease: true });
  assert.deepEqual(changed.body, { ...created, body: 'Three', prerelease: true });
  const same = await ada.patch(`${RELEASES}/${id}`, {
    tag_name: '',
    name: '',
    body: '',
    target_commitish: '',
  });
  assert.deepEqual([same.status, same.body], [200, changed.body], 'empty texts change nothing');
  assert.equal((await ada.delete(`${RELEASES}/${id}`)).status, 204);
  for (const method of ['get', 'delete'] as const)
    assert.equal((await ada[method](`${RELEASES}/${id}`)).status, 404);
  assert.deepEqual(await tagsOf(ada), ['v1.0'], 'the tag stays');
  assert.equal(await counterOf(ada), 0);

  const events = await eventsOf(database, 'release.');
  assert.deepEqual(
    events.map(({ kind, actor, changed: names }) => [kind, actor, names]),
    [
      ['release.published', 'ada', undefined],
      ['release.updated', 'ada', ['body', 'isPrerelease']],
      ['release.deleted', 'ada', undefined],
    ],
  );
  for (const { releaseId, tag, target, title } of events as Wire[])
    assert.deepEqual([releaseId, tag, target, title], [id, 'v1.0', 'main', 'First']);
});

test('a release of an existing tag leaves the tag, and a new tag is at the target, also one with slashes', async (t) => {
  const { ada, tip } = await startReleases(t);
  await ada.post(`${ENGINE}/contents/file`, { content: '', branch: 'main', new_branch: 'side' });
  const side: string = (await ada.get(`${ENGINE}/branches/side`)).body.commit.id;
  assert.equal((await ada.post(`${ENGINE}/tags`, { tag_name: 'old', message: 'Old' })).status, 201);
  const { id: old } = (await ada.get(`${ENGINE}/tags/old`)).body;

  const ofOld = await release(ada, 'old', { target_commitish: 'gone' });
  assert.equal(ofOld.target_commitish, 'gone', 'it decides nothing');
  const created = await release(ada, 'tools/v1', { target_commitish: 'side' });
  await release(ada, 'v2', { target_commitish: tip.slice(0, 10) });

  assert.equal((await ada.get(`${ENGINE}/tags/old`)).body.id, old);
  assert.equal((await ada.get(`${ENGINE}/tags/tools/v1`)).body.id, side);
  assert.equal((await ada.get(`${ENGINE}/tags/v2`)).body.id, tip);
  for (const path of ['tools/v1', 'tools%2Fv1'])
    assert.equal((await ada.get(`${RELEASES}/tags/${path}`)).body.id, created.id);
  assert.equal((await ada.delete(`${RELEASES}/tags/tools/v1`)).status, 204);
  assert.equal((await ada.get(`${RELEASES}/tags/tools/v1`)).status, 404, 'a bare tag');
  assert.equal((await ada.delete(`${RELEASES}/tags/tools/v1`)).status, 404, 'a bare tag');
});

test('a release that cannot be made is rejected with a reason, and makes no tag', async (t) => {
  const { ada } = await startReleases(t);
  await ada.repository('empty');
  await release(ada, 'v1');
  await release(ada, 'planned', { draft: true });
  const rejected = [
    [{ tag_name: 'v1' }, 409],
    [{ tag_name: 'planned' }, 409],
    [{ tag_name: 'v2', target_commitish: 'missing' }, 404],
    [{ tag_name: '' }, 422],
    [{ tag_name: 'a b' }, 422],
    [{ tag_name: 'a..b' }, 422],
    [{ tag_name: '-x' }, 422],
    [{ tag_name: 'v1/below' }, 409],
    [{ tag_name: 'v2', name: 'x'.repeat(RELEASE_LIMITS.releaseTitleCharsMax + 1) }, 422],
    [{ tag_name: 'v2', name: 'a\u0007b' }, 422],
    [{ tag_name: 'v2', body: 'a\0b' }, 422],
    [{ tag_name: 'v2', body: 'x'.repeat(RELEASE_LIMITS.releaseBodyCharsMax + 1) }, 422],
    [{ tag_name: 'v2', target_commitish: 'x'.repeat(RELEASE_LIMITS.releaseTargetCharsMax + 1) }, 422],
    [{}, 422],
  ] as const;
  for (const [body, status] of rejected) {
    const answer = await ada.post(RELEASES, body);
    assert.equal(answer.status, status, `${JSON.stringify(body).slice(0, 80)} ${answer.text}`);
  }
  for (const draft of [true, false])
    assert.equal(
      (await ada.post('/api/v1/repos/ada/empty/releases', { tag_name: 'v1', draft })).status,
      422,
      'an empty repository',
    );
  assert.deepEqual(await tagsOf(ada), ['v1']);
  assert.equal((await ada.get(RELEASES)).body.length, 2);
});

test('a draft has no tag, only people who may write see it, and publishing it creates the tag', async (t) => {
  const { forge, ada, ben, cid, tip } = await startReleases(t);
  const { database } = forge.forge.running.engines;
  const draft = await release(ben, 'v1', { draft: true, name: 'Planned' });
  assert.equal(draft.draft, true);
  const url = `${RELEASES}/${draft.id}`;

  assert.deepEqual(await tagsOf(ada), []);
  assert.equal(await counterOf(ada), 0);
  for (const who of [cid, forge]) {
    assert.deepEqual((await who.get(RELEASES)).body, []);
    assert.deepEqual((await who.get(`${RELEASES}?draft=true`)).body, []);
    assert.equal((await who.get(RELEASES)).headers.get('x-total-count'), '0');
    for (const path of [url, `${url}/assets`]) assert.equal((await who.get(path)).status, 404);
  }
  assert.deepEqual((await ben.get(RELEASES)).body, [draft]);
  assert.deepEqual((await ben.get(url)).body, draft);
  assert.equal((await ada.get(url)).status, 200);
  assert.equal((await ada.get(`${RELEASES}/tags/v1`)).status, 404, 'not by its tag');
  assert.equal((await ada.get(`${RELEASES}/latest`)).status, 404);

  const published = await ben.patch(url, { draft: false });
  assert.equal(published.status, 200, published.text);
  assert.deepEqual(published.body, { ...draft, draft: false, published_at: published.body.published_at });
  assert.equal((await ada.get(`${ENGINE}/tags/v1`)).body.id, tip);
  assert.equal((await cid.get(`${RELEASES}/latest`)).body.id, draft.id);
  assert.equal(await counterOf(cid), 1);

  assert.equal((await ada.patch(url, { draft: true })).status, 200);
  assert.equal((await cid.get(url)).status, 404);
  assert.equal(await counterOf(cid), 0);
  assert.deepEqual(await tagsOf(ada), ['v1']);
  assert.equal((await ada.delete(`${RELEASES}/tags/v1`)).status, 204, 'a draft, by its tag');
  assert.deepEqual(
    (await eventsOf(database, 'release.')).map(({ kind, actor }) => [kind, actor]),
    [
      ['release.draft-changed', 'ben'],
      ['release.published', 'ben'],
      ['release.updated', 'ada'],
      ['release.draft-changed', 'ada'],
      ['release.draft-changed', 'ada'],
    ],
  );
});

test('a draft of a missing target cannot be published, and stays a draft', async (t) => {
  const { ada } = await startReleases(t);
  const draft = await release(ada, 'v1', { draft: true, target_commitish: 'missing' });
  const url = `${RELEASES}/${draft.id}`;

  assert.equal((await ada.patch(url, { draft: false })).status, 404);

  assert.deepEqual((await ada.get(url)).body, draft);
  assert.equal((await ada.patch(url, { draft: false, target_commitish: 'main' })).status, 200);
  assert.deepEqual(await tagsOf(ada), ['v1']);
});

test('a release gets another tag, which is created, and the old one stays', async (t) => {
  const { ada } = await startReleases(t);
  const { id } = await release(ada, 'v1');
  await release(ada, 'v3');

  const renamed = await ada.patch(`${RELEASES}/${id}`, { tag_name: 'v2' });

  assert.deepEqual([renamed.status, renamed.body.tag_name], [200, 'v2'], renamed.text);
  assert.deepEqual(await tagsOf(ada), ['v1', 'v2', 'v3']);
  assert.equal((await ada.get(`${RELEASES}/tags/v1`)).status, 404);
  for (const [tag, status] of [
    ['v3', 409],
    ['a b', 422],
  ] as const)
    assert.equal((await ada.patch(`${RELEASES}/${id}`, { tag_name: tag })).status, status);
  assert.equal((await ada.get(`${RELEASES}/${id}`)).body.tag_name, 'v2');
});

test('the list is newest first, in pages with totals, and is filtered by kind and text', async (t) => {
  const { forge, ada } = await startReleases(t);
  for (const [tag, options] of [
    ['v1', {}],
    ['v2', { prerelease: true, name: 'Beta 100%' }],
    ['v3', { draft: true }],
    ['V4', { name: 'Fourth' }],
  ] as const)
    await release(ada, tag, options);
  const tags = async (query: string, who: { get: typeof ada.get } = ada) => {
    const answer = await who.get(`${RELEASES}?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.map(({ tag_name: tag }: Wire) => tag);
  };

  assert.deepEqual(await tags(''), ['V4', 'v3', 'v2', 'v1']);
  assert.deepEqual(await tags('', forge), ['V4', 'v2', 'v1']);
  assert.deepEqual(await tags('draft=true'), ['v3']);
  assert.deepEqual(await tags('draft=false'), ['V4', 'v2', 'v1']);
  assert.deepEqual(await tags('pre-release=true'), ['v2']);
  assert.deepEqual(await tags('pre-release=false&draft=false'), ['V4', 'v1']);
  assert.deepEqual(await tags('q=V'), ['V4', 'v3', 'v2', 'v1']);
  assert.deepEqual(await tags('q=fourth'), ['V4']);
  assert.deepEqual(await tags('q=100%25'), ['v2'], 'a sign is not a pattern');
  assert.deepEqual(await tags('q=%25v'), []);
  assert.deepEqual(await tags('q=%00'), []);
  const page = await ada.get(`${RELEASES}?limit=2&page=2`);
  assert.deepEqual(
    [page.body.map(({ tag_name: tag }: Wire) => tag), page.headers.get('x-total-count')],
    [['v2', 'v1'], '4'],
  );
  assert.match(page.headers.get('link') ?? '', /rel="first"/);
  assert.equal((await ada.get(`${RELEASES}/latest`)).body.tag_name, 'V4');
});

test('a list of 31 releases has 30 on its first page', async (t) => {
  const { forge, ada } = await startReleases(t);
  const { database } = forge.forge.running.engines;
  await release(ada, 'v0', { draft: true });
  const { id: _, ...row } = await database.reader
    .selectFrom('releases')
    .selectAll()
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: 30 }, (_none, index) => ({ ...row, tag: `v${index + 1}` }));
  await database.transaction((tx) => tx.insertInto('releases').values(copies).execute());

  const first = await ada.get(RELEASES);

  assert.deepEqual([first.body.length, first.headers.get('x-total-count')], [30, '31']);
});

test('hidden links to archives are left out of the record', async (t) => {
  const { ada } = await startReleases(t);
  const created = await release(ada, 'v1', { hide_archive_links: true });
  assert.deepEqual([created.hide_archive_links, created.tarball_url, created.zipball_url], [true, '', '']);
  const { body } = await ada.patch(`${RELEASES}/${created.id}`, { hide_archive_links: false });
  assert.match(body.tarball_url, /v1\.tar\.gz$/);
});

test('a protected tag takes no release from people who may not change it', async (t) => {
  const { ada, ben, tip } = await startReleases(t);
  const kept = await release(ada, 'v1');
  await ada.post(`${ENGINE}/tags`, { tag_name: 'v2' });
  const draft = await release(ben, 'v3', { draft: true });
  const protection = { name_pattern: 'v*', whitelist_usernames: ['ada'] };
  assert.equal((await ada.post(`${ENGINE}/tag_protections`, protection)).status, 201);

  for (const tag of ['v2', 'v9']) {
    const denied = await ben.post(RELEASES, { tag_name: tag });
    assert.equal(denied.status, 422, denied.text);
  }
  assert.equal((await ben.patch(`${RELEASES}/${draft.id}`, { draft: false })).status, 422);
  assert.equal((await ben.patch(`${RELEASES}/${kept.id}`, { body: 'Text' })).status, 200, 'the tag stays');
  for (const path of [`${RELEASES}/${kept.id}`, `${RELEASES}/tags/v1`])
    assert.equal((await ben.delete(path)).status, 422);
  for (const edit of [{ draft: true }, { tag_name: 'other' }])
    assert.equal((await ben.patch(`${RELEASES}/${kept.id}`, edit)).status, 422, JSON.stringify(edit));
  assert.deepEqual(await tagsOf(ada), ['v1', 'v2']);
  assert.equal((await ada.patch(`${RELEASES}/${draft.id}`, { draft: false })).status, 200);
  assert.equal((await ada.get(`${ENGINE}/tags/v3`)).body.id, tip);
  assert.equal((await ada.delete(`${RELEASES}/${kept.id}`)).status, 204);
});

test('a push that deletes the tag of a release makes a draft of it; the API rejects the deletion', async (t) => {
  const { forge, ada } = await startReleases(t);
  const { database } = forge.forge.running.engines;
  const created = await release(ada, 'v1');
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);

  assert.equal((await ada.delete(`${ENGINE}/tags/v1`)).status, 409);
  assert.deepEqual(await tagsOf(ada), ['v1']);

  await git(folder, ['push', '-q', 'origin', ':refs/tags/v1']);
  const draft = await ada.get(`${RELEASES}/${created.id}`);
  assert.equal(draft.body.draft, true);
  assert.equal(await counterOf(ada), 0);
  assert.deepEqual((await forge.get(RELEASES)).body, []);
  const [, updated] = await eventsOf(database, 'release.');
  assert.deepEqual(
    [updated?.kind, updated?.actor, updated?.changed],
    ['release.updated', 'ada', ['isDraft']],
  );

  await commitAll(folder, 'Second');
  await git(folder, ['tag', '-f', 'v1']);
  await git(folder, ['push', '-q', 'origin', 'v1']);
  assert.equal(
    (await ada.get(`${RELEASES}/${created.id}`)).body.draft,
    true,
    'a pushed tag publishes nothing',
  );
  assert.equal((await ada.patch(`${RELEASES}/${created.id}`, { draft: false })).status, 200);
});

test('only people who may write releases change them, not in archives, and a token needs its scope', async (t) => {
  const { forge, ada, ben, cid } = await startReleases(t);
  const { id } = await release(ada, 'v1');
  const url = `${RELEASES}/${id}`;
  const statuses = async (as?: { token: string }) => {
    const sent = (method: string, path: string, json?: unknown) =>
      forge.send(method, path, { ...(as ? { as } : {}), ...(json === undefined ? {} : { json }) });
    return [
      (await sent('POST', RELEASES, { tag_name: 'v1' })).status,
      (await sent('PATCH', url, { prerelease: false })).status,
    ];
  };

  assert.deepEqual(await statuses(), [401, 401]);
  assert.deepEqual(await statuses({ token: cid.token }), [403, 403]);
  assert.deepEqual(await statuses({ token: await ben.tokenFor(['read:repository']) }), [403, 403]);
  assert.deepEqual(await statuses({ token: await ben.tokenFor(['write:issue']) }), [403, 403]);
  assert.deepEqual(await statuses({ token: await ben.tokenFor(['write:repository']) }), [409, 200]);
  assert.equal((await cid.delete(url)).status, 403);
  const issuesOnly = await ben.tokenFor(['write:issue']);
  assert.equal((await forge.send('GET', RELEASES, { as: { token: issuesOnly } })).status, 403);

  await ada.patch(ENGINE, { archived: true });
  assert.deepEqual(await statuses({ token: ada.token }), [423, 423]);
  assert.equal((await ada.delete(url)).status, 423);
  assert.equal((await cid.get(url)).status, 200);
  await ada.patch(ENGINE, { archived: false, has_releases: false });
  assert.equal((await ada.get(ENGINE)).body.release_counter, 0);
  for (const path of [RELEASES, url, `${RELEASES}/latest`, `${RELEASES}/tags/v1`])
    assert.equal((await ada.get(path)).status, 404, path);
  assert.deepEqual(await statuses({ token: ada.token }), [404, 404]);
  await ada.patch(ENGINE, { has_releases: true, private: true });
  for (const who of [forge, await forge.account('dan')])
    for (const path of [RELEASES, url]) assert.equal((await who.get(path)).status, 404);
  assert.equal((await cid.get(url)).status, 200);
});

test('a team with the unit of releases writes them, and needs the code for a new tag', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  await guild.repository('loom', { auto_init: true, private: true });
  await guild.team('press', {
    members: [ben],
    repositories: ['loom'],
    permission: 'read',
    units_map: { 'repo.code': 'read', 'repo.releases': 'write' },
  });
  const at = '/api/v1/repos/guild/loom/releases';
  await ada.post('/api/v1/repos/guild/loom/tags', { tag_name: 'v1' });

  await release(ben, 'v1', {}, at);
  const draft = await release(ben, 'v2', { draft: true }, at);
  assert.equal((await ben.get(at)).body.length, 2);
  assert.equal((await ben.post(at, { tag_name: 'v3' })).status, 403);
  assert.equal((await ben.patch(`${at}/${draft.id}`, { draft: false })).status, 403);
  assert.equal((await ada.patch(`${at}/${draft.id}`, { draft: false })).status, 200);
});

test('a release of another repository is missing, and a stale edit is rejected', async (t) => {
  const { ada } = await startReleases(t);
  await ada.repository('mill', { auto_init: true });
  const { id } = await release(ada, 'v1');
  const mill = '/api/v1/repos/ada/mill/releases';
  for (const method of ['GET', 'PATCH', 'DELETE'])
    for (const path of [`${mill}/${id}`, `${mill}/tags/v1`, `${RELEASES}/999999`, `${RELEASES}/tags/a%00b`]) {
      if (method === 'PATCH' && path.includes('/tags/')) continue;
      assert.equal((await ada.send(method, path, { json: {} })).status, 404, `${method} ${path}`);
    }
  const url = `${RELEASES}/${id}`;
  const { headers } = await ada.get(url);
  const etag = headers.get('etag') ?? '';
  assert.equal((await ada.get(url, { headers: { 'if-none-match': etag } })).status, 304);
  const stale = { json: { body: 'x' }, headers: { 'if-match': '"stale"' } };
  for (const method of ['PATCH', 'DELETE']) assert.equal((await ada.send(method, url, stale)).status, 412);
  assert.equal((await ada.send('POST', RELEASES, { ...stale, json: { tag_name: 'v2' } })).status, 412);
  assert.equal((await ada.send('PATCH', url, { ...stale, headers: { 'if-match': etag } })).status, 200);
});

test('two requests for one tag make one release', async (t) => {
  const { ada, ben } = await startReleases(t);
  const answers = await Promise.all(
    [ada, ben, ada, ben].map((who) => who.post(RELEASES, { tag_name: 'v1' })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409]);
  assert.deepEqual(await tagsOf(ada), ['v1']);
  assert.equal(await counterOf(ada), 1);
});

test('releases move with a repository, and a fork does not have them', async (t) => {
  const { ada, ben } = await startReleases(t);
  const { id } = await release(ada, 'v1');
  assert.equal((await ben.post(`${ENGINE}/forks`, { name: 'copy' })).status, 202);
  await ben.patch('/api/v1/repos/ben/copy', { has_releases: true });
  assert.deepEqual((await ben.get('/api/v1/repos/ben/copy/releases')).body, []);
  assert.equal((await ben.get('/api/v1/repos/ben/copy')).body.release_counter, 0);

  await ada.patch(ENGINE, { name: 'motor' });
  assert.equal((await ada.get(`/api/v1/repos/ada/motor/releases/${id}`)).status, 200);
  assert.equal((await ada.get('/api/v1/repos/ada/motor')).body.release_counter, 1);
});

test('archives of the tag of a release are counted, and those of branches are not', async (t) => {
  const { forge, ada } = await startReleases(t);
  const { id } = await release(ada, 'v1');
  for (const path of ['v1.zip', 'v1.tar.gz', 'v1.tar.gz', 'main.zip'])
    assert.equal((await forge.get(`/ada/engine/archive/${path}`)).status, 200);
  await until(async () => {
    const { zip, tar_gz: tarGz } = (await ada.get(`${RELEASES}/${id}`)).body.archive_download_count;
    return zip === 1 && tarGz === 2;
  });
});
