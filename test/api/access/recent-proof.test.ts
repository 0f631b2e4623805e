import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageSessions } from '../../support/forge/sessions.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { addressOf } from './address.ts';
import { startCast } from './forge.ts';
import { ORGANIZATION_PROBES, OTHER_PROBES, REPOSITORY_PROBES } from './probes.ts';

/** What a browser says about a request of a page of the server. */
const OF_OWN_PAGE = { accept: '*/*', 'sec-fetch-site': 'same-origin' };

/** The probes on private things: on a repository of a user, on a public organization, and on accounts. */
const PROBES = [
  ...REPOSITORY_PROBES.map((probe) => ({ probe, kind: 'private' as const })),
  ...ORGANIZATION_PROBES.map((probe) => ({ probe, kind: 'guild' as const })),
  ...OTHER_PROBES.map((probe) => ({ probe, kind: 'public' as const })),
];

test('a browser changes credentials and deletes only after a recent proof', async (t) => {
  const cast = await startCast(t);
  const changes = PROBES.filter(({ probe }) => probe.action.needsProof === true);
  assert.ok(changes.length > 10, `${changes.length} probes`);
  const { root } = cast.forge;
  const reader = new PageReader(cast.forge);
  await reader.signIn(root);
  await ageSessions(cast.forge, 16 * 60_000);
  for (const tried of changes) {
    const { probe } = tried;
    const path = await addressOf(cast, probe, tried.kind, root.name);
    const headers = { ...OF_OWN_PAGE, ...probe.sent?.headers };
    const answer = await reader.send(probe.method, path, { ...probe.sent, headers });
    assert.equal(answer.status, 403, `${probe.method} ${path}`);
    assert.match(answer.text, /confirm first that it is you/, `${probe.method} ${path}`);
  }
});
