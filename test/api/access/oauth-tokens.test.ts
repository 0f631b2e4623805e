import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopesOf } from '../../../src/api/access/policy.ts';
import { REPOSITORY } from '../../../src/hosting/repositories/actions.ts';
import type { Person } from '../../support/forge/forge.ts';
import { meantStatus } from '../../support/forge/ocs.ts';
import { createClient, type TestClient, tokensFor } from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { addressOf } from './address.ts';
import { type Cast, isOrganization, OWNER, startCast } from './forge.ts';
import type { Probe } from './probe.ts';
import { ORGANIZATION_PROBES, OTHER_PROBES, REPOSITORY_PROBES } from './probes.ts';

const CALLERS = ['reader', 'owner', 'site administrator'] as const;
const DENIED: ReadonlySet<number> = new Set([401, 403]);

/** The probes on private things. */
const PROBES = [
  ...REPOSITORY_PROBES.map((probe) => ({ probe, kind: 'private' as const })),
  ...ORGANIZATION_PROBES.map((probe) => ({ probe, kind: 'guild' as const })),
  ...OTHER_PROBES.map((probe) => ({ probe, kind: 'public' as const })),
];

/** Returns sets of scopes that decide differently: too few, enough, and enough with a limit. */
function scopeSetsFor(probe: Probe, kind: (typeof PROBES)[number]['kind']): readonly (readonly string[])[] {
  const needed = scopesOf(probe.action, isOrganization(kind) ? 'organization' : 'user');
  return [['read:misc'], needed.length === 0 ? ['all'] : needed, ['all', 'public-only']];
}

/** Lets an application act for people, once for each set of scopes. */
class Grants {
  readonly #cast: Cast;
  readonly #client: TestClient;
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(cast: Cast, client: TestClient) {
    this.#cast = cast;
    this.#client = client;
  }

  tokenFor(person: Person, scopes: readonly string[]): Promise<string> {
    const key = `${person.name} ${scopes}`;
    const token = this.#tokens.get(key) ?? this.#grant(person, scopes);
    this.#tokens.set(key, token);
    return token;
  }

  async #grant(person: Person, scopes: readonly string[]): Promise<string> {
    const reader = new PageReader(this.#cast.forge);
    await reader.signIn(person);
    const { access } = await tokensFor(this.#cast.forge, this.#client, { reader, scope: scopes.join(' ') });
    return access;
  }
}

async function statusOf(cast: Cast, { probe, kind }: (typeof PROBES)[number], self: string, token: string) {
  const path = await addressOf(cast, probe, kind, self);
  const answer = await cast.forge.send(probe.method, path, { ...probe.sent, as: { token } });
  if (probe.action === REPOSITORY.delete && answer.status === 204)
    await cast.createRepository(kind, 'doomed');
  return meantStatus(path, answer);
}

test('an OAuth2 token may do what an access token with the same scopes may do, and no more', async (t) => {
  const cast = await startCast(t);
  const grants = new Grants(cast, await createClient(cast.forge.root));
  for (const caller of CALLERS)
    for (const tried of PROBES) {
      const { probe, kind } = tried;
      const person = cast.viewer(caller, kind);
      for (const scopes of scopeSetsFor(probe, kind)) {
        const expected = await statusOf(cast, tried, person.name, await cast.tokenFor(person, scopes));
        const found = await statusOf(cast, tried, person.name, await grants.tokenFor(person, scopes));
        const about = `${caller} of ${OWNER[kind]} with ${scopes}: ${probe.method} ${probe.url}`;
        // Some changes find nothing more to do when they are repeated.
        const isRepeated = probe.method !== 'GET' && !DENIED.has(found) && !DENIED.has(expected);
        assert.ok(found === expected || isRepeated, `${about}: ${found} instead of ${expected}`);
      }
    }
});
