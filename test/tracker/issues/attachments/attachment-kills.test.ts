import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FaultPoint } from '../../../../src/base/core/faults.ts';
import { STORAGE_LIMITS } from '../../../../src/storage/limits.ts';
import { placeOf, prepareSite, type Site, serveSite } from '../../../code/transport/server-process.ts';
import { keysOf, read } from '../../../storage/objects.ts';
import { endLeases } from '../../../support/database/job-leases.ts';
import { startForge } from '../../../support/forge/forge.ts';
import { type Answer, request, type SendOptions } from '../../../support/http/http.ts';
import type { Wire } from '../tracker.ts';
import { formOf, pathOf } from './attachment-files.ts';

const POINTS: readonly FaultPoint[] = [
  'before-object',
  'before-file-link',
  'after-file-link',
  'after-file-doom',
  'after-file-delete',
];
const ISSUES = '/api/v1/repos/root/engine/issues';

/** Files that a server has acknowledged, with their content. */
type Kept = Map<Wire, string>;

async function requireThere(url: string, kept: Kept, send: Send): Promise<void> {
  for (const [record, content] of kept) {
    const { status, text } = await send('GET', `${url}${pathOf(record)}`);
    assert.deepEqual([status, text], [200, content], record.name);
  }
}

type Send = (method: string, url: string, options?: SendOptions) => Promise<Answer>;

/** Kills the server while it takes a file and deletes another one. */
async function killOnce(t: TestContext, site: Site, point: FaultPoint, kept: Kept): Promise<void> {
  const send: Send = (method, url, options) => request(method, url, { as: site.admin, ...options });
  await endLeases(site);
  const { url, running } = await serveSite(t, site, { QUIRE_FAULT: `${point}:2` });
  await requireThere(url, kept, send);
  // The first request passes the point, and the second one ends the server.
  for (const turn of ['one', 'two']) {
    const name = `${point} ${turn}`;
    const assets = `${url}${ISSUES}/1/assets`;
    const created = await send('POST', assets, await formOf(name, name)).catch(() => undefined);
    if (created?.status !== 201) break;
    kept.set(created.body, name);
    if (point !== 'after-file-doom' && point !== 'after-file-delete') continue;
    const removed = await send('DELETE', `${assets}/${created.body.id}`).catch(() => undefined);
    if (removed === undefined || removed.status === 204) kept.delete(created.body);
    if (removed === undefined) break;
  }
  assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' }, point);
}

test('a server killed at any point of uploads and deletions of attachments loses nothing acknowledged and leaves nothing behind', async (t) => {
  const site = await prepareSite(t);
  const first = await startForge(t, placeOf(site));
  for (const [at, json] of [
    ['/api/v1/user/repos', { name: 'engine' }],
    [ISSUES, { title: 'One' }],
  ] as const)
    assert.equal((await first.root.post(at, json)).status, 201);
  await first.forge.stop();

  const kept: Kept = new Map();
  for (const point of POINTS) await killOnce(t, site, point, kept);

  const forge = await startForge(t, placeOf(site));
  const { services, engines } = forge.forge.running;
  const aheadMs = 2 * STORAGE_LIMITS.fileReservationMs;
  await services.attachmentFiles.collect({ signal: new AbortController().signal, aheadMs });
  await engines.objects.removeAbandoned(-60_000);
  const listed: readonly Wire[] = (await forge.root.get(`${ISSUES}/1/assets`)).body;
  const keys = await keysOf(engines.objects, '');
  assert.deepEqual(
    keys.map((key) => key.split('/').at(-1)),
    listed.map(({ uuid }) => uuid).toSorted(),
  );
  assert.deepEqual(readdirSync(join(site.dataFolder, 'objects/.incoming')), []);
  // An upload without an acknowledgment may have happened.
  for (const key of keys) assert.match(await read(engines.objects, key), /^[a-z-]+ (?:one|two)$/);
  for (const record of kept.keys())
    assert.ok(
      listed.some(({ id }) => id === record.id),
      record.name,
    );
});
