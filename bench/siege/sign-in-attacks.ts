import { basicAuthorization } from '../corpus/forge.ts';
import { type Attack, type Attempt, answered, from } from './attempt.ts';
import type { ResponseHead } from './raw-http.ts';

/** Guesses, and forms that make the server work for strangers. */
export const SIGN_IN_ATTACKS: Readonly<Record<string, Attack>> = {
  'wrong password': async (attempt) => {
    const { connection, address, turn } = attempt;
    connection.request('GET', '/api/v1/user', {
      ...from(address),
      authorization: basicAuthorization(someMember(attempt), `guess ${turn} from ${address}`),
    });
    return answered(connection);
  },

  'wrong password on the sign-in page': (attempt) =>
    send(attempt, '/user/login', {
      user_name: someMember(attempt),
      password: `typed guess ${attempt.turn} from ${attempt.address}`,
    }),

  'guessed code of a second factor': (attempt) =>
    send(attempt, '/user/two_factor', {
      pending: attempt.targets.pendingSignIn,
      code: String(attempt.turn % 1_000_000).padStart(6, '0'),
    }),

  'guessed secret at the OAuth2 token endpoint': (attempt) =>
    send(attempt, '/login/oauth/access_token', {
      grant_type: 'authorization_code',
      client_id: attempt.targets.application.id,
      client_secret: `guess ${attempt.turn}`,
      code: `guess ${attempt.turn}`,
    }),

  'guessed code at the OAuth2 token endpoint': (attempt) =>
    send(attempt, '/login/oauth/access_token', {
      grant_type: 'authorization_code',
      client_id: attempt.targets.application.id,
      client_secret: attempt.targets.application.secret,
      // of the form of a code, so that the server looks it up
      code: Buffer.from(String(attempt.turn).padStart(32, '0')).toString('base64url'),
    }),

  'form to sign up': (attempt) =>
    send(attempt, '/user/sign_up', {
      user_name: `flood-${attempt.turn}`,
      email: `flood-${attempt.turn}@example.org`,
      password: `a password of the flood ${attempt.turn}`,
    }),

  'form for a forgotten password': (attempt) =>
    send(attempt, '/user/forgot_password', { email: `${someMember(attempt)}@example.org` }),
};

function someMember({ targets: { members }, turn }: Attempt): string {
  return members[turn % members.length]?.name ?? '';
}

function send(
  { connection, address }: Attempt,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<ResponseHead | undefined> {
  const form = new URLSearchParams(fields).toString();
  connection.request('POST', path, {
    ...from(address),
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(form.length),
    'sec-fetch-site': 'same-origin',
  });
  connection.write(form);
  return answered(connection);
}
