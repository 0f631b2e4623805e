import { Type } from 'typebox';
import type { AuditEntry } from '../../base/audit/model.ts';
import { isFailure } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { App } from '../../http/app.ts';
import { AUDIT } from '../../people/audit/actions.ts';
import type { AuditPage } from '../../people/audit/model.ts';
import { auditRequestOf, cursorOf } from '../../people/audit/options.ts';
import { AuditQuery } from '../../people/audit/schema.ts';
import type { AuditLog } from '../../people/audit/service.ts';
import { timeHtml } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { emptyHtml } from '../parts/lists.ts';
import { ADMIN_PATH, sendAdmin } from './admin-frame.ts';

const PATH = `${ADMIN_PATH}/audit`;
const FILTERS = [
  ['actor', 'Who'],
  ['action', 'What, such as token.created'],
  ['target', 'To whom or what'],
] as const;
const NOTHING: AuditPage = { entries: [], next: null };

/** Registers the page that lists who did what from where. */
export function auditPage(app: App, { auditLog }: { readonly auditLog: AuditLog }): void {
  app.get(
    PATH,
    { config: { action: AUDIT.readSite }, schema: { querystring: Type.Object(AuditQuery) } },
    async (request, reply) => {
      const { query, viewer } = request;
      let page = NOTHING;
      try {
        page = await auditLog.listAll(
          viewer,
          auditRequestOf({ limit: WEB_LIMITS.auditEntriesMax, ...query }),
        );
      } catch (error) {
        if (!isFailure(error, 'invalid')) throw error;
        reply.code(422);
      }
      const fields = FILTERS.map(
        ([name, label]) =>
          html`<label class="words"><span class="sr-only">${label}</span><input type="search" name="${name}" value="${query[name] ?? ''}" placeholder="${label}" maxlength="${WEB_LIMITS.auditWordsCharsMax}"></label>
`,
      );
      const none = emptyHtml('No entry matches', html`<a href="${PATH}">Show all</a>`);
      return sendAdmin(reply, {
        title: 'Audit log',
        current: PATH,
        body: html`<form class="filters" role="search" action="${PATH}">${fields}<button>Filter</button></form>
${page.entries.length === 0 ? none : tableOf(page.entries)}${olderLink(page, query)}`,
      });
    },
  );
}

function tableOf(entries: readonly AuditEntry[]): Html {
  const rows = entries.map(
    ({ at, actorName, actorKind, action, targetKind, targetName, repositoryName, address, credential }) =>
      html`<tr><td class="nowrap">${timeHtml(at)}</td><td>${actorName ?? actorKind}</td><td><code>${action}</code></td><td>${targetName ?? repositoryName ?? targetKind}</td><td class="quiet">${address ?? ''} ${credential === null || credential === 'none' ? '' : credential}</td></tr>
`,
  );
  return html`<div class="box table-scroll"><table class="list"><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">To</th><th scope="col">From</th></tr></thead>
<tbody>${rows}</tbody></table></div>
`;
}

function olderLink({ next }: AuditPage, query: Readonly<Record<string, unknown>>): Html {
  if (next === null) return html``;
  const to = new URLSearchParams({ cursor: cursorOf(next) });
  for (const [name] of FILTERS) {
    const value = query[name];
    if (typeof value === 'string' && value !== '') to.set(name, value);
  }
  return html`<nav class="pager" aria-label="Pages"><a class="button" rel="next" href="${`${PATH}?${to}`}">Older</a></nav>`;
}
