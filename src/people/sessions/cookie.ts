import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { generateOpaqueSecret, isOpaqueSecret } from '../../base/core/secrets.ts';
import type { Addresses } from '../../http/app.ts';
import { deleteCookie, readCookie, setCookie } from '../../http/pages/cookies.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { SESSION_LIMITS } from './limits.ts';
import type { StartedSession } from './model.ts';

const SESSION = { name: 'quire_session' } as const;
/** For forms of browsers that have no session yet. It grants nothing. */
const FORM = { name: 'quire_form' } as const;
/** The hidden field that each form of a page has. */
export const FORM_TOKEN_FIELD = 'form_token';

/** Returns the secret of the session that a request names; undefined without one. */
export function readSession(
  request: Pick<FastifyRequest, 'headers'>,
  addresses: Addresses,
): string | undefined {
  return readCookie(request, SESSION, addresses);
}

export function setSession(
  reply: FastifyReply,
  { secret, isRemembered }: StartedSession,
  addresses: Addresses,
): void {
  const maxAgeSeconds = SESSION_LIMITS.rememberedLifetimeMs / 1000;
  setCookie(reply, isRemembered ? { ...SESSION, maxAgeSeconds } : SESSION, secret, addresses);
}

export function endSession(reply: FastifyReply, addresses: Addresses): void {
  deleteCookie(reply, SESSION, addresses);
}

/**
 * Returns the token that a form of a page carries for browsers that do not say which page sent a form. Gives a browser
 * without a session a cookie, from which its tokens follow.
 */
export function formToken(request: FastifyRequest, reply: FastifyReply, addresses: Addresses): string {
  const known = secretOf(request, addresses) ?? newSecrets.get(request);
  const secret = known ?? generateOpaqueSecret();
  if (known === undefined) {
    newSecrets.set(request, secret);
    setCookie(reply, FORM, secret, addresses);
  }
  return tokenOf(secret);
}

/** Of browsers that get their cookie with this page: all of its forms need the same one. */
const newSecrets = new WeakMap<FastifyRequest, string>();

/** Whether a form has the token that follows from the cookie of its browser. */
export function hasFormToken(request: FastifyRequest, addresses: Addresses): boolean {
  const secret = secretOf(request, addresses);
  if (secret === undefined) return false;
  const sent = Buffer.from(fieldOf(request, FORM_TOKEN_FIELD));
  const expected = Buffer.from(tokenOf(secret));
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

function secretOf(request: FastifyRequest, addresses: Addresses): string | undefined {
  return [SESSION, FORM]
    .map((cookie) => readCookie(request, cookie, addresses))
    .find((secret) => secret !== undefined && isOpaqueSecret(secret));
}

/** The token does not reveal the secret, so a page that leaks reveals no session. */
function tokenOf(secret: string): string {
  return hash('sha256', `form token ${secret}`, 'base64url');
}
