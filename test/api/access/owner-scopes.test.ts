import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineActions } from '../../../src/api/access/actions.ts';
import { permissionsOf } from '../../../src/api/access/packing.ts';
import { decide, type OwnerKind } from '../../../src/api/access/policy.ts';
import type { GrantedScope } from '../../../src/api/access/scopes.ts';
import { BY_PASSWORD, type Viewer, viewerOf } from '../../../src/api/access/viewer.ts';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { isGranted, requirePermitted } from '../../../src/hosting/repositories/authorize.ts';
import type { PermittedRepository } from '../../../src/hosting/repositories/model.ts';
import { isReadableKind, requireKind, requireTracker } from '../../../src/hosting/repositories/tracker.ts';

// Runs once: no outcome depends on the database.

const { change: CHANGE } = defineActions('owner-scope-test', {
  change: {
    on: 'repository',
    level: 'read',
    unit: ['issues'],
    ownerScope: 'write',
    scopes: ['write:repository'],
  },
});
const ISSUE = { isPull: false };
/** What `permissionsOf` reads: `read` on everything. */
const READ = 1;

function viewerWith(...granted: readonly GrantedScope[]): Viewer {
  const account = { id: 1, name: 'ada', isAdmin: false, isRestricted: false };
  return viewerOf(account, { ...BY_PASSWORD, credential: 'token', scopes: { granted: new Set(granted) } });
}

function repositoryOf(kind: OwnerKind): PermittedRepository {
  const repository = { owner: { kind }, units: { issues: { kind: 'built-in' } } };
  return {
    ...permissionsOf(READ),
    repository,
    parent: null,
    transfer: null,
  } as unknown as PermittedRepository;
}

function isAllowed(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    assert.ok(error instanceof ForgeError && error.failure.kind === 'forbidden');
    return false;
  }
}

/** Every function that decides about an action on a repository. */
const CHECKS: Readonly<Record<string, (viewer: Viewer, permitted: PermittedRepository) => boolean>> = {
  decide: (viewer, permitted) =>
    decide(viewer, CHANGE, permitted, permitted.repository.owner.kind) === 'granted',
  isGranted: (viewer, permitted) => isGranted(viewer, permitted, CHANGE),
  isReadableKind: (viewer, permitted) => isReadableKind(viewer, permitted, CHANGE, ISSUE),
  requireKind: (viewer, permitted) =>
    isAllowed(() => requireKind(viewer, permitted, { action: CHANGE }, ISSUE)),
  requirePermitted: (viewer, permitted) => isAllowed(() => requirePermitted(viewer, permitted, CHANGE)),
  requireTracker: (viewer, permitted) => isAllowed(() => requireTracker(viewer, permitted, CHANGE)),
};

for (const [name, isAllowedBy] of Object.entries(CHECKS)) {
  test(`${name} denies a token without the scope for the kind of the owner`, () => {
    for (const [kind, other] of [
      ['user', 'organization'],
      ['organization', 'user'],
    ] as const) {
      const permitted = repositoryOf(kind);
      assert.equal(isAllowedBy(viewerWith('write:repository', `write:${kind}`), permitted), true, kind);
      assert.equal(isAllowedBy(viewerWith('write:repository', `write:${other}`), permitted), false, kind);
      assert.equal(isAllowedBy(viewerWith('write:repository', `read:${kind}`), permitted), false, kind);
      assert.equal(isAllowedBy(viewerWith('write:repository'), permitted), false, kind);
      assert.equal(isAllowedBy(viewerWith(`write:${kind}`), permitted), false, kind);
    }
  });
}
