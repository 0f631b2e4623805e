import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { CRON } from './actions.ts';
import { CronAnswer } from './schema.ts';
import type { Cron } from './service.ts';

export function cronRoutes(app: App, { cron, addresses }: { cron: Cron; addresses: Addresses }): void {
  const api = operationsOn(app, { tag: 'admin', addresses });

  api.list('/admin/cron', CRON.list, {
    id: 'adminCronList',
    summary: 'List the recurring work of the server',
    answer: CronAnswer,
    handle: ({ paging }) => cron.list(paging),
  });

  api.post('/admin/cron/:task', CRON.run, {
    id: 'adminCronRun',
    summary: 'Run recurring work now',
    failures: ['not_found'],
    handle: ({ viewer, params }) => cron.run(viewer, params.task),
  });
}
