import type { RecurringWork } from '../../base/jobs/model.ts';

/** Recurring work under the name by which clients of the API know it. */
export interface CronTask {
  readonly name: string;
  /** one or several with the same interval */
  readonly work: readonly RecurringWork[];
}

/** Names of the reference for kinds of recurring work. Other work has a name of its own. */
const REFERENCE_NAMES: Readonly<Record<string, string>> = {
  'mirrors.due': 'update_mirrors',
  'push-mirrors.due': 'update_mirrors',
  'archives.sweep': 'archive_cleanup',
  'lfs.sweep': 'gc_lfs',
  'events.prune': 'delete_old_actions',
  'webhooks.delete-old': 'cleanup_hook_task_table',
};

/** Groups recurring work by its name, sorted by name. */
export function tasksOf(work: readonly RecurringWork[]): readonly CronTask[] {
  const byName = Map.groupBy(work, ({ kind }) => REFERENCE_NAMES[kind] ?? kind.replaceAll(/[.-]/g, '_'));
  return [...byName].map(([name, grouped]) => ({ name, work: grouped })).sort(byNameOf);
}

function byNameOf(a: CronTask, b: CronTask): number {
  return a.name < b.name ? -1 : 1;
}
