import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { type Page, type Paging, pagingOf } from '../../base/core/paging.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import { type EventKind, type FormerValues, formerValues } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { CreatedRepository } from '../../hosting/repositories/creation/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Generated } from '../../hosting/template-repositories/generate.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { LABEL_CHANGED, LABEL_CREATED, LABEL_DELETED } from './events.ts';
import { LABEL_LIMITS } from './limits.ts';
import type { Label, LabelFields, LabelOrder, LabelOwner, LabelPlace, OwnedLabel } from './model.ts';
import { LabelOwners } from './owners.ts';
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
  readonly #owners: LabelOwners;

  constructor(dependencies: {
    database: Database;
    repositories: Repositories;
    organizations: Organizations;
  }) {
    this.#database = dependencies.database;
    this.#owners = new LabelOwners(dependencies);
  }

  /** @throws ForgeError as `LabelOwners.get` */
  async list(
    viewer: Viewer,
    place: LabelPlace,
    order: LabelOrder,
    paging: Paging,
  ): Promise<Page<OwnedLabel>> {
    const owner = await this.#owners.get(viewer, place, 'read');
    return listOwned(this.#database.reader, owner, order, paging);
  }

  /** @throws ForgeError as `LabelOwners.get`, and `not_found` for a missing label, also if another owner has it */
  async get(viewer: Viewer, place: LabelPlace, id: number): Promise<OwnedLabel> {
    const owner = await this.#owners.get(viewer, place, 'read');
    return requireLabel(this.#database.reader, owner, id);
  }

  /**
   * @param requireCurrent throws if the caller does not accept the list as it is
   * @throws ForgeError as `LabelOwners.lock`, and `invalid`, also for too many labels
   */
  async create(
    viewer: SignedIn,
    place: LabelPlace,
    fields: LabelFields,
    requireCurrent?: (firstPage: Page<OwnedLabel>) => void,
  ): Promise<OwnedLabel> {
    return this.#change(viewer, place, async (tx, owner) => {
      requireCurrent?.(await listOwned(tx, owner, 'name', pagingOf({})));
      await requireRoom(tx, owner);
      const created = await insertLabel(tx, owner, validLabel(fields));
      await announce(tx, viewer, LABEL_CREATED, owner, aboutLabel(owner, created));
      return { ...created, owner };
    });
  }

  /**
   * @param requireCurrent throws if the caller does not accept the label as it is
   * @throws ForgeError as `LabelOwners.lock`; `invalid`; `not_found` as `get`
   */
  async edit(
    viewer: SignedIn,
    place: LabelPlace,
    { id, edit }: { readonly id: number; readonly edit: Partial<LabelFields> },
    requireCurrent: (current: OwnedLabel) => void,
  ): Promise<OwnedLabel> {
    return this.#change(viewer, place, async (tx, owner) => {
      const before = await requireLabel(tx, owner, id);
      requireCurrent(before);
      const after = { ...before, ...validLabel({ ...before, ...edit }) };
      const changed = changedFields(before, after);
      if (changed.length === 0) return before;
      await setLabel(tx, id, after);
      const payload = { ...aboutLabel(owner, after), changed };
      await announce(tx, viewer, LABEL_CHANGED, owner, payload, formerValues(before, changed));
      return after;
    });
  }

  /** @throws ForgeError as `LabelOwners.lock`, and `not_found` as `get` */
  async delete(
    viewer: SignedIn,
    place: LabelPlace,
    id: number,
    requireCurrent: (current: OwnedLabel) => void,
  ): Promise<void> {
    await this.#change(viewer, place, async (tx, owner) => {
      const found = await requireLabel(tx, owner, id);
      requireCurrent(found);
      await deleteLabel(tx, id);
      await announce(tx, viewer, LABEL_DELETED, owner, aboutLabel(owner, found));
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
    change: (tx: Tx, owner: LabelOwner) => Promise<T>,
  ): Promise<T> {
    const owner = await this.#owners.get(viewer, place, 'change');
    return this.#database.transaction(async (tx) => {
      await this.#owners.lock(tx, viewer, owner);
      return change(tx, owner);
    });
  }
}

async function listOwned(
  db: Db,
  owner: LabelOwner,
  order: LabelOrder,
  paging: Paging,
): Promise<Page<OwnedLabel>> {
  const { items, total } = await listLabels(db, owner, order, paging);
  return { items: items.map((label) => ({ ...label, owner })), total };
}

/** @throws ForgeError `not_found` */
async function requireLabel(db: Db, owner: LabelOwner, id: number): Promise<OwnedLabel> {
  const found = await findLabel(db, owner, id);
  if (found === undefined) throw notFound('label');
  return { ...found, owner };
}

/** @throws ForgeError `invalid` */
async function requireRoom(tx: Tx, owner: LabelOwner): Promise<void> {
  const countMax = LABEL_LIMITS.labelsPerOwnerMax;
  if ((await countLabels(tx, owner)) < countMax) return;
  const what = owner.kind === 'repository' ? 'a repository' : 'an organization';
  throw invalid(`${what} has at most ${countMax} labels: delete one first`);
}

const FIELDS = ['name', 'color', 'description', 'isExclusive', 'isArchived'] as const;

function changedFields(before: LabelFields, after: LabelFields): readonly string[] {
  return FIELDS.filter((field) => before[field] !== after[field]);
}

function aboutLabel(owner: LabelOwner, { id, name }: Label) {
  const about = { labelId: id, name };
  return owner.kind === 'repository' ? about : { ...about, organizationId: owner.organization.id };
}

async function announce<Payload>(
  tx: Tx,
  viewer: SignedIn,
  kind: EventKind<Payload>,
  owner: LabelOwner,
  payload: NoInfer<Payload>,
  former?: FormerValues,
): Promise<void> {
  const repositoryId = owner.kind === 'repository' ? owner.repository.id : null;
  await insertEvent(tx, kind, {
    actorId: viewer.accountId,
    repositoryId,
    payload,
    ...(former && { former }),
  });
}
