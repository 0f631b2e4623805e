import { Type } from 'typebox';
import { undefinedIf } from '../../base/core/failure.ts';
import { html } from '../../base/core/text/html.ts';
import { formatDuration } from '../../base/core/time/durations.ts';
import { CRON } from '../../hosting/cron/actions.ts';
import type { Cron } from '../../hosting/cron/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { signedIn } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { agoHtml } from '../parts/time.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { ADMIN_PATH, sendAdmin } from './admin-frame.ts';

const PATH = `${ADMIN_PATH}/cron`;

/** Registers the page of the recurring work of the server. */
export function cronPage(
  app: App,
  { cron, addresses }: { readonly cron: Cron; readonly addresses: Addresses },
): void {
  const querystring = Type.Object(PagingQuery);
  app.get(PATH, { config: { action: CRON.list }, schema: { querystring } }, async (request, reply) => {
    const { items } = await cron.list({ page: 1, limit: WEB_LIMITS.cronTasksMax });
    const rows = items.map(({ name, work }) => {
      const last = Math.max(...work.map(({ lastRunAt }) => lastRunAt ?? 0));
      const next = Math.min(...work.map(({ nextAt }) => nextAt));
      const every = Math.min(...work.map(({ everyMs }) => everyMs));
      const run = buttonForm(
        request,
        reply,
        { action: PATH, fields: { task: name }, button: 'Run now' },
        addresses,
      );
      return html`<tr><th scope="row"><code>${name}</code></th><td>every ${formatDuration(every)}</td><td>${last === 0 ? 'never' : agoHtml(last)}</td><td>${agoHtml(next)}</td><td class="end">${run}</td></tr>
`;
    });
    return sendAdmin(reply, {
      title: 'Recurring work',
      current: PATH,
      body: html`<div class="box table-scroll"><table class="list"><thead><tr><th scope="col">Work</th><th scope="col">Interval</th><th scope="col">Last run</th><th scope="col">Next run</th><th><span class="sr-only">Run</span></th></tr></thead>
<tbody>${rows}</tbody></table></div>`,
    });
  });

  app.post(PATH, { config: { action: CRON.run, isForm: true } }, async (request, reply) => {
    await cron.run(signedIn(request), fieldOf(request, 'task')).catch(undefinedIf('not_found'));
    return reply.redirect(localAddress(PATH, addresses), 303);
  });
}
