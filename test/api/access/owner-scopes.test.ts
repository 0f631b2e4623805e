import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineActions } from '../../../src/api/access/actions.ts';
import { heldOf } from '../../../src/api/access/packing.ts';
import { decide, type OwnerKind } from '../../../src/api/access/policy.ts';
import type { GrantedScope } from '../../../src/api/access/scopes.ts';
import { BY_PASSWORD, type Viewer, viewerOf } from '../../../src/api/access/viewer.ts';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { isGranted, requireHeld } from '../../../src/hosting/repositories/authorize.ts';
import type { HeldRepository } from '../../../src/hosting/repositories/model.ts';
import { isReadableTracker, requireTracker } from '../../../src/hosting/repositories/tracker.ts';

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
/** What `heldOf` reads: `read` on everything. */
const READ = 1;

function viewerWith(...granted: readonly GrantedScope[]): Viewer {
  const account = { id: 1, name: 'ada', isAdmin: false, isRestricted: false };
  return viewerOf(account, { ...BY_PASSWORD, credential: 'token', scopes: { granted: new Set(granted) } });
}

function repositoryOf(kind: OwnerKind): HeldRepository {
  const repository = { owner: { kind }, units: { issues: { kind: 'built-in' } } };
  return { ...heldOf(READ), repository, parent: null, transfer: null } as unknown as HeldRepository;
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
const WAYS: Readonly<Record<string, (viewer: Viewer, held: HeldRepository) => boolean>> = {
  decide: (viewer, held) => decide(viewer, CHANGE, held, held.repository.owner.kind) === 'granted',
  isGranted: (viewer, held) => isGranted(viewer, held, CHANGE),
  isReadableTracker: (viewer, held) => isReadableTracker(viewer, held, CHANGE),
  requireHeld: (viewer, held) => isAllowed(() => requireHeld(viewer, held, CHANGE)),
  requireTracker: (viewer, held) => isAllowed(() => requireTracker(viewer, held, CHANGE)),
};

for (const [name, isAllowedBy] of Object.entries(WAYS)) {
  test(`${name} denies a token without the scope for the kind of the owner`, () => {
    for (const [kind, other] of [
      ['user', 'organization'],
      ['organization', 'user'],
    ] as const) {
      const held = repositoryOf(kind);
      assert.equal(isAllowedBy(viewerWith('write:repository', `write:${kind}`), held), true, kind);
      assert.equal(isAllowedBy(viewerWith('write:repository', `write:${other}`), held), false, kind);
      assert.equal(isAllowedBy(viewerWith('write:repository', `read:${kind}`), held), false, kind);
      assert.equal(isAllowedBy(viewerWith('write:repository'), held), false, kind);
      assert.equal(isAllowedBy(viewerWith(`write:${kind}`), held), false, kind);
    }
  });
}
