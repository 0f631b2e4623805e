import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FaultPoint } from '../../../src/base/core/faults.ts';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { placeOf, prepareSite, type Site, serveSite } from '../../code/transport/server-process.ts';
import { keysOf, read } from '../../storage/objects.ts';
import { endLeases } from '../../support/database/job-leases.ts';
import { startForge } from '../../support/forge/forge.ts';
import { request, type SendOptions } from '../../support/http/http.ts';
import type { Wire } from './release-world.ts';

const POINTS: readonly FaultPoint[] = [
  'before-object',
  'before-file-link',
  'after-file-link',
  'after-file-doom',
  'after-file-delete',
];
const ENGINE = '/api/v1/repos/root/engine';
const RELEASES = `${ENGINE}/releases`;
const TYPE = { 'content-type': 'application/octet-stream' };

/** Assets that a server has acknowledged, by their names. */
type Kept = Map<string, Wire>;

/** Kills the server while it publishes releases with a file each, and deletes other files. */
async function killOnce(t: TestContext, site: Site, point: FaultPoint, kept: Kept): Promise<void> {
  await endLeases(site);
  const { url, running } = await serveSite(t, site, { QUIRE_FAULT: `${point}:2` });
  const send = (method: string, path: string, options?: SendOptions) =>
    request(method, `${url}${path}`, { as: site.admin, ...options }).catch(() => undefined);
  // The first round passes the point, and the second one ends the server.
  for (const turn of ['one', 'two']) {
    const name = `${point}-${turn}`;
    const draft = await send('POST', RELEASES, { json: { tag_name: name, draft: true } });
    if (draft?.status !== 201) break;
    const at = `${RELEASES}/${draft.body.id}`;
    const asset = await send('POST', `${at}/assets?name=${name}`, { body: name, headers: TYPE });
    if (asset?.status !== 201) break;
    kept.set(name, asset.body);
    if ((await send('PATCH', at, { json: { draft: false } }))?.status !== 200) break;
    if (point !== 'after-file-doom' && point !== 'after-file-delete') continue;
    const removed = await send('DELETE', `${at}/assets/${asset.body.id}`);
    if (removed === undefined || removed.status === 204) kept.delete(name);
    if (removed === undefined) break;
  }
  assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' }, point);
}

test('a server killed at any point of uploads to releases loses no acknowledged file, and leaves no file and no release without a tag', async (t) => {
  const site = await prepareSite(t);
  const first = await startForge(t, placeOf(site));
  assert.equal(
    (await first.root.post('/api/v1/user/repos', { name: 'engine', auto_init: true })).status,
    201,
  );
  await first.forge.stop();

  const kept: Kept = new Map();
  for (const point of POINTS) await killOnce(t, site, point, kept);

  const forge = await startForge(t, placeOf(site));
  const { services, engines } = forge.forge.running;
  const aheadMs = 2 * STORAGE_LIMITS.fileReservationMs;
  await services.releaseAssetFiles.collect({ signal: new AbortController().signal, aheadMs });
  await engines.objects.removeAbandoned(-60_000);
  const releases: readonly Wire[] = (await forge.root.get(`${RELEASES}?limit=50`)).body;
  const listed = releases.flatMap(({ assets }) => assets as readonly Wire[]);
  const keys = await keysOf(engines.objects, 'release-assets/');
  assert.deepEqual(
    keys.map((key) => key.split('/').at(-1)).toSorted(),
    listed.map(({ uuid }) => uuid).toSorted(),
  );
  assert.deepEqual(readdirSync(join(site.dataFolder, 'objects/.incoming')), []);
  // An upload without an acknowledgment may have happened.
  for (const key of keys) assert.match(await read(engines.objects, key), /^[a-z-]+-(?:one|two)$/);
  for (const [name, { id }] of kept)
    assert.ok(
      listed.some((asset) => asset.id === id),
      name,
    );
  const tags: readonly Wire[] = (await forge.root.get(`${ENGINE}/tags?limit=50`)).body;
  assert.deepEqual(
    releases
      .filter(({ draft }) => !draft)
      .map(({ tag_name: tag }) => tag)
      .toSorted(),
    tags.map(({ name }) => name).toSorted(),
  );
  assert.equal((await forge.root.get(ENGINE)).body.release_counter, tags.length);
});
