import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { OWN_PASSWORD, SIGN_IN } from '../../../src/people/authentication/actions.ts';
import { SECOND_FACTOR } from '../../../src/people/second-factor/actions.ts';
import { SESSION } from '../../../src/people/sessions/actions.ts';
import { meantStatus } from '../../support/forge/ocs.ts';
import { addressOf } from './address.ts';
import { startCast } from './forge.ts';
import { ORGANIZATION_PROBES, OTHER_PROBES, REPOSITORY_PROBES } from './probes.ts';

const PROBES = [
  ...REPOSITORY_PROBES.map((probe) => ({ probe, kind: 'public' as const })),
  ...ORGANIZATION_PROBES.map((probe) => ({ probe, kind: 'guild' as const })),
  ...OTHER_PROBES.map((probe) => ({ probe, kind: 'public' as const })),
];

/** What a user may do who lacks a second factor that is required. */
const SET_UP: ReadonlySet<unknown> = new Set([
  ...Object.values(SECOND_FACTOR),
  ...Object.values(SIGN_IN),
  ...Object.values(SESSION),
  OWN_PASSWORD.change,
]);

/** Sends all probes with the password of a site administrator whose account is in this state. */
async function statusesOf(
  t: TestContext,
  state: { readonly has_second_factor?: 1; readonly needs_second_factor?: 1 },
  probes: typeof PROBES,
) {
  const cast = await startCast(t);
  const { root, forge } = cast.forge;
  await forge.running.engines.database.transaction((tx) =>
    tx.updateTable('accounts').set(state).where('name', '=', root.name).execute(),
  );
  const as = { name: root.name, password: root.password };
  const statuses = [];
  for (const { probe, kind } of probes) {
    const path = await addressOf(cast, probe, kind, root.name);
    const answer = await cast.forge.send(probe.method, path, { ...probe.sent, as });
    statuses.push({ about: `${probe.method} ${path}`, status: meantStatus(path, answer as never) });
  }
  return statuses;
}

test('A8: with a second factor, a password alone is rejected on every route', async (t) => {
  const statuses = await statusesOf(t, { has_second_factor: 1 }, PROBES);
  assert.ok(statuses.length > 300, `${statuses.length} probes`);
  assert.deepEqual(
    statuses.filter(({ status }) => status !== 401),
    [],
  );
});

test('without a second factor that is required, a password opens only what sets one up', async (t) => {
  const others = PROBES.filter(({ probe }) => !SET_UP.has(probe.action));
  assert.deepEqual(
    (await statusesOf(t, { needs_second_factor: 1 }, others)).filter(({ status }) => status !== 403),
    [],
  );
});
