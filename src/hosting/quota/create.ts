import type { Database } from '../../base/database/database.ts';
import type { QuotaSettings } from './model.ts';
import { Quota } from './service.ts';

export function createQuota(dependencies: { database: Database; quotaSettings: QuotaSettings }) {
  return { services: { quota: new Quota(dependencies) } };
}
