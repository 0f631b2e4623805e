import type { RepositoryAction } from '../../../api/access/actions.ts';
import { overridesRights, type SignedIn, type Viewer } from '../../../api/access/viewer.ts';
import { forbidden, invalid, notFound } from '../../../base/core/failure.ts';
import { Signal } from '../../../base/core/signal.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import { formerValues } from '../../../base/events/model.ts';
import { insertEvent, insertEvents } from '../../../base/events/store.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { RepositoryId } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { Addresses } from '../../../http/app.ts';
import { lockVisibility } from '../../../people/accounts/locks.ts';
import { REPOSITORY } from '../actions.ts';
import { requirePermitted } from '../authorize.ts';
import { REPOSITORY_CHANGED, REPOSITORY_VISIBILITY_CHANGED } from '../events.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../model.ts';
import type { SiteRules } from '../site-rules.ts';
import { type ForkScope, mustForkBePrivate, setForksPrivate } from '../store/fork-visibility.ts';
import { lockWriteState } from '../store/push-state.ts';
import { findRepositoryById } from '../store/records.ts';
import { type Settings, setMirrorInterval, setPrivate, setSettings } from '../store/settings.ts';
import { ExternalUrls } from './external-urls.ts';
import { renameInTransaction } from './rename.ts';
import { type UnitsChange, unitsAfter } from './unit-changes.ts';

/** A change of a repository. Undefined fields stay unchanged. */
export interface RepositoryChange {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly website: string | undefined;
  readonly isPrivate: boolean | undefined;
  readonly isTemplate: boolean | undefined;
  readonly defaultBranch: string | undefined;
  readonly isArchived: boolean | undefined;
  /** undefined: no change */
  readonly mirror: MirrorChange | undefined;
  readonly units: UnitsChange;
}

/** A change of the settings of a mirror. Undefined fields stay unchanged. */
export interface MirrorChange {
  /** 0: updates on request only */
  readonly intervalMs: number | undefined;
  /** whether refs go that the source no longer has */
  readonly prunes: boolean | undefined;
}

/** Repositories that become private or public. */
export interface VisibilityChange {
  /** at most `REPOSITORY_LIMITS.repositoriesChangedAtOnceMax` */
  readonly repositoryIds: readonly RepositoryId[];
  readonly isPrivate: boolean;
  readonly actorId: number | null;
}

/** One edit. */
interface Edit {
  readonly viewer: SignedIn;
  /** before the edit */
  readonly repository: Repository;
  readonly change: RepositoryChange;
  /** ms */
  readonly at: number;
}

type Get = (viewer: Viewer, path: RepositoryPath, action: RepositoryAction) => Promise<PermittedRepository>;

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly siteRules: SiteRules;
  readonly addresses: Addresses;
  readonly get: Get;
}

/** Changes the settings of repositories. An edit takes effect completely or not at all. */
export class RepositorySettings {
  /** also for forks that become private with another change */
  readonly visibilityChanged = new Signal<[tx: Tx, change: VisibilityChange]>();
  readonly mirrorChanged = new Signal<[tx: Tx, id: RepositoryId, change: MirrorChange]>();
  readonly defaultBranchChanged = new Signal<[tx: Tx, id: RepositoryId]>();
  readonly #use: Dependencies;
  readonly #externalUrls: ExternalUrls;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#externalUrls = new ExternalUrls(dependencies.addresses);
  }

  /** @throws ForgeError as `Repositories.get`, and `invalid`, `forbidden` for what the viewer may not choose */
  async edit(viewer: SignedIn, path: RepositoryPath, change: RepositoryChange): Promise<PermittedRepository> {
    const { repository } = await this.#use.get(viewer, path, REPOSITORY.edit);
    await this.#use.database.transaction((tx) => this.#change(tx, viewer, repository, change));
    const edited = await findRepositoryById(this.#use.database.reader, viewer, repository.id);
    if (edited === undefined) throw notFound('repository');
    return edited;
  }

  /** @param found the repository before the transaction */
  async #change(tx: Tx, viewer: SignedIn, found: Repository, change: RepositoryChange): Promise<void> {
    const { id } = found;
    if (change.isPrivate !== undefined) await lockVisibility(tx, 'to change it');
    // Locks refs before the row, as a push does.
    const isHeadSwitched = await this.#switchHead(tx, id, change.defaultBranch);
    // A branch that the wiki lacks is made by the next change of a page, from the branch before.
    if (found.wikiId !== null) await this.#switchHead(tx, found.wikiId, change.units.wiki.branch);
    if ((await lockWriteState(tx, id)) === undefined) throw notFound('repository');
    const permitted = await findRepositoryById(tx, viewer, id);
    const { repository } = requirePermitted(viewer, permitted, REPOSITORY.edit);
    const edit = { viewer, repository, change, at: currentTimeMs() };
    if (change.name !== undefined)
      await renameInTransaction(tx, repository, { to: change.name, actorId: viewer.accountId });
    const isVisibilityChanged = await this.#changeVisibility(tx, edit, await privacyAfter(tx, edit));
    const isMirrorChanged = await this.#changeMirror(tx, edit);
    const settings = this.#settingsAfter(edit);
    const changed = [
      ...(isVisibilityChanged ? ['isPrivate'] : []),
      ...(isHeadSwitched ? ['defaultBranch'] : []),
      ...(isMirrorChanged ? ['mirror'] : []),
      ...differing(repository, settings),
    ];
    if (changed.length === 0) return;
    if (isHeadSwitched) await this.defaultBranchChanged.notify(tx, id);
    await setSettings(tx, id, { ...settings, at: edit.at });
    const about = { actorId: viewer.accountId, repositoryId: id };
    const former = formerValues({ ...repository, ...repository.units }, changed);
    const audit = { new: formerValues(settings, changed) };
    await insertEvent(tx, REPOSITORY_CHANGED, { ...about, payload: { changed }, former, audit });
  }

  /** @throws ForgeError `invalid` for a repository that is not a mirror */
  async #changeMirror(tx: Tx, { repository, change }: Edit): Promise<boolean> {
    const { mirror } = change;
    if (mirror === undefined) return false;
    const field = mirror.prunes === undefined ? 'MirrorInterval' : 'EnablePrune';
    if (!repository.isMirror) throw invalid(`[${field}]: this repository is not a pull mirror`);
    if (mirror.intervalMs !== undefined) await setMirrorInterval(tx, repository.id, mirror.intervalMs);
    await this.mirrorChanged.notify(tx, repository.id, mirror);
    return true;
  }

  async #switchHead(tx: Tx, id: RepositoryId, branch: string | undefined): Promise<boolean> {
    return branch !== undefined && this.#use.git.refs.switchHead(id, branchRef(branch), tx);
  }

  /** @returns whether the visibility of the repository itself changed */
  async #changeVisibility(tx: Tx, edit: Edit, wanted: boolean | undefined): Promise<boolean> {
    const { viewer, repository, at } = edit;
    if (wanted === undefined || wanted === repository.isPrivate) return false;
    this.#requireChoice(viewer, wanted);
    const { id: repositoryId } = repository;
    const actorId = viewer.accountId;
    await setPrivate(tx, repositoryId, { isPrivate: wanted, at });
    await this.#announceVisibility(tx, { repositoryIds: [repositoryId], isPrivate: wanted, actorId });
    await this.tightenForks(tx, { repositoryId }, { actorId });
    return true;
  }

  /**
   * Makes the forks private that more users would see than their parents, after a change of the visibility or the owner
   * of a repository, or of the visibility of an account. The transaction must hold `lockVisibility`.
   */
  async tightenForks(tx: Tx, scope: ForkScope, { actorId }: { actorId: number | null }): Promise<void> {
    const ids = await setForksPrivate(tx, scope, { at: currentTimeMs() });
    const atOnceMax = REPOSITORY_LIMITS.repositoriesChangedAtOnceMax;
    for (let from = 0; from < ids.length; from += atOnceMax) {
      const repositoryIds = ids.slice(from, from + atOnceMax);
      await this.#announceVisibility(tx, { repositoryIds, isPrivate: true, actorId });
    }
  }

  async #announceVisibility(tx: Tx, change: VisibilityChange): Promise<void> {
    await this.visibilityChanged.notify(tx, change);
    const { repositoryIds, actorId, isPrivate } = change;
    const [from, to] = isPrivate ? (['public', 'private'] as const) : (['private', 'public'] as const);
    const events = repositoryIds.map((repositoryId) => ({ repositoryId, actorId, payload: { from, to } }));
    await insertEvents(tx, REPOSITORY_VISIBILITY_CHANGED, events);
  }

  /** @throws ForgeError `invalid`, `forbidden` */
  #requireChoice(viewer: SignedIn, isPrivate: boolean): void {
    if (isPrivate && viewer.publicOnly) throw forbidden('token scope is limited to public repositories');
    if (isPrivate || !this.#use.siteRules.forcesPrivate || overridesRights(viewer)) return;
    throw invalid('[Private]: only site administrators may make a repository public');
  }

  /** @throws ForgeError `invalid` */
  #settingsAfter({ repository, change, at }: Edit): Settings {
    const { disabledUnits: disabled } = this.#use.siteRules;
    return {
      description: change.description ?? repository.description,
      website: change.website ?? repository.website,
      isTemplate: change.isTemplate ?? repository.isTemplate,
      units: unitsAfter(repository.units, change.units, { disabled, externalUrls: this.#externalUrls }),
      archivedAt: archivedAtAfter(repository, change.isArchived, at),
    };
  }
}

/**
 * Returns the requested privacy; undefined for no change. A fork gets that of its parent instead, or becomes private.
 */
async function privacyAfter(tx: Tx, { repository, change }: Edit): Promise<boolean | undefined> {
  const { parentId, owner } = repository;
  if (change.isPrivate === undefined || parentId === null) return change.isPrivate;
  return (await mustForkBePrivate(tx, { parentId, ownerId: owner.id })) ?? change.isPrivate;
}

/** @throws ForgeError `invalid` for a mirror */
function archivedAtAfter(
  { isMirror, archivedAt }: Repository,
  isArchived: boolean | undefined,
  at: number,
): number | null {
  if (isArchived === undefined) return archivedAt;
  if (isMirror) throw invalid('[Archived]: a mirror cannot be archived or unarchived');
  return isArchived ? (archivedAt ?? at) : null;
}

/** Returns the names of the changed fields. */
function differing(before: Repository, { units, ...after }: Settings): readonly string[] {
  const names = (Object.keys(after) as (keyof typeof after)[]).filter((name) => after[name] !== before[name]);
  const ofUnits = (Object.keys(units) as (keyof typeof units)[]).filter(
    (name) => JSON.stringify(units[name]) !== JSON.stringify(before.units[name]),
  );
  return [...names, ...ofUnits];
}
