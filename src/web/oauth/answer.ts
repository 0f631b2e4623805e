import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../base/core/text/html.ts';
import { sendPage } from '../../http/pages/page.ts';

/**
 * Leads a browser to the address of a client. Browsers apply `form-action` to redirects, too, and the sign-in and the
 * consent are forms, so a person gets a page that leads on. A program gets a redirect.
 */
export function sendToClient(request: FastifyRequest, reply: FastifyReply, address: string): FastifyReply {
  reply.headers({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  if (request.headers.accept?.includes('text/html') !== true) return reply.redirect(address, 303);
  return sendPage(reply, {
    title: 'Going back to the application',
    isSecret: true,
    head: html`<meta http-equiv="refresh" content="0; url=${address}">
`,
    body: html`<div class="stack prose">
<h1>Going back to the application</h1>
<p>If nothing happens, <a href="${address}" rel="noreferrer">go on</a>.</p>
</div>`,
  });
}

/** Shows why a request gets no answer at the address of its client: the address may be a stranger's. */
export function sendRefusal(reply: FastifyReply, why: string): FastifyReply {
  return sendPage(reply.code(400), {
    title: 'The application cannot sign you in',
    body: html`<div class="stack prose">
<h1>The application cannot sign you in</h1>
<p>Its request is wrong: ${why}.</p>
<p>Nothing was granted. Only the people who run the application can mend this.</p>
</div>`,
  });
}
