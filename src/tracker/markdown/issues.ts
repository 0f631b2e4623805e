import { decide } from '../../api/access/policy.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import type { Database } from '../../base/database/database.ts';
import { ISSUE } from '../issues/actions.ts';
import type { IssueFinder, IssuePath } from './model.ts';
import { listIssuesAt } from './store.ts';

const READ = {
  issue: { ...ISSUE.read, unit: ['issues'] },
  pull: { ...ISSUE.read, unit: ['pulls'] },
} as const;

/** Finds the issues and pull requests that a viewer may see. */
export class VisibleIssues implements IssueFinder {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async kindsOf(
    viewer: Viewer,
    paths: readonly IssuePath[],
  ): Promise<readonly ('issue' | 'pull' | undefined)[]> {
    if (paths.length === 0) return [];
    const kinds = paths.map((): 'issue' | 'pull' | undefined => undefined);
    for (const found of await listIssuesAt(this.#database.reader, viewer, paths)) {
      const kind = found.isPull ? 'pull' : 'issue';
      const decision = decide(viewer, READ[kind], found.permissions, found.ownerKind);
      if (found.isSwitchedOn && decision === 'granted') kinds[found.position] = kind;
    }
    return kinds;
  }
}
