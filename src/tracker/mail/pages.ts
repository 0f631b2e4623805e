import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { html } from '../../base/core/text/html.ts';
import type { App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { MAIL } from './actions.ts';
import type { MailPreferences } from './service.ts';
import { UNSUBSCRIBE_PATH, type Unsubscribe } from './unsubscribe.ts';

/** What some mail programs send with one click (RFC 8058). Others send the same type as the form of the page. */
const FORM_OF_PROGRAMS = 'multipart/form-data';

interface Dependencies {
  readonly mailPreferences: MailPreferences;
}

/** The pages that end mails. Programs look at all addresses in a mail, so only a POST changes something. */
export function mailPages(app: App, dependencies: Dependencies): void {
  // A scope of its own, because other pages read the forms of this type.
  app.register(async (scope) => unsubscribePages(scope as App, dependencies));
}

function unsubscribePages(app: App, { mailPreferences }: Dependencies): void {
  // The address says everything.
  app.addContentTypeParser(FORM_OF_PROGRAMS, { parseAs: 'buffer' }, async () => ({}));
  const config = { action: MAIL.unsubscribe };
  const params = Type.Object({ token: Type.String() });
  const url = `${UNSUBSCRIBE_PATH}:token`;

  app.get(url, { config, schema: { params } }, async (request, reply) =>
    sendQuestion(reply, mailPreferences.find(request.params.token)),
  );

  app.post(url, { config, schema: { params } }, async (request, reply) =>
    sendEnd(reply, await mailPreferences.end(request.params.token)),
  );
}

function sendQuestion(reply: FastifyReply, { issueId }: Unsubscribe): FastifyReply {
  const text =
    issueId === null
      ? 'You will get no more notifications by mail. They stay on your list of notifications.'
      : 'You will get no more notifications of this conversation, neither by mail nor on your list.';
  return sendPage(reply, {
    title: 'No more mail',
    hasForm: true,
    body: html`<div class="stack prose">
<h1>No more mail</h1>
<p>${text}</p>
<form method="post"><button class="primary">Stop these mails</button></form>
</div>`,
  });
}

function sendEnd(reply: FastifyReply, { issueId }: Unsubscribe): FastifyReply {
  const text =
    issueId === null
      ? 'You get no more notifications by mail.'
      : 'You get no more notifications of this conversation. To get them again, subscribe to it.';
  return sendPage(reply, {
    title: 'Done',
    body: html`<div class="stack prose">
<h1>Done</h1>
<p>${text}</p>
</div>`,
  });
}
