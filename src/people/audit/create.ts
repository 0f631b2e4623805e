import type { Database } from '../../base/database/database.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Organizations } from '../organizations/service.ts';
import { AUDIT_LIMITS } from './limits.ts';
import type { AuditSettings } from './model.ts';
import { auditRoutes } from './routes.ts';
import { AuditLog } from './service.ts';

interface Dependencies {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly auditSettings: AuditSettings;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

export function createAudit(dependencies: Dependencies) {
  const auditLog = new AuditLog(dependencies);
  dependencies.jobs.schedule('audit.delete-old', AUDIT_LIMITS.auditDeleteEveryMs, () => auditLog.deleteOld());
  return {
    services: { auditLog },
    routes: { api: (app: App) => auditRoutes(app, { ...dependencies, auditLog }) },
  };
}
