import type { FastifyReply } from 'fastify';
import { html } from '../../base/core/text/html.ts';
import { sendPage } from '../pages/page.ts';

/** What a status means for the person who sees it, and what they can do. */
const WORDS: Readonly<Record<number, { readonly title: string; readonly advice: string }>> = {
  401: { title: 'Sign in first', advice: 'This page needs to know who you are.' },
  403: {
    title: 'You may not do this',
    advice: 'An administrator of this place can give you the right.',
  },
  404: {
    title: 'There is no such page',
    advice: 'Check the address. If the page is private, you may need to sign in, or to be given access.',
  },
  409: {
    title: 'This cannot be done now',
    advice: 'Go back, load the page again, and look at what has changed.',
  },
  421: {
    title: 'This server has another name',
    advice: 'Open it by the address that its administrator has set.',
  },
  503: { title: 'The server is busy', advice: 'Try again in a moment.' },
};
const OTHER = { title: 'This did not work', advice: 'Go back, and check what you have entered.' };
const FAULT = {
  title: 'The server made a mistake',
  advice: 'Try again. If it stays, send the number of the request to the administrator.',
};

/** Sends an error to a browser, as a page. Its status is already set. @param what why; '' for a fault of the server */
export function sendErrorPage(reply: FastifyReply, what: string): FastifyReply {
  const status = reply.statusCode;
  const { title, advice } = status === 500 ? FAULT : (WORDS[status] ?? OTHER);
  // A hidden page gives the same response as a missing one.
  const reason = what === '' || status === 404 ? html`` : html`<p>${sentence(what)}</p>`;
  return sendPage(reply, {
    title,
    body: html`<div class="stack prose">
<h1>${title}</h1>
${reason}<p class="quiet">${advice}</p>
<p class="quiet small">${status} · request ${reply.request.id}</p>
<p><a class="button" href="/">Go to the start page</a></p>
</div>`,
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** Whether a person sees the response, and not a program. */
export function isForBrowser({ request }: FastifyReply): boolean {
  const { headers, method } = request;
  return (
    headers.accept?.includes('text/html') === true && headers.authorization === undefined && method !== 'HEAD'
  );
}
