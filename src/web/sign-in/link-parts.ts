import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isFailure } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SIGN_IN_PATH } from '../../http/errors/web.ts';
import { LINK_PATHS } from '../../http/pages/link-paths.ts';
import { ACCOUNT_LINK } from '../../people/account-links/actions.ts';
import { type LinkPurpose, linkPath } from '../../people/account-links/model.ts';
import { type FormPage, sendFormPage, sendFormsPage } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';

const schema = { params: Type.Object({ token: Type.String() }) };

/** What a page says has been done. */
interface Done {
  readonly title: string;
  readonly text: Html;
}

/** The page of one kind of link, and what its form does. Each fails with `not_found` for a link that does not work. */
interface LinkPage {
  readonly purpose: LinkPurpose;
  /** Returns the form. @param request whose fields a form that could not be done shows again */
  readonly show: (
    token: string,
    request: FastifyRequest,
  ) => Promise<Pick<FormPage, 'title' | 'before' | 'fields' | 'button'>>;
  readonly use: (token: string, request: FastifyRequest) => Promise<Done>;
}

/**
 * Registers the page that a kind of link opens. Mail programs look at all addresses in a mail, so only the form changes
 * something.
 */
export function linkPage(app: App, { purpose, show, use }: LinkPage, addresses: Addresses): void {
  const config = { action: ACCOUNT_LINK.use, isForm: true } as const;
  const url = `${LINK_PATHS[purpose]}:token` as const;
  const send = async (request: FastifyRequest, reply: FastifyReply, token: string, problem?: string) => {
    const form = { ...(await show(token, request)), action: linkPath(purpose, encodeURIComponent(token)) };
    return sendFormPage(request, reply, { ...form, problem, hasSecretAddress: true }, addresses);
  };

  app.get(url, { config, schema }, (request, reply) =>
    send(request, reply, request.params.token).catch(noLink(reply)),
  );

  app.post(url, { config, schema }, async (request, reply) => {
    const { token } = request.params;
    try {
      return sendDone(reply, await use(token, request));
    } catch (error) {
      if (isFailure(error, 'not_found')) return sendNoLink(reply);
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      return await send(request, reply, token, problem).catch(noLink(reply));
    }
  });
}

/** Sends a page that says what has been done. */
export function sendDone(reply: FastifyReply, { title, text }: Done): FastifyReply {
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
function noLink(reply: FastifyReply): (error: unknown) => FastifyReply {
  return (error) => {
    if (isFailure(error, 'not_found')) return sendNoLink(reply);
    throw error;
  };
}

export function signInLink({ baseUrl }: Addresses): Html {
  return html`<a href="${baseUrl}${SIGN_IN_PATH}">Sign in</a>`;
}
