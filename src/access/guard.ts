import type { FastifyRequest } from 'fastify';
import { ForgeError, forbidden } from '../core/failure.ts';
import type { App } from '../http/app.ts';
import {
  ACTIONS,
  type Action,
  type Decision,
  decideWithoutRepository,
  isBeyondLimit,
  isPlain,
  missingScopes,
} from './policy.ts';
import type { Scope } from './scopes.ts';
import { isSignedIn, type Viewer } from './viewer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer;
  }
}

/**
 * Holds every request against the action its route states: who must be signed in, and which scopes a token must
 * have. What depends on a repository, an organization or a team is asked by the service that looks it up. Runs before a
 * body is read.
 */
export function guardRoutes(app: App): void {
  app.addHook('onRoute', (route) => {
    const action = route.config?.action;
    if (action === undefined || !(action in ACTIONS)) {
      throw new Error(
        `the route ${String(route.method)} ${route.url} states an action that is not in the table: ${action}`,
      );
    }
  });
  app.addHook('onRequest', async (request) => {
    const action = actionOf(request);
    if (action !== undefined) requireAllowed(request.viewer, action);
  });
}

/** undefined for a request that meets no route */
function actionOf(request: FastifyRequest): Action | undefined {
  return request.routeOptions.config.action as Action | undefined;
}

/** @throws ForgeError `unauthenticated`, `forbidden` */
function requireAllowed(viewer: Viewer, action: Action): void {
  const why = whyNotByCredential(viewer, action);
  if (why !== undefined) throw forbidden(why);
  if (isPlain(action)) {
    requireGranted(decideWithoutRepository(viewer, action), { what: action, why: whyForbidden(action) });
  }
  // Teams have no visitors: nobody in particular is told to sign in, whether there is a team of that id or not.
  if (ACTIONS[action].on === 'team' && !isSignedIn(viewer)) {
    requireGranted('unauthenticated', { what: action, why: '' });
  }
}

/** Why a credential is not enough for `action`, whatever its owner may do; undefined where it is. */
export function whyNotByCredential(viewer: Viewer, action: Action): string | undefined {
  const missing = missingScopes(viewer, action);
  if (missing.length > 0) return whyMissing(missing);
  if (!isBeyondLimit(viewer, action)) return undefined;
  return 'the token is limited to named repositories: it changes nothing else';
}

/** As clients know it. */
export function whyMissing(scopes: readonly Scope[]): string {
  return `token does not have at least one of required scope(s): [${scopes.join(', ')}]`;
}

function whyForbidden(action: Action): string {
  return ACTIONS[action].on === 'site' ? 'only a site administrator may do this' : 'you may not do this';
}

/**
 * Turns a decision into the failure that tells it.
 *
 * @throws ForgeError `not_found` for hidden, `unauthenticated`, `forbidden`
 */
export function requireGranted(decision: Decision, about: { what: string; why: string }): void {
  if (decision === 'granted') return;
  if (decision === 'hidden') throw new ForgeError({ kind: 'not_found', what: about.what });
  if (decision === 'unauthenticated')
    throw new ForgeError({ kind: 'unauthenticated', why: 'token is required' });
  throw forbidden(about.why);
}
