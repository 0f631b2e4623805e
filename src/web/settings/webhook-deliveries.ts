import { type Html, html } from '../../base/core/text/html.ts';
import type { Delivery } from '../../tracker/webhooks/model.ts';
import { icon } from '../parts/icons.ts';
import { emptyHtml } from '../parts/lists.ts';
import { agoHtml } from '../parts/time.ts';

/** Returns the last deliveries of a webhook, with what was sent and received. */
export function deliveriesHtml(deliveries: readonly Delivery[], redelivery: (id: number) => Html): Html {
  if (deliveries.length === 0) return emptyHtml('Nothing was delivered yet');
  return html`<ul class="rows box">${deliveries.map((delivery) => rowOf(delivery, redelivery(delivery.id)))}</ul>`;
}

function rowOf(delivery: Delivery, again: Html): Html {
  const { event, state, createdAt, sentAt, request, response, error, isRequested } = delivery;
  const words = isRequested ? 'requested' : state;
  const status = response === null ? html`` : html` <span class="badge">${response.status}</span>`;
  const failure = error === '' ? html`` : html`<p class="problem small">${error}</p>`;
  const sent =
    request === null
      ? html``
      : html`<h3>Request</h3>${messageHtml(`${request.method} ${request.url}`, request)}`;
  const received =
    response === null ? html`` : html`<h3>Response</h3>${messageHtml(`${response.status}`, response)}`;
  return html`<li><div class="grow"><details><summary>${icon(state === 'failed' ? 'cross' : state === 'delivered' ? 'check' : 'clock')} <strong>${event}</strong> ${words}${status} <span class="quiet small">${agoHtml(sentAt ?? createdAt)}</span></summary>
${failure}${sent}${received}</details></div>${again}</li>
`;
}

function messageHtml(
  first: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): Html {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<pre>${[first, ...lines, '', body].join('\n')}</pre>`;
}
