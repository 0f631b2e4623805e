import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import { SIGN_IN } from '../../../src/people/authentication/actions.ts';
import { SESSION } from '../../../src/people/sessions/actions.ts';
import type { Person } from '../../support/forge/forge.ts';
import { meantStatus } from '../../support/forge/ocs.ts';
import { ageSessions } from '../../support/forge/sessions.ts';
import type { SendOptions } from '../../support/http/http.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { addressOf } from './address.ts';
import { type Cast, OWNER, startCast, type ViewerKind } from './forge.ts';
import { type Probe, routeName } from './probe.ts';
import { ORGANIZATION_PROBES, OTHER_PROBES, REPOSITORY_PROBES } from './probes.ts';

const CALLERS: readonly ViewerKind[] = ['stranger', 'reader', 'administrator', 'owner', 'site administrator'];
/** What a browser says about a request of a page of the server. */
const OF_OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
/** Addresses of programs, which do not know the cookies of browsers. */
const OF_PROGRAMS =
  /^\/(?:apps\/notes\/|ocs\/|remote\.php|:owner\/:repo\/(?:info\/|git-(?:upload|receive)-pack))/;
/** What these do depends on the session itself, and has tests of its own. */
const OF_THE_SESSION: ReadonlySet<unknown> = new Set([SESSION.end, SIGN_IN.confirm]);

const DENIED: ReadonlySet<number> = new Set([401, 403]);

/** The probes on private things: on a repository of a user, on a public organization, and on accounts. */
const PROBES = [
  ...REPOSITORY_PROBES.map((probe) => ({ probe, kind: 'private' as const })),
  ...ORGANIZATION_PROBES.map((probe) => ({ probe, kind: 'guild' as const })),
  ...OTHER_PROBES.map((probe) => ({ probe, kind: 'public' as const })),
].filter(({ probe }) => !OF_THE_SESSION.has(probe.action));

function isOfPrograms({ method, url }: Probe): boolean {
  return OF_PROGRAMS.test(routeName(method, url).replace(/^\S+ /, ''));
}

/** Sends a probe, and returns its status. A repository that it deletes is there again for the next one. */
async function statusOf(
  cast: Cast,
  { probe, kind }: (typeof PROBES)[number],
  self: string,
  send: (method: string, path: string, sent: SendOptions) => Promise<{ status: number; text: string }>,
): Promise<number> {
  const path = await addressOf(cast, probe, kind, self);
  const answer = await send(probe.method, path, probe.sent ?? {});
  if (probe.action === REPOSITORY.delete && answer.status === 204)
    await cast.createRepository(kind, 'doomed');
  return meantStatus(path, answer as Parameters<typeof meantStatus>[1]);
}

function sendAs(cast: Cast, { name, password }: Person) {
  return (method: string, path: string, sent: SendOptions) =>
    cast.forge.send(method, path, { ...sent, as: { name, password } });
}

function sendFrom(reader: PageReader) {
  return (method: string, path: string, sent: SendOptions) =>
    reader.send(method, path, { ...sent, headers: { accept: '*/*', ...OF_OWN_PAGE, ...sent.headers } });
}

test('a browser that has signed in may do what the password may do, and nothing where programs send credentials', async (t) => {
  const cast = await startCast(t);
  for (const caller of CALLERS) {
    for (const tried of PROBES) {
      const person = cast.viewer(caller, tried.kind);
      const reader = new PageReader(cast.forge);
      await reader.signIn(person);
      const { probe, kind } = tried;
      const about = `${caller} of ${OWNER[kind]}: ${probe.method} ${probe.url}`;
      const expected = await statusOf(
        cast,
        tried,
        person.name,
        isOfPrograms(probe)
          ? (method, path, sent) => cast.forge.send(method, path, sent)
          : sendAs(cast, person),
      );
      const found = await statusOf(cast, tried, person.name, sendFrom(reader));
      // Some changes find nothing more to do when they are repeated.
      const isRepeated = probe.method !== 'GET' && !DENIED.has(found) && !DENIED.has(expected);
      const isSame = found === expected || isRepeated;
      assert.ok(isSame, `${about}: ${found} instead of ${expected}`);
    }
  }
});

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
    const answer = await sendFrom(reader)(probe.method, path, probe.sent ?? {});
    assert.equal(answer.status, 403, `${probe.method} ${path}`);
    assert.match(answer.text, /confirm first that it is you/, `${probe.method} ${path}`);
  }
});
