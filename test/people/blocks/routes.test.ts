import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Action } from '../../../src/api/access/actions.ts';
import { type AnyKind, OWNER, startCast } from '../../api/access/forge.ts';
import { type Probe, pathOf, routeName } from '../../api/access/probe.ts';
import { ALL_PROBES } from '../../api/access/probes.ts';

/** Writes in a repository that a block does not concern, with the reason. */
const NOT_CONCERNED: Readonly<Record<string, string>> = {
  'PUT /api/v1/repos/:owner/:repo/notifications': 'marks own notifications as read',
  'POST /api/v1/repos/:template_owner/:template_repo/generate': 'reads a template',
  'POST /:owner/:repo/git-upload-pack': 'a fetch',
  'POST /:owner/:repo/info/lfs/objects/batch': 'a download',
};

const PROBES = new Map(ALL_PROBES.map((probe) => [routeName(probe.method, probe.url), probe]));

function isWrite({ method, url }: { readonly method: string; readonly url: string }): boolean {
  const isOnRepository = /:(?:owner|template_owner)\/:(?:repo|template_repo)/.test(url);
  return isOnRepository && !['GET', 'HEAD', 'OPTIONS'].includes(method);
}

/** Whether a site administrator alone may do it, whom no block concerns. */
function isOfSite({ on }: Action): boolean {
  return on === 'site';
}

function pathTo(probe: Probe, kind: AnyKind): string {
  const values = { ':owner': OWNER[kind], ':template_owner': OWNER[kind], ...probe.filled };
  return `${pathOf(probe.url, values)}${probe.query ?? ''}`.replaceAll('COUNT', '1');
}

test('B10: every route that changes something in a repository denies a user whom its owner has blocked', async (t) => {
  const cast = await startCast(t);
  const blocked = await cast.forge.account('blocked');
  await cast.person('ada').put('/api/v1/user/block/blocked');
  const routes = cast.forge.forge.running.app.statedRoutes.filter(isWrite);
  const statuses: string[] = [];
  let denied = 0;
  for (const { method, url, action } of routes) {
    const route = routeName(method, url);
    if (isOfSite(action) || NOT_CONCERNED[route] !== undefined) continue;
    const probe = PROBES.get(route);
    assert.ok(probe !== undefined, `${route} has no probe`);
    const path = pathTo(probe, 'public');
    const answer = await blocked.send(method, path, probe.sent);
    if (answer.status === 403) denied += 1;
    // A page looks for what it shows before it asks for the right to change it.
    else if (answer.status === 404 && probe.isOfMissing === true && !url.startsWith('/api/')) continue;
    else statuses.push(`${route} as ${path}: ${answer.status} ${answer.text.slice(0, 100)}`);
  }
  assert.deepEqual(statuses, []);
  assert.ok(denied > 100, `${denied} routes`);
});

test('a blocked user reads what a stranger reads', async (t) => {
  const cast = await startCast(t);
  const blocked = await cast.forge.account('blocked');
  await cast.person('ada').put('/api/v1/user/block/blocked');

  const about = await blocked.get('/api/v1/repos/ada/engine');
  assert.equal(about.status, 200);
  assert.deepEqual(about.body.permissions, { admin: false, push: false, pull: true });
  assert.equal((await blocked.get('/api/v1/repos/ada/engine/issues')).status, 200);
  assert.equal((await blocked.get('/api/v1/repos/ada/engine/contents/README.md')).status, 200);
});
