import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Organizations } from '../organizations/service.ts';
import { AUDIT } from './actions.ts';
import { auditRequestOf } from './options.ts';
import { AuditPageAnswer } from './present.ts';
import { AuditQuery } from './schema.ts';
import type { AuditLog } from './service.ts';

interface Dependencies {
  readonly auditLog: AuditLog;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

/** The audit log is not part of the reference. */
export function auditRoutes(app: App, { auditLog, accounts, organizations, addresses }: Dependencies): void {
  const shared = { query: AuditQuery, answer: AuditPageAnswer, failures: ['invalid'] } as const;

  operationsOn(app, { tag: 'admin', addresses }).get('/admin/audit', AUDIT.readSite, {
    ...shared,
    id: 'quireListAuditEntries',
    summary: 'List who did what from where, the newest first',
    handle: ({ viewer, query }) => auditLog.listAll(viewer, auditRequestOf(query)),
  });

  operationsOn(app, { tag: 'organization', addresses }).get('/orgs/:org/audit', AUDIT.readOfOrganization, {
    ...shared,
    id: 'quireListAuditEntriesOfOrganization',
    summary: 'List who did what to an organization and its repositories, the newest first, as an owner',
    async handle({ viewer, params, query }) {
      const { organization } = await organizations.get(viewer, params.org, AUDIT.readOfOrganization);
      return auditLog.listOf(viewer, organization.id, auditRequestOf(query));
    },
  });

  operationsOn(app, { tag: 'user', addresses }).get('/user/audit', AUDIT.readOwn, {
    ...shared,
    id: 'quireListOwnAuditEntries',
    summary: 'List who did what to your account and your repositories, the newest first, also sign-ins',
    async handle({ viewer, query }) {
      const { id } = await accounts.getOwnUser(viewer);
      return auditLog.listOf(viewer, id, auditRequestOf(query));
    },
  });
}
