import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FaultPoint } from '../../../src/base/core/faults.ts';
import { STORAGE_LIMITS } from '../../../src/storage/limits.ts';
import { placeOf, prepareSite, type Site, serveSite } from '../../code/transport/server-process.ts';
import { keysOf } from '../../storage/objects.ts';
import { endLeases } from '../../support/database/job-leases.ts';
import { startForge } from '../../support/forge/forge.ts';
import { request } from '../../support/http/http.ts';
import { GIF, JPEG } from './pictures.ts';

const POINTS: readonly FaultPoint[] = [
  'before-object',
  'before-file-link',
  'after-file-link',
  'after-file-doom',
  'after-file-delete',
];
const ENGINE = '/api/v1/repos/root/engine';
const OWNERS = [
  { picture: '/api/v1/user/avatar', record: '/api/v1/user' },
  { picture: `${ENGINE}/avatar`, record: ENGINE },
] as const;
type Owner = (typeof OWNERS)[number];

/** Kills the server while it replaces a picture by turns. */
async function killOnce(t: TestContext, site: Site, { picture }: Owner, point: FaultPoint): Promise<void> {
  await endLeases(site);
  const { url, running } = await serveSite(t, site, { QUIRE_FAULT: `${point}:2` });
  const set = (image: string) =>
    request('POST', `${url}${picture}`, { as: site.admin, json: { image } }).catch(() => undefined);
  // Each change but the first one also deletes a file, so every point is passed twice.
  for (let turn = 0; turn < 4; turn += 1) if ((await set(turn % 2 === 0 ? GIF : JPEG))?.status !== 204) break;
  assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' }, point);
}

test('a server killed at any point of a change of a picture leaves one picture, which it serves, and no other file', async (t) => {
  const site = await prepareSite(t);
  const first = await startForge(t, placeOf(site));
  assert.equal((await first.root.post('/api/v1/user/repos', { name: 'engine' })).status, 201);
  for (const { picture } of OWNERS)
    assert.equal((await first.root.post(picture, { image: GIF })).status, 204);
  await first.forge.stop();

  for (const [index, point] of POINTS.entries())
    await killOnce(t, site, OWNERS[index % OWNERS.length] ?? OWNERS[0], point);

  const forge = await startForge(t, placeOf(site));
  const { services, engines } = forge.forge.running;
  const aheadMs = 2 * STORAGE_LIMITS.fileReservationMs;
  await services.storedAvatars.collect({ signal: new AbortController().signal, aheadMs });
  await engines.objects.removeAbandoned(-60_000);
  assert.equal((await keysOf(engines.objects, 'avatars/')).length, OWNERS.length);
  for (const { record } of OWNERS) {
    const { avatar_url } = (await forge.root.get(record)).body;
    const shown = await forge.root.get(new URL(avatar_url).pathname);
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/png'], record);
  }
});
