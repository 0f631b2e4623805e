import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { type Page, type Paging, pagingOf } from '../../base/core/paging.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import type { EventKind } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { CreatedRepository } from '../../hosting/repositories/creation/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Generated } from '../../hosting/template-repositories/generate.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { LABEL_CHANGED, LABEL_CREATED, LABEL_DELETED } from './events.ts';
import { LabelHomes } from './homes.ts';
import { LABEL_LIMITS } from './limits.ts';
import type { Label, LabelAtHome, LabelFields, LabelHome, LabelOrder, LabelPlace } from './model.ts';
import { validLabel } from './rules.ts';
import {
  copyLabels,
  countLabels,
  deleteLabel,
  findLabel,
  insertLabel,
  insertLabelSet,
  listLabels,
  setLabel,
} from './store.ts';

/** Labels of repositories, and of organizations for all their repositories. Two labels may have the same name. */
export class Labels {
  readonly #database: Database;
  readonly #homes: LabelHomes;

  constructor(dependencies: {
    database: Database;
    repositories: Repositories;
    organizations: Organizations;
  }) {
    this.#database = dependencies.database;
    this.#homes = new LabelHomes(dependencies);
  }

  /** @throws ForgeError as `LabelHomes.get` */
  async list(
    viewer: Viewer,
    place: LabelPlace,
    order: LabelOrder,
    paging: Paging,
  ): Promise<Page<LabelAtHome>> {
    const home = await this.#homes.get(viewer, place, 'read');
    return listAtHome(this.#database.reader, home, order, paging);
  }

  /** @throws ForgeError as `LabelHomes.get`, and `not_found` for a missing label, also if another home has it */
  async get(viewer: Viewer, place: LabelPlace, id: number): Promise<LabelAtHome> {
    const home = await this.#homes.get(viewer, place, 'read');
    return requireLabel(this.#database.reader, home, id);
  }

  /**
   * @param requireCurrent throws if the caller does not accept the list as it is
   * @throws ForgeError as `LabelHomes.lock`, and `invalid`, also for too many labels
   */
  async create(
    viewer: SignedIn,
    place: LabelPlace,
    fields: LabelFields,
    requireCurrent?: (firstPage: Page<LabelAtHome>) => void,
  ): Promise<LabelAtHome> {
    return this.#change(viewer, place, async (tx, home) => {
      requireCurrent?.(await listAtHome(tx, home, 'name', pagingOf({})));
      await requireRoom(tx, home);
      const created = await insertLabel(tx, home, validLabel(fields));
      await announce(tx, viewer, LABEL_CREATED, home, aboutLabel(home, created));
      return { ...created, home };
    });
  }

  /**
   * @param requireCurrent throws if the caller does not accept the label as it is
   * @throws ForgeError as `LabelHomes.lock`; `invalid`; `not_found` as `get`
   */
  async edit(
    viewer: SignedIn,
    place: LabelPlace,
    { id, edit }: { readonly id: number; readonly edit: Partial<LabelFields> },
    requireCurrent: (current: LabelAtHome) => void,
  ): Promise<LabelAtHome> {
    return this.#change(viewer, place, async (tx, home) => {
      const before = await requireLabel(tx, home, id);
      requireCurrent(before);
      const after = { ...before, ...validLabel({ ...before, ...edit }) };
      const changed = changedFields(before, after);
      if (changed.length === 0) return before;
      await setLabel(tx, id, after);
      await announce(tx, viewer, LABEL_CHANGED, home, { ...aboutLabel(home, after), changed });
      return after;
    });
  }

  /** @throws ForgeError as `LabelHomes.lock`, and `not_found` as `get` */
  async delete(
    viewer: SignedIn,
    place: LabelPlace,
    id: number,
    requireCurrent: (current: LabelAtHome) => void,
  ): Promise<void> {
    await this.#change(viewer, place, async (tx, home) => {
      const found = await requireLabel(tx, home, id);
      requireCurrent(found);
      await deleteLabel(tx, id);
      await announce(tx, viewer, LABEL_DELETED, home, aboutLabel(home, found));
    });
  }

  /** Adds the labels that a new repository starts with. The event of its creation covers them. */
  addFirst(tx: Tx, { repositoryId, labels }: CreatedRepository): Promise<void> {
    return insertLabelSet(tx, repositoryId, labels);
  }

  /** Copies the labels of a template to the repository that was generated from it, if the request includes labels. */
  async copy(tx: Tx, { from, to, taken }: Generated): Promise<void> {
    if (taken.labels) await copyLabels(tx, from.id, to);
  }

  async #change<T>(
    viewer: SignedIn,
    place: LabelPlace,
    change: (tx: Tx, home: LabelHome) => Promise<T>,
  ): Promise<T> {
    const home = await this.#homes.get(viewer, place, 'change');
    return this.#database.transaction(async (tx) => {
      await this.#homes.lock(tx, viewer, home);
      return change(tx, home);
    });
  }
}

async function listAtHome(
  db: Db,
  home: LabelHome,
  order: LabelOrder,
  paging: Paging,
): Promise<Page<LabelAtHome>> {
  const { items, total } = await listLabels(db, home, order, paging);
  return { items: items.map((label) => ({ ...label, home })), total };
}

/** @throws ForgeError `not_found` */
async function requireLabel(db: Db, home: LabelHome, id: number): Promise<LabelAtHome> {
  const found = await findLabel(db, home, id);
  if (found === undefined) throw notFound('label');
  return { ...found, home };
}

/** @throws ForgeError `invalid` */
async function requireRoom(tx: Tx, home: LabelHome): Promise<void> {
  const countMax = LABEL_LIMITS.labelsPerHomeMax;
  if ((await countLabels(tx, home)) < countMax) return;
  const what = home.kind === 'repository' ? 'a repository' : 'an organization';
  throw invalid(`${what} has at most ${countMax} labels: delete one first`);
}

const FIELDS = ['name', 'color', 'description', 'isExclusive', 'isArchived'] as const;

function changedFields(before: LabelFields, after: LabelFields): readonly string[] {
  return FIELDS.filter((field) => before[field] !== after[field]);
}

function aboutLabel(home: LabelHome, { id, name }: Label) {
  const about = { labelId: id, name };
  return home.kind === 'repository' ? about : { ...about, organizationId: home.organization.id };
}

async function announce<Payload>(
  tx: Tx,
  viewer: SignedIn,
  kind: EventKind<Payload>,
  home: LabelHome,
  payload: NoInfer<Payload>,
): Promise<void> {
  const repositoryId = home.kind === 'repository' ? home.repository.id : null;
  await insertEvent(tx, kind, { actorId: viewer.accountId, repositoryId, payload });
}
