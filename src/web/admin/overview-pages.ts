import { Type } from 'typebox';
import { pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { PagingQuery } from '../../http/paging.ts';
import { SITE } from '../../people/accounts/actions.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { AUDIT } from '../../people/audit/actions.ts';
import type { AuditLog } from '../../people/audit/service.ts';
import { SITE_ORGANIZATIONS } from '../../people/organizations/actions.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { signedIn } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { sizeText } from '../parts/numbers.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { agoHtml } from '../parts/time.ts';
import { accountRows } from '../people/account-rows.ts';
import { ADMIN_PATH, sendAdmin } from './admin-frame.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly repositories: Repositories;
  readonly auditLog: AuditLog;
  readonly jobs: Pick<Jobs, 'count'>;
  readonly addresses: Addresses;
  readonly version: string;
}

const ONE = { page: 1, limit: 1 };
const CONFIG_PATH = `${ADMIN_PATH}/config`;
const ORGANIZATIONS_PATH = `${ADMIN_PATH}/orgs`;
const LAST_SETTINGS = { filter: { action: 'settings.changed' }, limit: 1 };

/** Registers the pages that show what the server has and how it is set. */
export function overviewPages(app: App, dependencies: Dependencies): void {
  overviewPage(app, dependencies);
  organizationsPage(app, dependencies);
  configurationPage(app, dependencies);
}

function overviewPage(
  app: App,
  { accounts, organizations, repositories, jobs, addresses, version }: Dependencies,
): void {
  app.get(ADMIN_PATH, { config: { action: SITE.listAccounts } }, async (request, reply) => {
    const viewer = signedIn(request);
    const users = await accounts.listUsers(viewer, ONE);
    const ofOrganizations = await organizations.list(viewer, ONE);
    const ofRepositories = await repositories.lists.select(viewer, {}, ONE);
    const { rss, heapUsed } = process.memoryUsage();
    const { waiting, running, failed } = await jobs.count();
    const startedAt = currentTimeMs() - process.uptime() * 1000;
    const facts = [
      ['Version', version],
      ['Address', addresses.baseUrl],
      ['Node', process.version],
      ['Running since', agoHtml(startedAt)],
      ['Jobs', `${waiting} waiting, ${running} running, ${failed} given up`],
      ['Memory', `${sizeText(rss)}, of which the heap ${sizeText(heapUsed)}`],
    ] as const;
    const counts = [
      ['Users', `${ADMIN_PATH}/users`, users.total],
      ['Organizations', ORGANIZATIONS_PATH, ofOrganizations.total],
      ['Repositories', '/explore/repos', ofRepositories.total],
    ] as const;
    return sendAdmin(reply, {
      title: 'Overview',
      current: ADMIN_PATH,
      body: html`${settingsBox(
        'This server',
        html`<table class="list"><tbody>${facts.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>`,
      )}${settingsBox(
        'What it has',
        html`<table class="list"><tbody>${counts.map(([name, path, count]) => html`<tr><th scope="row"><a href="${path}">${name}</a></th><td>${count.toLocaleString('en-US')}</td></tr>`)}</tbody></table>`,
      )}<p><a href="/api/healthz">Health</a>, <a href="/metrics">metrics</a></p>`,
    });
  });
}

function organizationsPage(app: App, { organizations, addresses }: Dependencies): void {
  app.get(
    ORGANIZATIONS_PATH,
    {
      config: { action: SITE_ORGANIZATIONS.listOrganizations },
      schema: { querystring: Type.Object(PagingQuery) },
    },
    async (request, reply) => {
      const paging = pagingOf({ limit: WEB_LIMITS.exploreItemsMax, ...request.query });
      const { items, total } = await organizations.list(request.viewer, paging);
      return sendAdmin(reply, {
        title: 'Organizations',
        current: ORGANIZATIONS_PATH,
        body: html`${items.length === 0 ? emptyHtml('There is no organization') : accountRows(items, addresses)}
${pagerHtml(ORGANIZATIONS_PATH, { page: paging.page, hasNext: paging.page * paging.limit < total })}`,
      });
    },
  );
}

function configurationPage(app: App, { auditLog }: Dependencies): void {
  app.get(CONFIG_PATH, { config: { action: AUDIT.readSite } }, async (request, reply) => {
    const { entries } = await auditLog.listAll(request.viewer, LAST_SETTINGS);
    const settings = entries[0]?.details.settings;
    const values = typeof settings === 'object' && settings !== null ? Object.entries(settings) : [];
    const rows = values.map(
      ([name, value]) =>
        html`<tr><th scope="row"><code>${name}</code></th><td>${String(value) === '' ? html`<span class="quiet">not set</span>` : html`<code>${String(value)}</code>`}</td></tr>
`,
    );
    return sendAdmin(reply, {
      title: 'Configuration',
      current: CONFIG_PATH,
      body: html`<p>The settings with which the server started, without secrets. Change them where it is started.</p>
${rows.length === 0 ? emptyHtml('The settings are not recorded') : html`<div class="box table-scroll"><table class="list"><tbody>${rows}</tbody></table></div>`}`,
    });
  });
}
