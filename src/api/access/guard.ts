import type { FastifyRequest, FastifySchema } from 'fastify';
import { ForgeError, forbidden } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { App } from '../../http/app.ts';
import { type Action, isDefinedAction } from './actions.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { type Decision, decidePlain, isBeyondLimit, isPlain, missingScopes, whyDenied } from './policy.ts';
import type { Scope } from './scopes.ts';
import { isSignedIn, type Viewer } from './viewer.ts';

/** A route as it was registered: in `url`, `:name` is a parameter and `*` is the rest of a path. */
export interface StatedRoute {
  readonly method: string;
  readonly url: string;
  readonly action: Action;
  readonly schema: FastifySchema;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** all routes, each with the action that it states */
    statedRoutes: readonly StatedRoute[];
  }
  interface FastifyContextConfig {
    /** from the feature's `actions.ts` */
    action?: Action;
  }
  interface FastifyRequest {
    viewer: Viewer;
  }
}

/**
 * Checks every request against the action that its route states: whether the viewer must be signed in, and which scopes
 * a token needs. Rights on a repository, an organization or a team are checked by the service that looks it up. The
 * check runs before a body is read. Call this before any route is registered.
 */
export function guardRoutes(app: App): void {
  requireStatedActions(app);
  // What it throws becomes the response. Without a promise, because every request passes here.
  app.addHook('onRequest', (request, _reply, done) => {
    const action = actionOf(request);
    if (action !== undefined) requireAllowed(request.viewer, action);
    done();
  });
}

/** Throws when a route without an action is registered: otherwise it would be open to everyone by mistake. */
function requireStatedActions(app: App): void {
  const stated: StatedRoute[] = [];
  app.decorate('statedRoutes', stated);
  app.addHook('onRoute', (route) => {
    const action = route.config?.action;
    if (action === undefined || !isDefinedAction(action)) {
      throw new Error(
        `the route ${String(route.method)} ${route.url} states no action: set config.action to one from an actions.ts`,
      );
    }
    if (route.config?.isUnknown === true) return;
    const { url, schema = {} } = route;
    for (const method of [route.method].flat()) stated.push({ method, url, action, schema });
  });
}

/** @returns undefined for a request that matches no route */
function actionOf(request: FastifyRequest): Action | undefined {
  return request.routeOptions.config.action;
}

/** @throws ForgeError `unauthenticated`, `forbidden` */
function requireAllowed(viewer: Viewer, action: Action): void {
  const why = whyNotByCredential(viewer, action);
  if (why !== undefined) throw forbidden(why);
  if (action.needsProof === true) requireProof(viewer);
  if (isPlain(action)) requireGranted(decidePlain(viewer, action), action);
  // Teams have no visitors: an anonymous viewer gets a 401 whether a team with that id exists or not.
  if (action.on === 'team' && !isSignedIn(viewer)) requireGranted('unauthenticated', action);
}

/** Whether the user of a browser must prove again who they are before they change credentials. */
export function lacksProof({ credential, provedAt }: Viewer): boolean {
  const isRecent = provedAt !== undefined && currentTimeMs() - provedAt <= ACCESS_LIMITS.proofMs;
  return credential === 'session' && !isRecent;
}

/**
 * Requires that the user of a browser has proved some minutes ago who they are. Other credentials come with each request.
 *
 * @throws ForgeError `forbidden`
 */
function requireProof(viewer: Viewer): void {
  if (!lacksProof(viewer)) return;
  const what = 'confirm first that it is you, with your password';
  throw new ForgeError({ kind: 'forbidden', what, reason: 'proof' });
}

/**
 * Returns why a credential is insufficient for `action`, whatever its owner may do; undefined if it is sufficient. The
 * owner of a repository is unknown before the lookup, so `decide` checks the scope for the kind of the owner.
 */
export function whyNotByCredential(viewer: Viewer, action: Action): string | undefined {
  if (viewer.notesOnly && action.forNotes !== true) return 'the token is for notes only';
  const missing = missingScopes(viewer, action.scopes);
  if (missing.length > 0) return whyMissing(missing);
  if (!isBeyondLimit(viewer, action)) return undefined;
  return 'the token is limited to named repositories: it changes nothing else';
}

/** Clients match on this message. */
export function whyMissing(scopes: readonly Scope[]): string {
  return `token does not have at least one of required scope(s): [${scopes.join(', ')}]`;
}

/**
 * Throws the failure for a decision other than `granted`.
 *
 * @param why message if the viewer may not do it
 * @throws ForgeError `not_found` for hidden, `unauthenticated`, `forbidden`
 */
export function requireGranted(decision: Decision, action: Action, why = whyDenied(action)): void {
  if (decision === 'granted') return;
  if (decision === 'hidden') throw new ForgeError({ kind: 'not_found', what: action.on });
  if (decision === 'unauthenticated')
    throw new ForgeError({ kind: 'unauthenticated', what: 'token is required' });
  throw forbidden(why);
}
