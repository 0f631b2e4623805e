import { SIGN_IN } from '../../../src/people/authentication/actions.ts';
import { SESSION } from '../../../src/people/sessions/actions.ts';
import type { Person } from '../../support/forge/forge.ts';
import type { Answer, Credentials, SendOptions } from '../../support/http/http.ts';
import { Browsers } from './browsers.ts';
import { type Caller, type CredentialKind, isPassword, isSession, scopesFor } from './callers.ts';
import { type AnyKind, type Cast, OWNER } from './forge.ts';
import type { Probe } from './probe.ts';

/** What a browser says about a request of a page of the server. */
const OF_OWN_PAGE = { accept: '*/*', 'sec-fetch-site': 'same-origin' };
/** Actions that may end the session of the browser that does them, or replace it. */
const OF_SESSIONS: ReadonlySet<unknown> = new Set([SESSION.end, SIGN_IN.confirm]);
const ENDS_CODES = '/user/settings/security/two_factor/disable';

/** Sends the requests of one caller. */
export type Send = (method: string, path: string, sent: SendOptions) => Promise<Answer>;

/** Creates each credential once: tokens of the cast, those that are limited to a repository, sessions and OAuth2 tokens. */
export class Wallet {
  readonly browsers: Browsers;
  readonly #cast: Cast;
  /** tokens with a limit, by person, scopes and limit */
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(cast: Cast) {
    this.#cast = cast;
    this.browsers = new Browsers(cast.forge);
  }

  /** @returns `impossible` if the token would name a repository that is hidden from its owner */
  async senderFor(probe: Probe, caller: Caller, kind: AnyKind): Promise<Send | 'impossible'> {
    if (caller !== 'anonymous' && isSession(caller.credential)) {
      const reader = await this.browsers.of(this.#cast.viewer(caller.viewer, kind));
      return (method, path, sent) =>
        reader.send(method, path, { ...sent, headers: { ...OF_OWN_PAGE, ...sent.headers } });
    }
    const as = await this.#credentials(probe, caller, kind);
    if (as === 'impossible') return as;
    return (method, path, sent) =>
      this.#cast.forge.send(method, path, { ...sent, ...(as === undefined ? {} : { as }) });
  }

  /** Restores what a request of a caller may have ended: the session, or the second factor. */
  async restore(probe: Probe, caller: Caller, kind: AnyKind): Promise<void> {
    if (caller === 'anonymous' || !isSession(caller.credential)) return;
    const person = this.#cast.viewer(caller.viewer, kind);
    if (probe.method !== 'GET' && OF_SESSIONS.has(probe.action)) this.browsers.forget(person);
    if (caller.credential === 'session with a second factor' && probe.url === ENDS_CODES)
      await this.browsers.change(person, 'a second factor');
  }

  /** Drops tokens for a repository that was deleted and created again. */
  forget(limit: string): void {
    for (const key of this.#tokens.keys()) if (key.endsWith(` ${limit}`)) this.#tokens.delete(key);
  }

  async #credentials(
    probe: Probe,
    caller: Caller,
    kind: AnyKind,
  ): Promise<Credentials | undefined | 'impossible'> {
    if (caller === 'anonymous') return undefined;
    const person = this.#cast.viewer(caller.viewer, kind);
    if (isPassword(caller.credential)) return { name: person.name, password: person.password };
    const scopes = scopesFor(probe, caller.credential, kind);
    if (caller.credential.startsWith('OAuth2'))
      return { token: await this.browsers.tokenFor(person, scopes) };
    const limit = limitOf(probe, caller.credential, kind);
    const token = await (limit === undefined
      ? this.#cast.tokenFor(person, scopes)
      : this.#limited(person, scopes, limit));
    return token === 'impossible' ? token : { token };
  }

  #limited(person: Person, scopes: readonly string[], limit: string): Promise<string> {
    const key = `${person.name} ${scopes} ${limit}`;
    const token = this.#tokens.get(key) ?? this.#make(person, scopes, limit);
    this.#tokens.set(key, token);
    return token;
  }

  async #make(person: Person, scopes: readonly string[], limit: string): Promise<string> {
    const name = `for ${limit}`;
    const as = { name: person.name, password: person.password };
    const json = { name, scopes, repositories: [limit] };
    const made = await this.#cast.forge.send('POST', `/api/v1/users/${person.name}/tokens`, { as, json });
    return made.status === 201 ? made.body.sha1 : 'impossible';
  }
}

function limitOf(probe: Probe, credential: CredentialKind, kind: AnyKind): string | undefined {
  if (credential === 'token: for this repository')
    return `${OWNER[kind]}/${probe.filled?.[':repo'] ?? 'engine'}`;
  return credential === 'token: for another repository' ? 'zoe/open' : undefined;
}
