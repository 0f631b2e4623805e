import type { FastifyRequest } from 'fastify';
import { ForgeError } from '../../base/core/failure.ts';
import { readAuthorization } from '../authentication/credentials.ts';
import { oauthFailure } from '../oauth-grants/service.ts';
import type { OAuthApplication } from './model.ts';
import type { OAuthParameters } from './parameters.ts';
import type { OAuthApplications } from './service.ts';

/**
 * Finds the application that sends a request: its id and its secret are in the header `Authorization` or in the body.
 *
 * @throws ForgeError `unauthenticated`; `bad_request` for both at once
 * @see RFC 6749, section 2.3.1
 */
export async function clientOf(
  { headers: { authorization } }: Pick<FastifyRequest, 'headers'>,
  parameters: OAuthParameters,
  applications: OAuthApplications,
): Promise<OAuthApplication> {
  const inBody = { id: parameters.get('client_id'), secret: parameters.get('client_secret') };
  if (authorization === undefined) {
    if (inBody.id === undefined) throw wrongClient('client_id is missing');
    return applications.authenticate(inBody.id, inBody.secret);
  }
  const credentials = readAuthorization(authorization);
  if (credentials.kind !== 'basic') throw wrongClient('a client signs in with Basic or in the body');
  const { login, password } = credentials;
  const id = decoded(login);
  const secret = decoded(password);
  if (inBody.secret !== undefined)
    throw oauthFailure('invalid_request', 'send the client secret either in the header or in the body');
  if (inBody.id !== undefined && inBody.id !== id)
    throw oauthFailure('invalid_request', 'client_id differs from the one in the header');
  return applications.authenticate(id, secret);
}

/** The id and the secret are encoded as in a form. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw wrongClient('the client id or the client secret is wrong');
  }
}

function wrongClient(what: string): ForgeError {
  return new ForgeError({ kind: 'unauthenticated', what });
}
