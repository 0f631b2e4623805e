import { ForgeError } from '../../base/core/failure.ts';
import type { Addresses } from '../../http/app.ts';
import { OAUTH_GRANT_LIMITS } from '../oauth-grants/limits.ts';
import { readScopes } from '../oauth-grants/scopes.ts';
import { type ChallengeMethod, looksLikeChallenge } from '../oauth-grants/secrets.ts';
import { OAUTH_LIMITS } from './limits.ts';
import type { AuthorizationRequest, OAuthApplication } from './model.ts';
import type { OAuthParameters } from './parameters.ts';
import { isRedirectUriOf } from './redirect-uris.ts';

/** Where the answer to a request goes. Only a client that was found, at an address of its own, gets an answer. */
export interface AnswerTarget {
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** Codes of the answers that refuse a request: RFC 6749, section 4.1.2.1, and OpenID Connect Core, section 3.1.2.6. */
export type RefusalCode =
  | 'invalid_request'
  | 'invalid_scope'
  | 'unsupported_response_type'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'access_denied'
  | 'login_required'
  | 'consent_required';

/** The client itself gets the refusal of its request. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly target: AnswerTarget;
  readonly code: RefusalCode;

  constructor(target: AnswerTarget, code: RefusalCode, description: string) {
    super(description);
    this.target = target;
    this.code = code;
  }
}

/** Returns the address to which a browser takes the answer to a request, with its parameters. */
export function answerAddress(
  { redirectUri, state }: AnswerTarget,
  answer: Readonly<Record<string, string>>,
  { baseUrl }: Addresses,
): string {
  // The issuer lets a client that knows several servers find out which one has answered: RFC 9207.
  const parameters = new URLSearchParams({
    ...answer,
    ...(state === undefined ? {} : { state }),
    iss: baseUrl,
  });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
}

/**
 * Checks a request of a client.
 *
 * @throws ForgeError `bad_request` if the client or its redirect address is wrong: a page shows it, because an answer
 *   would go to a stranger
 * @throws RefusedRequest for everything else
 */
export async function readRequest(
  parameters: OAuthParameters,
  find: (clientId: string) => Promise<OAuthApplication | undefined>,
): Promise<AuthorizationRequest> {
  const application = await find(parameters.require('client_id'));
  if (application === undefined) throw wrong('no application has this client_id');
  const namedRedirectUri = parameters.get('redirect_uri') ?? null;
  const redirectUri = redirectUriOf(application, namedRedirectUri);
  const target = { redirectUri, state: stateOf(parameters) };
  const read = <Value>(value: () => Value): Value => {
    try {
      return value();
    } catch (error) {
      if (error instanceof ForgeError) throw new RefusedRequest(target, 'invalid_request', error.message);
      throw error;
    }
  };
  requireSupported(target, (name) => read(() => parameters.get(name)));
  const scopes = readScopes(read(() => parameters.get('scope')) ?? '');
  if (scopes === undefined)
    throw new RefusedRequest(target, 'invalid_scope', 'one of the scopes is unknown, or none gives a right');
  const nonce = read(() => parameters.get('nonce')) ?? '';
  if (nonce.length > OAUTH_GRANT_LIMITS.nonceCharsMax)
    throw new RefusedRequest(target, 'invalid_request', 'nonce is too long');
  const prompts = new Set(
    (read(() => parameters.get('prompt')) ?? '').split(' ').filter((word) => word !== ''),
  );
  if (prompts.has('none') && prompts.size > 1)
    throw new RefusedRequest(target, 'invalid_request', 'prompt none stands alone');
  const maxAge = read(() => parameters.get('max_age'));
  const challenge = challengeOf(target, application, (name) => read(() => parameters.get(name)));
  const proofMsMax = proofMsOf(target, { maxAge, prompts });
  return { ...target, ...challenge, application, namedRedirectUri, scopes, nonce, prompts, proofMsMax };
}

/** @throws ForgeError `bad_request` */
function redirectUriOf(application: OAuthApplication, named: string | null): string {
  const [only, ...more] = application.redirectUris;
  if (named === null) {
    if (only === undefined || more.length > 0) throw wrong('redirect_uri is missing');
    return only;
  }
  if (!isRedirectUriOf(application, named)) throw wrong('redirect_uri is not one of the application');
  return named;
}

/** @throws ForgeError `bad_request`: the answer would lack the state by which the client recognizes it */
function stateOf(parameters: OAuthParameters): string | undefined {
  const state = parameters.get('state');
  if (state !== undefined && state.length > OAUTH_LIMITS.stateCharsMax) throw wrong('state is too long');
  return state;
}

type Read = (name: string) => string | undefined;

/** @throws RefusedRequest */
function requireSupported(target: AnswerTarget, read: Read): void {
  for (const name of ['request', 'request_uri', 'registration'] as const)
    if (read(name) !== undefined)
      throw new RefusedRequest(target, `${name}_not_supported`, `${name} is not supported`);
  const type = read('response_type');
  if (type === undefined) throw new RefusedRequest(target, 'invalid_request', 'response_type is missing');
  if (type !== 'code')
    throw new RefusedRequest(target, 'unsupported_response_type', 'response_type must be code');
  if ((read('response_mode') ?? 'query') !== 'query')
    throw new RefusedRequest(target, 'invalid_request', 'response_mode must be query');
}

/** @throws RefusedRequest */
function challengeOf(
  target: AnswerTarget,
  { isConfidential }: OAuthApplication,
  read: Read,
): { readonly challenge: string; readonly method: ChallengeMethod | '' } {
  const challenge = read('code_challenge');
  const method = read('code_challenge_method');
  const refuse = (description: string) => new RefusedRequest(target, 'invalid_request', description);
  if (challenge === undefined) {
    if (method !== undefined) throw refuse('code_challenge is missing');
    if (!isConfidential) throw refuse('a public client must send a code_challenge: see RFC 7636');
    return { challenge: '', method: '' };
  }
  if (method !== undefined && method !== 'S256' && method !== 'plain')
    throw refuse('code_challenge_method must be S256 or plain');
  if (!looksLikeChallenge(challenge))
    throw refuse('code_challenge must have 43 to 128 unreserved characters');
  return { challenge, method: method ?? 'plain' };
}

/** @throws RefusedRequest */
function proofMsOf(
  target: AnswerTarget,
  { maxAge, prompts }: { readonly maxAge: string | undefined; readonly prompts: ReadonlySet<string> },
): number | null {
  const { freshProofMs } = OAUTH_LIMITS;
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
    throw new RefusedRequest(target, 'invalid_request', 'max_age must be a number of seconds');
  const ofAge = maxAge === undefined ? null : Math.max(Number(maxAge) * 1000, freshProofMs);
  return prompts.has('login') ? freshProofMs : ofAge;
}

function wrong(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}
