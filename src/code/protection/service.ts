import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import { type Page, type Paging, pagingOf } from '../../base/core/paging.ts';
import { isStorableText } from '../../base/core/text/text.ts';
import { type Database, type Db, isUniqueViolation, type Tx } from '../../base/database/database.ts';
import { rethrowGone } from '../../base/database/gone.ts';
import { formerValues } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../hosting/repositories/refs/push-rules.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { PROTECTION } from './actions.ts';
import { Comparisons } from './comparisons.ts';
import { PROTECTION_CHANGED, PROTECTION_CREATED, PROTECTION_DELETED } from './events.ts';
import { tagDenial } from './examine.ts';
import { PROTECTION_LIMITS } from './limits.ts';
import { findLists } from './lists.ts';
import {
  changedFields,
  fieldsAfter,
  flatFields,
  type ListedProtection,
  NEW_FIELDS,
  type ProtectedKind,
  type Protection,
  type ProtectionEdit,
  type ProtectionFields,
  type ProtectionForViewer,
} from './model.ts';
import { FilePatterns, isGlob, PatternRules, requirePattern } from './patterns.ts';
import { listNames, replaceLists } from './store/lists.ts';
import {
  countProtections,
  deleteProtection,
  findProtection,
  insertProtection,
  listForViewer,
  listProtections,
  type ProtectionKey,
  setProtection,
} from './store/protections.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** Reads and changes the protections of branches and tags. `examine.ts` enforces them. */
export class Protections {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    kind: ProtectedKind,
    paging: Paging,
  ): Promise<Page<ListedProtection>> {
    const { repository } = await this.#use.repositories.get(viewer, path, PROTECTION.read);
    return this.#page(this.#use.database.reader, repository.id, kind, paging);
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` for a missing protection */
  async get(viewer: Viewer, path: RepositoryPath, key: ProtectionKey): Promise<ListedProtection> {
    const { repository } = await this.#use.repositories.get(viewer, path, PROTECTION.read);
    const found = isPossible(key)
      ? await findProtection(this.#use.database.reader, repository.id, key)
      : undefined;
    if (found === undefined) throw notFound('protection');
    return this.#read(found);
  }

  /**
   * @param requireCurrent throws if the caller does not accept the list as it is
   * @throws ForgeError as `Repositories.get`; `archived`; `already_exists` for a pattern in use; `invalid`
   */
  async create(
    viewer: SignedIn,
    path: RepositoryPath,
    kind: ProtectedKind,
    edit: ProtectionEdit & { readonly pattern: string },
    requireCurrent?: (firstPage: Page<ListedProtection>) => void,
  ): Promise<ListedProtection> {
    const { repository } = await this.#use.repositories.get(viewer, path, PROTECTION.change);
    requireNotArchived(repository);
    const { pattern } = edit;
    const fields = fieldsAfter({ ...NEW_FIELDS[kind], pattern }, edit);
    requireFields(fields);
    const lists = await findLists(this.#use.database.reader, viewer, repository, edit);
    const created = await this.#change(viewer, repository.id, async (tx) => {
      requireCurrent?.(await this.#firstPage(tx, repository.id, kind));
      if ((await countProtections(tx, repository.id)) >= PROTECTION_LIMITS.protectionsPerRepositoryMax)
        throw tooMany();
      const protection = await insertProtection(tx, repository.id, kind, fields);
      await replaceLists(tx, protection.id, lists);
      const about = { actorId: viewer.accountId, repositoryId: repository.id };
      await insertEvent(tx, PROTECTION_CREATED, {
        ...about,
        payload: { protects: kind, pattern },
        audit: { new: { ...flatFields(protection), lists: edit.lists } },
      });
      return protection;
    });
    return this.#read(created);
  }

  /**
   * @param requireCurrent throws if the caller does not accept the protection as it is
   * @throws ForgeError as `create`, and `not_found` for a missing protection
   */
  async edit(
    viewer: SignedIn,
    path: RepositoryPath,
    key: ProtectionKey,
    edit: ProtectionEdit,
    requireCurrent: (current: ListedProtection) => void,
  ): Promise<ListedProtection> {
    const { repository } = await this.#use.repositories.get(viewer, path, PROTECTION.change);
    requireNotArchived(repository);
    const lists = await findLists(this.#use.database.reader, viewer, repository, edit);
    const changed = await this.#change(viewer, repository.id, async (tx) => {
      const before = await this.#require(tx, repository.id, key);
      const current = await this.#read(before, tx);
      requireCurrent(current);
      const fields = fieldsAfter(before, edit);
      requireFields(fields);
      const after = await setProtection(tx, before.id, fields);
      await replaceLists(tx, before.id, lists);
      const changed = changedFields(before, after);
      const withLists = Object.keys(edit.lists).length === 0 ? changed : [...changed, 'lists'];
      const change = { after, changed: withLists, lists: { former: current.lists, new: edit.lists } };
      await announceChange(tx, viewer, before, change);
      return after;
    });
    return this.#read(changed);
  }

  /** @throws ForgeError as `Repositories.get`; `archived`; `not_found` for a missing protection */
  async delete(
    viewer: SignedIn,
    path: RepositoryPath,
    key: ProtectionKey,
    requireCurrent: (current: ListedProtection) => void,
  ): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, PROTECTION.change);
    await this.#change(viewer, repository.id, async (tx) => {
      const found = await this.#require(tx, repository.id, key);
      requireCurrent(await this.#read(found, tx));
      const { id, kind, pattern } = found;
      await deleteProtection(tx, id);
      const about = { actorId: viewer.accountId, repositoryId: repository.id };
      await insertEvent(tx, PROTECTION_DELETED, { ...about, payload: { protects: kind, pattern } });
    });
  }

  /** Returns the branch protections of a repository that was looked up for the viewer. */
  async ofBranches(viewer: Viewer, id: RepositoryId): Promise<PatternRules<ProtectionForViewer>> {
    return new PatternRules(await listForViewer(this.#use.database.reader, viewer, id, 'branch'));
  }

  /**
   * Finds the protection of a branch.
   *
   * @throws ForgeError `invalid` if its name takes too long to compare with the patterns
   */
  async ofBranch(
    db: Db,
    viewer: Viewer,
    id: RepositoryId,
    branch: string,
  ): Promise<ProtectionForViewer | undefined> {
    const rules = new PatternRules(await listForViewer(db, viewer, id, 'branch'));
    return new Comparisons().run((budget) => rules.firstMatch(branch, budget));
  }

  /**
   * Requires that the viewer may create, move or delete a tag.
   *
   * @throws ForgeError `forbidden`, with the reason `protected`; `invalid` if its name takes too long to compare with the
   *   patterns
   */
  async requireMayChangeTag(db: Db, viewer: Viewer, id: RepositoryId, tag: string): Promise<void> {
    const rules = await listForViewer(db, viewer, id, 'tag');
    if (rules.length === 0) return;
    const patterns = new PatternRules(rules);
    const denial = tagDenial(
      tag,
      new Comparisons().run((budget) => patterns.allMatches(tag, budget)),
    );
    if (denial !== undefined) throw denial;
  }

  /**
   * Moves the protection with the name of a branch to the new name of the branch, in the transaction that renames it.
   *
   * @returns the protection before the change; undefined if there is none
   * @throws ForgeError `invalid` if the new name has a protection already
   */
  async followRename(
    tx: Tx,
    id: RepositoryId,
    { from, to }: { from: string; to: string },
  ): Promise<Protection | undefined> {
    const found = await findProtection(tx, id, { kind: 'branch', pattern: from });
    if (found === undefined || isGlob(from)) return undefined;
    requirePattern(to);
    if (isGlob(to) || (await findProtection(tx, id, { kind: 'branch', pattern: to })) !== undefined) {
      throw invalid(`the name ${to} has a protection already: delete it first`);
    }
    await setProtection(tx, found.id, { ...found, pattern: to });
    return found;
  }

  async #change<T>(viewer: Viewer, id: RepositoryId, change: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await this.#use.database.transaction(async (tx) => {
        // The lock of the repository orders this change and pushes.
        const { repository } = await this.#use.repositories.lock(tx, viewer, id, PROTECTION.change);
        requireNotArchived(repository);
        return change(tx);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) return rethrowGone('account or team')(error);
      throw new ForgeError({ kind: 'already_exists', what: 'this protection already exists' });
    }
  }

  async #require(tx: Tx, id: RepositoryId, key: ProtectionKey): Promise<Protection> {
    const found = isPossible(key) ? await findProtection(tx, id, key) : undefined;
    if (found === undefined) throw notFound('protection');
    return found;
  }

  #firstPage(tx: Tx, id: RepositoryId, kind: ProtectedKind): Promise<Page<ListedProtection>> {
    return this.#page(tx, id, kind, pagingOf({}));
  }

  async #page(
    db: Db,
    id: RepositoryId,
    kind: ProtectedKind,
    paging: Paging,
  ): Promise<Page<ListedProtection>> {
    const { items, total } = await listProtections(db, id, kind, paging);
    return { items: await this.#withLists(db, items), total };
  }

  async #read(protection: Protection, db: Db = this.#use.database.reader): Promise<ListedProtection> {
    const [listed] = await this.#withLists(db, [protection]);
    if (listed === undefined) throw notFound('protection');
    return listed;
  }

  async #withLists(db: Db, protections: readonly Protection[]): Promise<readonly ListedProtection[]> {
    const ids = protections.map(({ id }) => id);
    const names = await listNames(db, ids);
    return protections.flatMap((protection) => {
      const lists = names.get(protection.id);
      return lists === undefined ? [] : [{ ...protection, lists }];
    });
  }
}

/** Whether the database can compare the key with stored ones. */
function isPossible(key: ProtectionKey): boolean {
  return key.kind === 'tag' || isStorableText(key.pattern);
}

/** @throws ForgeError `invalid` */
function requireFields({ pattern, protectedFiles, unprotectedFiles }: ProtectionFields): void {
  requirePattern(pattern);
  for (const text of [protectedFiles, unprotectedFiles]) void new FilePatterns(text);
}

/** A change of a protection, for its event. */
interface ProtectionChange {
  readonly after: Protection;
  /** names of fields, and `lists` */
  readonly changed: readonly string[];
  /** absent: no list has changed */
  readonly lists?: { readonly former: ListedProtection['lists']; readonly new: ProtectionEdit['lists'] };
}

/** Records that a protection has another pattern or other settings. */
export async function announceChange(
  tx: Tx,
  viewer: Viewer,
  before: Protection,
  { after, changed, lists }: ProtectionChange,
): Promise<void> {
  await insertEvent(tx, PROTECTION_CHANGED, {
    actorId: viewer.accountId,
    repositoryId: before.repositoryId,
    payload: { protects: before.kind, from: before.pattern, pattern: after.pattern, changed },
    former: formerValues(flatFields(before), changed),
    audit: {
      former: formerValues({ ...flatFields(before), lists: lists?.former }, changed),
      new: formerValues({ ...flatFields(after), lists: lists?.new }, changed),
    },
  });
}

function tooMany(): ForgeError {
  return invalid(`a repository has at most ${PROTECTION_LIMITS.protectionsPerRepositoryMax} protections`);
}
