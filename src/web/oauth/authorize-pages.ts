import type { FastifyReply, FastifyRequest } from 'fastify';
import { ACCESS_LIMITS } from '../../api/access/limits.ts';
import { isSignedIn, type SignedIn, type Viewer } from '../../api/access/viewer.ts';
import { ForgeError, isFailure } from '../../base/core/failure.ts';
import { html } from '../../base/core/text/html.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import type { AuthorizationRequest } from '../../people/oauth/model.ts';
import { OAuthParameters } from '../../people/oauth/parameters.ts';
import { answerAddress, RefusedRequest, readRequest } from '../../people/oauth/requests.ts';
import type { OAuthApplications } from '../../people/oauth/service.ts';
import { OAUTH_GRANT } from '../../people/oauth-grants/actions.ts';
import { rightsOf } from '../../people/oauth-grants/scopes.ts';
import type { OAuthGrants } from '../../people/oauth-grants/service.ts';
import { formHtml, sendFormsPage } from '../forms/form-parts.ts';
import { sendRefusal, sendToClient } from './answer.ts';
import { inWords } from './words.ts';

interface Dependencies {
  readonly oauthApplications: OAuthApplications;
  readonly oauthGrants: OAuthGrants;
  readonly addresses: Addresses;
}

const PATH = '/login/oauth/authorize';

/** Registers the pages on which a user lets an application act for them. */
export function authorizePages(app: App, dependencies: Dependencies): void {
  const { oauthApplications, addresses } = dependencies;
  const find = oauthApplications.find.bind(oauthApplications);

  app.get(PATH, { config: { action: OAUTH_GRANT.request } }, (request, reply) =>
    answering(request, reply, addresses, async () => {
      const asked = await readRequest(OAuthParameters.ofQuery(request.url), find);
      const viewer = signedInFor(request.viewer, asked);
      if (await isGrantedAlready(viewer, asked, dependencies))
        return sendCode(request, reply, { viewer, asked }, dependencies);
      if (asked.prompts.has('none'))
        throw new RefusedRequest(asked, 'consent_required', 'the user must consent on a page');
      requireProofFor(viewer, asked);
      return sendConsent(request, reply, { viewer, asked }, addresses);
    }),
  );

  // The request is in the address, so that a page for the password can lead back to it.
  app.post(PATH, { config: { action: OAUTH_GRANT.give, isForm: true } }, (request, reply) =>
    answering(request, reply, addresses, async () => {
      const asked = await readRequest(OAuthParameters.ofQuery(request.url), find);
      const viewer = signedInFor(request.viewer, asked);
      if (fieldOf(request, 'decision') !== 'allow')
        throw new RefusedRequest(asked, 'access_denied', 'the user has denied the request');
      requireProofFor(viewer, asked);
      return sendCode(request, reply, { viewer, asked }, dependencies);
    }),
  );
}

/**
 * Answers what is wrong with a request: to its client if that is known, and otherwise on a page. Anyone may register a
 * client, so a link to this server must not lead strangers elsewhere: RFC 9700, section 4.11.2.
 */
async function answering(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: Addresses,
  answer: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof RefusedRequest) {
      const { target, code: refusal, message } = error;
      if (refusal !== 'login_required') requireSession(request.viewer);
      const why = { error: refusal, error_description: message };
      return sendToClient(request, reply, answerAddress(target, why, addresses));
    }
    if (isFailure(error, 'bad_request')) return sendRefusal(reply, error.message);
    throw error;
  }
}

/**
 * Requires a browser that has signed in, whose user has proved as lately as the client wants who they are.
 *
 * @throws ForgeError `unauthenticated`, or `forbidden` until the user proves it again; RefusedRequest instead of both if
 *   the client wants no page
 */
function signedInFor(viewer: Viewer, asked: AuthorizationRequest): SignedIn {
  const { proofMsMax, prompts } = asked;
  const wantsNoPage = prompts.has('none');
  if (wantsNoPage && inBrowser(viewer) === undefined)
    throw new RefusedRequest(asked, 'login_required', 'no user is signed in');
  const signedIn = requireSession(viewer);
  if (proofMsMax === null || proofAge(signedIn) <= proofMsMax) return signedIn;
  if (wantsNoPage) throw new RefusedRequest(asked, 'login_required', 'the sign-in of the user is too old');
  throw needsProof();
}

/** Returns the user of a browser: of a session, or whom a proxy names. The proxy vouches for each request anew. */
function inBrowser(viewer: Viewer): SignedIn | undefined {
  if (!isSignedIn(viewer)) return undefined;
  if (viewer.source?.kind === 'proxy') return { ...viewer, provedAt: currentTimeMs() };
  return viewer.source?.kind === 'session' ? viewer : undefined;
}

/** @throws ForgeError `unauthenticated` */
function requireSession(viewer: Viewer): SignedIn {
  const signedIn = inBrowser(viewer);
  if (signedIn !== undefined) return signedIn;
  throw new ForgeError({ kind: 'unauthenticated', what: 'sign in with a browser first' });
}

/**
 * Requires a recent proof for what gives a program rights: it outlives the session.
 *
 * @throws ForgeError `forbidden`
 */
function requireProofFor(viewer: SignedIn, { scopes }: AuthorizationRequest): void {
  const { granted } = rightsOf(scopes);
  const hasRights = granted === 'everything' || granted.size > 0;
  if (hasRights && proofAge(viewer) > ACCESS_LIMITS.proofMs) throw needsProof();
}

function proofAge({ provedAt = 0 }: SignedIn): number {
  return currentTimeMs() - provedAt;
}

function needsProof(): ForgeError {
  const what = 'confirm first that it is you, with your password';
  return new ForgeError({ kind: 'forbidden', what, reason: 'proof' });
}

/** Whether no page is needed. A public client proves nothing, so another program may use its id: the user sees it. */
async function isGrantedAlready(
  viewer: SignedIn,
  { application, scopes, prompts }: AuthorizationRequest,
  { oauthGrants }: Dependencies,
): Promise<boolean> {
  if (prompts.has('consent') || !(application.isConfidential || application.skipsConsent)) return false;
  return oauthGrants.isGranted(viewer, { applicationId: application.id, scopes });
}

async function sendCode(
  request: FastifyRequest,
  reply: FastifyReply,
  { viewer, asked }: { readonly viewer: SignedIn; readonly asked: AuthorizationRequest },
  { oauthGrants, addresses }: Dependencies,
): Promise<FastifyReply> {
  const { application, namedRedirectUri: redirectUri, scopes, nonce, challenge, method } = asked;
  const granted = { applicationId: application.id, redirectUri, scopes, nonce, challenge, method };
  const code = await oauthGrants.issueCode(viewer, granted);
  return sendToClient(request, reply, answerAddress(asked, { code }, addresses));
}

function sendConsent(
  request: FastifyRequest,
  reply: FastifyReply,
  { viewer, asked }: { readonly viewer: SignedIn; readonly asked: AuthorizationRequest },
  addresses: Addresses,
): FastifyReply {
  const { application, redirectUri, scopes } = asked;
  const form = (decision: 'allow' | 'deny', button: string) =>
    formHtml(
      request,
      reply,
      {
        action: request.url,
        fields: html`<input type="hidden" name="decision" value="${decision}">`,
        button,
        isSecond: decision === 'deny',
      },
      addresses,
    );
  const items = inWords(scopes).map(
    (each) => html`<li>${each}</li>
`,
  );
  return sendFormsPage(reply, {
    title: `Let ${application.name} act for you?`,
    isSecret: true,
    body: html`<p>You are signed in as <strong>${viewer.name}</strong>. <strong>${application.name}</strong>${originOf(asked)} will be able to:</p>
<ul>
${items}</ul>
<p class="quiet">Its answer goes to <strong>${placeOf(redirectUri)}</strong>. Allow it only if you have just started this. You can end it at any time in the settings of your account.</p>
${form('allow', 'Allow')}
<p></p>
${form('deny', 'Deny')}`,
  });
}

function originOf({ application }: AuthorizationRequest) {
  if (application.isConfidential) return html``;
  return html`, a program that says this name of itself,`;
}

/** Returns the host of an address, or its scheme if a program on the machine of the user has one of its own. */
function placeOf(redirectUri: string): string {
  const { host, protocol, hostname } = new URL(redirectUri);
  if (host === '') return `the program on this device that opens ${protocol}`;
  const isOwnMachine = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  return isOwnMachine ? `a program on this device (${host})` : host;
}
