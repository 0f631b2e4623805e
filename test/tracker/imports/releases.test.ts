import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSource } from '../../base/outbound/servers.ts';
import { ALLOWED, hurried, MIGRATE } from '../../hosting/mirrors/sync.ts';
import { keysOf } from '../../storage/objects.ts';
import { startForge } from '../../support/forge/forge.ts';
import {
  attach,
  RELEASES,
  release,
  startReleases,
  uploadBody,
  type Wire,
} from '../releases/release-world.ts';
import { startFakeFamily } from './source.ts';

const COPY = '/api/v1/repos/dan/engine';

function same(record: Wire) {
  return [
    ...['tag_name', 'target_commitish', 'name', 'body', 'draft', 'prerelease', 'hide_archive_links'].map(
      (field) => record[field],
    ),
    ...[record.created_at, record.published_at],
    record.assets.map(({ name, size, type, created_at: at }: Wire) => [name, size, type, at]),
  ];
}

test('a migration from a Gitea server copies releases and their assets', async (t) => {
  const { forge: source, ada } = await startReleases(t);
  const [one, two] = [
    await release(ada, 'v1', { name: 'First', body: 'One\nTwo' }),
    await release(ada, 'tools/v2', { prerelease: true, hide_archive_links: true }),
  ];
  await release(ada, 'v3', { draft: true });
  await attach(ada, one, 'a b.bin', '\u0000binary');
  await attach(ada, two, 'empty', '');
  const form = new FormData();
  form.append('external_url', 'https://example.org/tool.zip');
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  assert.equal((await ada.send('POST', `${RELEASES}/${two.id}/assets`, { body, headers })).status, 201);
  await ada.patch('/api/v1/repos/ada/engine', { private: true });
  const forge = await startForge(t, ALLOWED);
  const dan = await forge.account('dan');

  const made = await dan.post(MIGRATE, {
    clone_addr: `${source.url}/ada/engine`,
    repo_name: 'engine',
    service: 'gitea',
    auth_token: ada.token,
    releases: true,
  });

  assert.equal(made.status, 201, made.text);
  assert.equal(made.body.release_counter, 2);
  const [here, there] = [(await dan.get(`${COPY}/releases`)).body, (await ada.get(RELEASES)).body];
  assert.deepEqual(here.map(same), there.map(same));
  assert.deepEqual(
    here.map(({ author }: Wire) => author.login),
    ['Ghost', 'Ghost', 'Ghost'],
  );
  const file = await forge.send('GET', '/dan/engine/releases/download/v1/a%20b.bin', {
    as: { token: dan.token },
  });
  assert.deepEqual([file.status, file.text], [200, '\u0000binary']);
});

test('records of releases and files that cannot be used are left out, and no credentials go to other servers', async (t) => {
  const seen: (string | undefined)[] = [];
  const port = await startSource(t, (request, response) => {
    seen.push(request.headers.authorization);
    if (request.url === '/missing') response.writeHead(404);
    response.end('file');
  });
  const at = '2020-01-02T03:04:05Z';
  const asset = (name: string, url = `http://127.0.0.1:${port}/${encodeURIComponent(name)}`) => {
    return { name, browser_download_url: url, type: 'attachment', created_at: at };
  };
  const draft = { tag_name: 'v1', draft: true, created_at: at, published_at: null, name: '', body: '' };
  const releases = [
    {
      ...draft,
      assets: [
        asset('good'),
        asset('missing'),
        asset('inside', 'http://10.0.0.1/inside'),
        asset('a/b'),
        asset('x', 'file:///etc/passwd'),
        asset('good'),
      ],
    },
    { ...draft, body: 'twice' },
    { ...draft, tag_name: 'a b' },
    { ...draft, tag_name: 'v2', draft: false },
    { ...draft, tag_name: 7 },
  ];
  const { url, ada } = await startFakeFamily(t, (path, records) => ({ ...records, releases })[path]);
  const forge = await startForge(t, ALLOWED);
  const dan = await forge.account('dan');

  const made = await dan.post(MIGRATE, {
    clone_addr: url,
    repo_name: 'engine',
    service: 'forgejo',
    auth_username: 'ada',
    auth_password: ada.password,
    releases: true,
  });

  assert.equal(made.status, 201, made.text);
  const [first, ...others] = (await dan.get(`${COPY}/releases`)).body;
  assert.deepEqual(others, []);
  assert.deepEqual([first.tag_name, first.body, first.assets.length], ['v1', '', 1]);
  assert.deepEqual([first.created_at, first.assets[0].name, first.assets[0].size], [at, 'good', 4]);
  assert.deepEqual([...new Set(seen)], [undefined]);
  assert.equal((await uploadBody(dan, `${COPY}/releases/${first.id}/assets?name=good`, 'x')).status, 409);
});

test('a copy whose owner has no room for the files of releases fails, and leaves none', async (t) => {
  const { forge: source, ada } = await startReleases(t);
  const created = await release(ada, 'v1');
  await attach(ada, created, 'a', 'x'.repeat(700_000));
  await attach(ada, created, 'b', 'x'.repeat(700_000));
  const forge = await startForge(t, { ...ALLOWED, settings: { ...ALLOWED.settings, lfsOwnerMib: '1' } });
  const dan = await forge.account('dan');

  const wanted = {
    clone_addr: `${source.url}/ada/engine`,
    repo_name: 'engine',
    service: 'gitea',
    releases: true,
  };
  const made = await hurried(forge, dan.post(MIGRATE, wanted));

  assert.ok(made.status >= 400 && made.status < 500, made.text);
  assert.equal((await dan.get(COPY)).status, 404);
  const { services, engines } = forge.forge.running;
  await services.releaseAssetFiles.collect({
    signal: new AbortController().signal,
    aheadMs: 2 * 60 * 60_000,
  });
  assert.deepEqual(await keysOf(engines.objects, 'release-assets/'), []);
});
