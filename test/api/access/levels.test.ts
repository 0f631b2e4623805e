import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Level, reaches } from '../../../src/api/access/levels.ts';
import { hasScope, SCOPE_CATEGORIES, type Scope } from '../../../src/api/access/scopes.ts';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { meantStatus } from '../../support/forge/ocs.ts';
import { KINDS, OWNER, type RepositoryKind, startCast, type ViewerKind } from './forge.ts';
import { type Probe, pathOf, routeName } from './probe.ts';
import { ALL_PROBES, OPEN_ROUTES, REPOSITORY_PROBES } from './probes.ts';

/** Whether a probe acts on a repository and is a push or a request other than GET. */
function isChange(probe: Probe): boolean {
  if (probe.action.on !== 'repository') return false;
  return probe.action === REPOSITORY.beginPush || probe.method !== 'GET';
}

function levelOf(probe: Probe): Level {
  if (probe.neededLevel !== undefined) return probe.neededLevel;
  return probe.action.on === 'repository' ? probe.action.level : 'none';
}

const EXPECTED: readonly [viewer: ViewerKind, levels: Record<RepositoryKind, Level>][] = [
  ['stranger', { public: 'read', private: 'none', limited: 'read' }],
  ['restricted', { public: 'none', private: 'none', limited: 'none' }],
  ['reader', { public: 'read', private: 'read', limited: 'read' }],
  ['writer', { public: 'write', private: 'write', limited: 'write' }],
  ['administrator', { public: 'admin', private: 'admin', limited: 'admin' }],
];

test('B2: every change is granted at its level and denied below it', async (t) => {
  const cast = await startCast(t);
  // The callers have tokens, with which no form of a page can change credentials.
  const changes = REPOSITORY_PROBES.filter(isChange).filter(
    ({ action, url }) => url.startsWith('/api/') || action.needsProof !== true,
  );
  assert.ok(changes.length >= 8);
  for (const kind of KINDS) {
    for (const [viewer, levels] of EXPECTED) {
      for (const [index, probe] of changes.entries()) {
        const values = { ':owner': OWNER[kind], ...probe.filled };
        const path = `${pathOf(probe.url, values)}${probe.query ?? ''}`.replace(
          'COUNT',
          `${viewer}-${index}`,
        );
        const { status } = await cast.viewer(viewer, kind).send(probe.method, path, probe.sent);
        const about = `${viewer} on ${kind}: ${probe.method} ${path}: ${status}`;
        const level = levels[kind];
        if (level === 'none') assert.equal(status, probe.hiddenStatus ?? 404, about);
        else if (isPageOfMissing(probe) && status === 404) continue;
        else if (!reaches(level, levelOf(probe))) assert.equal(status, 403, about);
        else if (probe.isOfMissing) assert.equal(status, 404, about);
        else assert.ok(![401, 403, 404].includes(status), about);
      }
    }
  }
});

/** A page looks for what it shows before it asks for the right to change it, and strangers may know what is missing. */
function isPageOfMissing({ url, isOfMissing }: Probe): boolean {
  return isOfMissing === true && !url.startsWith('/api/');
}

test('B2: a caller can neither grant a level above their own nor change their own level', async (t) => {
  const cast = await startCast(t);
  const of = (name: string) => `/api/v1/repos/ada/engine/collaborators/${name}`;

  assert.equal((await cast.person('writer').put(of('writer'), { permission: 'admin' })).status, 403);
  assert.equal((await cast.person('reader').delete(of('writer'))).status, 403);
  assert.equal((await cast.person('stranger').put(of('stranger'), {})).status, 403);
  assert.equal(
    (await cast.person('administrator').put(of('administrator'), { permission: 'owner' })).status,
    422,
  );
  assert.equal((await cast.person('administrator').delete('/api/v1/repos/ada/engine')).status, 403);
  assert.equal((await cast.person('writer').get('/api/v1/repos/ada/engine')).body.permissions.admin, false);
});

/** Queries on which the scopes of the first request of git depend. */
const GIT_SERVICES = ['', '?service=git-upload-pack', '?service=git-receive-pack'];

/** Write scopes of every category except those of `needed`. */
function otherScopes(needed: readonly Scope[]): readonly string[] {
  const own = needed.map((scope) => scope.split(':')[1]);
  return SCOPE_CATEGORIES.filter((category) => !own.includes(category)).map(
    (category) => `write:${category}`,
  );
}

test('A2: every route that requires a scope denies a token with all scopes of other categories', async (t) => {
  const cast = await startCast(t);
  const routes = cast.forge.forge.running.app.statedRoutes;
  const probes = new Map(ALL_PROBES.map((probe) => [routeName(probe.method, probe.url), probe]));
  let denied = 0;
  for (const { method, url, action } of routes) {
    const needed = action.scopes;
    // Here, the envelope alone has the status, and a response to HEAD has no body.
    if (method === 'HEAD' && url.startsWith('/ocs/v1.php/')) continue;
    if (needed.length === 0) {
      assert.ok(
        method === 'HEAD' || OPEN_ROUTES.includes(routeName(method, url)),
        `${method} ${url} requires no scope`,
      );
      continue;
    }
    const as = { token: await cast.tokenFor(cast.forge.root, otherScopes(needed)) };
    // A HEAD is like its GET.
    const probe = probes.get(routeName(method === 'HEAD' ? 'GET' : method, url));
    const path = pathOf(url, { ':owner': 'ada', ':username': 'ada', ...probe?.filled });
    for (const query of url.endsWith('/info/refs') ? GIT_SERVICES : ['']) {
      const answer = await cast.forge.send(method, `${path}${query}`, { ...probe?.sent, as });
      assert.equal(meantStatus(path, answer), 403, `${method} ${path}${query}: ${answer.text}`);
      denied += 1;
    }
  }
  assert.ok(denied > 60, `${denied} requests`);
});

test('A3: a token that lacks one of several scopes, or may only read, is denied', async (t) => {
  const cast = await startCast(t);
  for (const probe of ALL_PROBES) {
    const needed = probe.action.scopes;
    for (const missing of needed) {
      const rest = needed.filter((scope) => scope !== missing);
      const readOnly = missing.replace('write:', 'read:') as Scope;
      const scopes = [...rest, ...(readOnly === missing ? [] : [readOnly]), 'write:package'];
      assert.ok(!hasScope({ granted: new Set(scopes as Scope[]) }, missing));
      const as = { token: await cast.tokenFor(cast.forge.root, scopes) };
      const path = pathOf(probe.url, { ':owner': 'ada', ':username': 'ada', ...probe.filled });
      const answer = await cast.forge.send(probe.method, `${path}${probe.query ?? ''}`, {
        ...probe.sent,
        as,
      });
      assert.equal(meantStatus(path, answer), 403, `${probe.method} ${path} without ${missing}`);
    }
  }
});
