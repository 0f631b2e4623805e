import type { SignedIn, Viewer } from '../../../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../../../base/core/failure.ts';
import { offsetOf, type Page, type Paging, pagingOf } from '../../../../base/core/paging.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Db, Tx } from '../../../../base/database/database.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { isReadableKind } from '../../../../hosting/repositories/tracker.ts';
import type { IssueAccess, IssuePath, PermittedIssue } from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import type { Issue, IssueState } from '../../model.ts';
import type { EntryKind } from '../../models/entries.ts';
import { completeIssue, completeIssues, type PlacedIssue } from '../../read.ts';
import { about, addEntries, announce } from '../../record.ts';
import { DEPENDENCY } from './actions.ts';
import { ISSUE_DEPENDENCIES_CHANGED } from './events.ts';
import { usesDependencies } from './rules.ts';
import {
  countDependencies,
  type Dependency,
  type Direction,
  deleteDependency,
  hasDependency,
  insertDependency,
  listDependencies,
} from './store.ts';

/** The issue in the address of a request, and the issue that its body names. */
export interface Linking {
  readonly path: IssuePath;
  readonly direction: Direction;
  readonly other: IssuePath;
}

type RequireCurrent = ((firstPage: Page<Issue>) => void) | undefined;

interface Needs {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly access: IssueAccess;
}

/** Dependencies between issues, also across repositories. */
export class Dependencies {
  readonly #use: Needs;

  constructor(needs: Needs) {
    this.#use = needs;
  }

  /**
   * Lists the linked issues that the viewer may read. Issues of the same repository are first.
   *
   * @throws ForgeError as `IssueAccess.get`, and `not_found` if dependencies are switched off in the repository
   */
  async list(viewer: Viewer, path: IssuePath, direction: Direction, paging: Paging): Promise<Page<Issue>> {
    const issue = await this.#use.access.get(viewer, path, ISSUE.read);
    requireSwitchedOn(issue);
    return this.#list(this.#use.database.reader, viewer, { issue, direction }, paging);
  }

  /**
   * @param requireCurrent throws if the caller does not accept the list as it is
   * @returns the issue of the path
   * @throws ForgeError as `IssueAccess.changeWith`; `not_found` as `list`; `invalid`; `already_exists`
   */
  add(viewer: SignedIn, linking: Linking, requireCurrent: RequireCurrent): Promise<Issue> {
    return this.#change(viewer, linking, requireCurrent, async (tx, dependency) => {
      await requireNew(tx, dependency);
      await insertDependency(tx, dependency);
      return 'add_dependency';
    });
  }

  /**
   * @returns the issue of the path
   * @throws ForgeError as `IssueAccess.changeWith`; `not_found` as `list`, or if there is no such dependency
   */
  remove(viewer: SignedIn, linking: Linking, requireCurrent: RequireCurrent): Promise<Issue> {
    return this.#change(viewer, linking, requireCurrent, async (tx, dependency) => {
      if (!(await hasDependency(tx, dependency))) throw notFound('dependency');
      await deleteDependency(tx, dependency);
      return 'remove_dependency';
    });
  }

  #change(
    viewer: SignedIn,
    { path, direction, other }: Linking,
    requireCurrent: RequireCurrent,
    write: (tx: Tx, dependency: Dependency) => Promise<EntryKind>,
  ): Promise<Issue> {
    const isBlocked = direction === 'dependencies';
    const [own, named] = isBlocked
      ? [DEPENDENCY.change, DEPENDENCY.block]
      : [DEPENDENCY.block, DEPENDENCY.change];
    const second = { path: other, action: named, isChanged: !isBlocked };
    return this.#use.access.changeWith(viewer, { path, action: own }, second, async (tx, issue, linked) => {
      requireSwitchedOn(isBlocked ? issue : linked);
      requireCurrent?.(await this.#list(tx, viewer, { issue, direction }, pagingOf({})));
      const [blocked, blocking] = isBlocked ? [issue.state, linked.state] : [linked.state, issue.state];
      const kind = await write(tx, { issueId: blocked.id, dependsOnId: blocking.id });
      await record(tx, viewer, { blocked, blocking, kind });
      return completeIssue(tx, viewer, placed(issue));
    });
  }

  async #list(
    db: Db,
    viewer: Viewer,
    { issue, direction }: { issue: PermittedIssue; direction: Direction },
    paging: Paging,
  ): Promise<Page<Issue>> {
    const { id, repositoryId } = issue.state;
    const linked = await listDependencies(db, viewer, direction, id);
    const ids = [...new Set(linked.map(({ state }) => state.repositoryId))];
    const found = await this.#use.repositories.lists.byIds(db, viewer, ids);
    const byId = new Map(found.map((permitted) => [permitted.repository.id, permitted]));
    const seen = linked.flatMap((each): readonly PlacedIssue[] => {
      const permitted = byId.get(each.state.repositoryId);
      if (permitted === undefined || !isReadableKind(viewer, permitted, ISSUE.read, each.state)) return [];
      return [{ ...each, repository: permitted.repository }];
    });
    const isElsewhere = ({ state }: PlacedIssue) => Number(state.repositoryId !== repositoryId);
    const ordered = seen.toSorted((one, two) => isElsewhere(one) - isElsewhere(two));
    const start = offsetOf(paging);
    const items = await completeIssues(db, viewer, ordered.slice(start, start + paging.limit));
    return { items, total: ordered.length };
  }
}

function placed(issue: PermittedIssue): PlacedIssue {
  return { ...issue, repository: issue.permitted.repository };
}

/** @throws ForgeError `not_found` */
function requireSwitchedOn({ permitted }: PermittedIssue): void {
  if (!usesDependencies(permitted.repository)) throw notFound('dependencies of issues');
}

/** @throws ForgeError `invalid`, `already_exists` */
async function requireNew(tx: Tx, { issueId, dependsOnId }: Dependency): Promise<void> {
  if (issueId === dependsOnId) throw invalid('an issue cannot depend on itself');
  if (await hasDependency(tx, { issueId, dependsOnId }))
    throw new ForgeError({ kind: 'already_exists', what: 'the dependency exists already' });
  if (await hasDependency(tx, { issueId: dependsOnId, dependsOnId: issueId }))
    throw invalid('the other issue depends on this one: two issues cannot block each other');
  const countMax = ISSUE_LIMITS.issueDependenciesMax;
  const counts = [
    await countDependencies(tx, 'dependencies', issueId),
    await countDependencies(tx, 'blocks', dependsOnId),
  ];
  if (counts.some((count) => count >= countMax))
    throw invalid(`an issue can depend on at most ${countMax} issues, and block at most ${countMax} issues`);
}

/** Writes an entry to the timeline of each issue, and the event. */
async function record(
  tx: Tx,
  viewer: SignedIn,
  { blocked, blocking, kind }: { blocked: IssueState; blocking: IssueState; kind: EntryKind },
): Promise<void> {
  const recording = { tx, viewer, at: currentTimeMs() };
  await addEntries(recording, blocked, [{ kind, details: { otherIssueId: blocking.id } }]);
  await addEntries(recording, blocking, [{ kind, details: { otherIssueId: blocked.id } }]);
  const [added, removed] = kind === 'add_dependency' ? [[blocking.id], []] : [[], [blocking.id]];
  await announce(recording, ISSUE_DEPENDENCIES_CHANGED, blocked, { ...about(blocked), added, removed });
}
