import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { type Page, type Paging, pagingOf } from '../../base/core/paging.ts';
import { parseId } from '../../base/core/text/ids.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import { formerValues } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../hosting/repositories/refs/push-rules.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { requireTracker } from '../../hosting/repositories/tracker.ts';
import { MILESTONE } from './actions.ts';
import { MILESTONE_CHANGED, MILESTONE_CREATED, MILESTONE_DELETED } from './events.ts';
import { MILESTONE_LIMITS } from './limits.ts';
import type { Milestone, MilestoneFields, MilestoneFilter, MilestoneKey } from './model.ts';
import { validMilestone } from './rules.ts';
import {
  countMilestones,
  deleteMilestone,
  findMilestone,
  findMilestoneByTitle,
  insertMilestone,
  listMilestones,
  setMilestone,
} from './store.ts';

const NEWLY_LISTED: MilestoneFilter = { state: 'open', title: '' };

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** Milestones of repositories. Two of them may have the same title. */
export class Milestones {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` and `requireTracker` */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    filter: MilestoneFilter,
    paging: Paging,
  ): Promise<Page<Milestone>> {
    const id = await this.#find(viewer, path, MILESTONE.read);
    const { title } = filter;
    if (title.length > MILESTONE_LIMITS.milestoneTitleCharsMax || !isPlainLine(title))
      return { items: [], total: 0 };
    return listMilestones(this.#use.database.reader, id, filter, paging);
  }

  /** @throws ForgeError as `list`, and `not_found` for a missing milestone, also if another repository has it */
  async get(viewer: Viewer, path: RepositoryPath, key: MilestoneKey): Promise<Milestone> {
    const id = await this.#find(viewer, path, MILESTONE.read);
    return requireMilestone(this.#use.database.reader, id, key);
  }

  /**
   * @param requireCurrent throws if the caller does not accept the list as it is
   * @throws ForgeError as `list`; `archived`; `invalid`, also for too many milestones
   */
  create(
    viewer: SignedIn,
    path: RepositoryPath,
    fields: MilestoneFields,
    requireCurrent?: (firstPage: Page<Milestone>) => void,
  ): Promise<Milestone> {
    return this.#change(viewer, path, async (tx, repositoryId) => {
      requireCurrent?.(await listMilestones(tx, repositoryId, NEWLY_LISTED, pagingOf({})));
      const countMax = MILESTONE_LIMITS.milestonesPerRepositoryMax;
      if ((await countMilestones(tx, repositoryId)) >= countMax) {
        throw invalid(`a repository has at most ${countMax} milestones: delete one first`);
      }
      const created = await insertMilestone(tx, repositoryId, validMilestone(fields));
      const payload = aboutMilestone(created);
      await insertEvent(tx, MILESTONE_CREATED, { actorId: viewer.accountId, repositoryId, payload });
      return created;
    });
  }

  /**
   * @param requireCurrent throws if the caller does not accept the milestone as it is
   * @throws ForgeError as `get`; `archived`; `invalid`
   */
  edit(
    viewer: SignedIn,
    path: RepositoryPath,
    { key, edit }: { readonly key: MilestoneKey; readonly edit: Partial<MilestoneFields> },
    requireCurrent: (current: Milestone) => void,
  ): Promise<Milestone> {
    return this.#change(viewer, path, async (tx, repositoryId) => {
      const before = await requireMilestone(tx, repositoryId, key);
      requireCurrent(before);
      const fields = validMilestone({ ...before, ...edit });
      const changed = changedFields(before, fields);
      if (changed.length === 0) return before;
      const after = await setMilestone(tx, before, fields);
      const payload = { ...aboutMilestone(after), changed };
      const former = formerValues(before, changed);
      await insertEvent(tx, MILESTONE_CHANGED, { actorId: viewer.accountId, repositoryId, payload, former });
      return after;
    });
  }

  /** @throws ForgeError as `get`, and `archived` */
  async delete(
    viewer: SignedIn,
    path: RepositoryPath,
    key: MilestoneKey,
    requireCurrent: (current: Milestone) => void,
  ): Promise<void> {
    await this.#change(viewer, path, async (tx, repositoryId) => {
      const found = await requireMilestone(tx, repositoryId, key);
      requireCurrent(found);
      await deleteMilestone(tx, found.id);
      const payload = aboutMilestone(found);
      await insertEvent(tx, MILESTONE_DELETED, { actorId: viewer.accountId, repositoryId, payload });
    });
  }

  async #find(
    viewer: Viewer,
    path: RepositoryPath,
    action: (typeof MILESTONE)[keyof typeof MILESTONE],
  ): Promise<RepositoryId> {
    return requireTracker(viewer, await this.#use.repositories.get(viewer, path, action), action).id;
  }

  async #change<T>(
    viewer: SignedIn,
    path: RepositoryPath,
    change: (tx: Tx, id: RepositoryId) => Promise<T>,
  ): Promise<T> {
    const id = await this.#find(viewer, path, MILESTONE.change);
    return this.#use.database.transaction(async (tx) => {
      const permitted = await this.#use.repositories.lock(tx, viewer, id, MILESTONE.change);
      requireNotArchived(requireTracker(viewer, permitted, MILESTONE.change));
      return change(tx, id);
    });
  }
}

/** @throws ForgeError `not_found` */
async function requireMilestone(db: Db, repositoryId: RepositoryId, key: MilestoneKey): Promise<Milestone> {
  const id = parseId(key);
  const byId = id === undefined ? undefined : await findMilestone(db, repositoryId, id);
  const found = byId ?? (isPlainLine(key) ? await findMilestoneByTitle(db, repositoryId, key) : undefined);
  if (found === undefined) throw notFound('milestone');
  return found;
}

const FIELDS = ['title', 'description', 'dueAt', 'isClosed'] as const;

function changedFields(before: MilestoneFields, after: MilestoneFields): readonly string[] {
  return FIELDS.filter((field) => before[field] !== after[field]);
}

function aboutMilestone({ id, title }: Milestone) {
  return { milestoneId: id, title };
}
