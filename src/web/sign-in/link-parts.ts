import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ForgeError, isFailure } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import { SIGN_IN_PATH } from '../../http/errors/web.ts';
import { type LinkPurpose, linkPath } from '../../people/account-links/model.ts';
import { type FormPage, sendFormPage, sendFormsPage, sentence } from './form-parts.ts';

/** Of pages that a link opens. */
export const LINK_SCHEMA = { params: Type.Object({ token: Type.String() }) };

/**
 * Sends the page of a link with a form. Mail programs look at all addresses in a mail, so only the form changes something.
 */
export function sendLinkPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Omit<FormPage, 'action'> & { readonly purpose: LinkPurpose; readonly token: string },
  addresses: Addresses,
): FastifyReply {
  const { purpose, token, ...form } = page;
  const action = linkPath(purpose, encodeURIComponent(token));
  return sendFormPage(request, reply, { ...form, action, hasSecretAddress: true }, addresses);
}

/** Sends a page that says what has been done. */
export function sendDone(
  reply: FastifyReply,
  { title, text }: { readonly title: string; readonly text: Html },
): FastifyReply {
  return sendFormsPage(reply, { title, body: html`<p role="status">${text}</p>`, hasSecretAddress: true });
}

/** Sends what a link that does not work shows: the same for each reason. */
function sendNoLink(reply: FastifyReply): FastifyReply {
  return sendDone(reply.code(404), {
    title: 'This link does not work',
    text: html`It has been used, has ended, or was replaced by a later change. Ask for a new one.`,
  });
}

/** Returns a handler for `catch` that shows that a link does not work. */
export function noLink(reply: FastifyReply): (error: unknown) => FastifyReply {
  return (error) => {
    if (isFailure(error, 'not_found')) return sendNoLink(reply);
    throw error;
  };
}

export function signInLink({ baseUrl }: Addresses): Html {
  return html`<a href="${baseUrl}${SIGN_IN_PATH}">Sign in</a>`;
}

/** Runs what a form of a link asks for, and shows the page again with the reason if it cannot be done. */
export async function withProblem(
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
  again: (problem: string) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (isFailure(error, 'not_found')) return sendNoLink(reply);
    const problem = problemOf(error, reply);
    if (problem === undefined) throw error;
    return await again(problem).catch(noLink(reply));
  }
}

/** Returns why a form cannot be done, as a sentence, and sets the status of the response; undefined for a fault. */
export function problemOf(error: unknown, reply: FastifyReply): string | undefined {
  if (!(error instanceof ForgeError)) return undefined;
  const { failure } = error;
  switch (failure.kind) {
    case 'too_many_attempts':
    case 'busy':
      reply.code(failure.kind === 'busy' ? 503 : 429).header('retry-after', failure.retryAfterSeconds);
      return sentence(failure.what);
    case 'forbidden':
      // Another page asks for the proof.
      if (failure.reason === 'proof') return undefined;
      reply.code(403);
      return sentence(failure.what);
    case 'bad_request':
    case 'invalid':
    case 'already_exists':
    case 'conflict':
      reply.code(422);
      return sentence(failure.what);
    default:
      return undefined;
  }
}
