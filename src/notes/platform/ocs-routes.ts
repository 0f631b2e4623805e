import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSignedIn, type SignedIn } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import type { App } from '../../http/app.ts';
import { isMeant, sendOcs, sendUnmeant } from '../../http/ocs.ts';
import { seesEmails } from '../../people/accounts/present.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { APP_PASSWORD } from './actions.ts';
import type { DeviceSignIn } from './sign-in.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly deviceSignIn: DeviceSignIn;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Calls about users and app passwords that clients of the platform send. */
export function ocsRoutes(app: App, { accounts, deviceSignIn }: Dependencies): void {
  const ok = (request: FastifyRequest, reply: FastifyReply, data: Parameters<typeof sendOcs>[2]['data']) =>
    sendOcs(request, reply, { status: 200, message: 'OK', data });
  for (const version of ['v1.php', 'v2.php']) {
    app.get(
      `/${version}/cloud/user`,
      { config: { action: APP_PASSWORD.readOwn } },
      ifMeant(async (request, reply) => {
        const { name } = signedIn(request);
        return ok(request, reply, await describeUser(accounts, request, name));
      }),
    );
    app.get(
      `/${version}/cloud/users/:user`,
      { config: { action: APP_PASSWORD.readOwn } },
      ifMeant(async (request, reply) => {
        const { user } = request.params as { user: string };
        return ok(request, reply, await describeUser(accounts, request, user));
      }),
    );
    app.get(
      `/${version}/core/getapppassword`,
      { config: { action: APP_PASSWORD.readOwn, changesByGet: true } },
      ifMeant(async (request, reply) => {
        const made = await deviceSignIn.convert(signedIn(request), request.headers['user-agent'] ?? '');
        return ok(request, reply, { apppassword: made.password });
      }),
    );
    app.delete(
      `/${version}/core/apppassword`,
      { config: { action: APP_PASSWORD.revoke } },
      ifMeant(async (request, reply) => {
        await deviceSignIn.revoke(signedIn(request));
        return ok(request, reply, []);
      }),
    );
  }
}

function ifMeant(handler: Handler): Handler {
  return async (request, reply) => (isMeant(request) ? handler(request, reply) : sendUnmeant(request, reply));
}

/** @throws ForgeError `not_found` for a user who is hidden from the caller */
async function describeUser(accounts: Accounts, { viewer }: FastifyRequest, name: string) {
  const account = await accounts.getByName(viewer, name);
  const isSelf = account.id === viewer.accountId;
  const displayName = account.fullName === '' ? account.name : account.fullName;
  return {
    id: account.name,
    enabled: true,
    'display-name': displayName,
    displayname: displayName,
    email: isSelf && seesEmails(viewer) ? account.email : null,
    quota: { free: -3, used: 0, total: -3, relative: 0, quota: -3 },
    groups: [],
    language: 'en',
    locale: 'en',
  };
}

function signedIn({ viewer }: FastifyRequest): SignedIn {
  if (isSignedIn(viewer)) return viewer;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in' });
}
