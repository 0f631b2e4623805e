import type { RepositoryAction } from '../../access/actions.ts';
import { overridesRights, type SignedIn, type Viewer } from '../../access/viewer.ts';
import { forbidden, invalid, notFound } from '../../core/failure.ts';
import { Signal } from '../../core/signal.ts';
import type { Database, Tx } from '../../database/database.ts';
import { insertEvent } from '../../events/store.ts';
import type { GitStorage, RepositoryId } from '../../git/model.ts';
import type { Addresses } from '../../http/app.ts';
import { REPOSITORY } from '../actions.ts';
import { requireHeld } from '../authorize.ts';
import { REPOSITORY_CHANGED, REPOSITORY_VISIBILITY_CHANGED } from '../events.ts';
import type { HeldRepository, Repository, RepositoryPath } from '../model.ts';
import type { SiteRules } from '../site-rules.ts';
import { lockWriteState } from '../store/push-state.ts';
import { findRepositoryById } from '../store/records.ts';
import {
  lockParentVisibility,
  type ParentVisibility,
  type Settings,
  setSettings,
  setVisibility,
} from '../store/settings.ts';
import { wouldBeSeenByMore } from '../visibility.ts';
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
  readonly units: UnitsChange;
}

export interface VisibilityChange {
  readonly repositoryId: RepositoryId;
  readonly isPrivate: boolean;
  readonly actorId: number;
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

type Get = (viewer: Viewer, path: RepositoryPath, action: RepositoryAction) => Promise<HeldRepository>;

/** Changes the settings of repositories. An edit takes effect completely or not at all. */
export class RepositorySettings {
  /** for each repository that becomes private or public, including the forks of an edited one */
  readonly visibilityChanged = new Signal<[tx: Tx, change: VisibilityChange]>();
  readonly defaultBranchChanged = new Signal<[tx: Tx, id: RepositoryId]>();
  readonly #database: Database;
  readonly #git: GitStorage;
  readonly #siteRules: SiteRules;
  readonly #externalUrls: ExternalUrls;
  readonly #get: Get;

  constructor(dependencies: {
    database: Database;
    git: GitStorage;
    siteRules: SiteRules;
    addresses: Addresses;
    get: Get;
  }) {
    this.#database = dependencies.database;
    this.#git = dependencies.git;
    this.#siteRules = dependencies.siteRules;
    this.#externalUrls = new ExternalUrls(dependencies.addresses);
    this.#get = dependencies.get;
  }

  /** @throws ForgeError as `Repositories.get`, and `invalid`, `forbidden` for what the viewer may not choose */
  async edit(viewer: SignedIn, path: RepositoryPath, change: RepositoryChange): Promise<HeldRepository> {
    const { repository } = await this.#get(viewer, path, REPOSITORY.edit);
    await this.#database.transaction((tx) => this.#change(tx, viewer, repository, change));
    const edited = await findRepositoryById(this.#database.reader, viewer, repository.id);
    if (edited === undefined) throw notFound('repository');
    return edited;
  }

  /** @param found the repository before the transaction */
  async #change(tx: Tx, viewer: SignedIn, found: Repository, change: RepositoryChange): Promise<void> {
    const { id, parentId } = found;
    // Locks a parent before its forks, and refs before the row, as a push does.
    const parent =
      change.isPrivate === undefined || parentId === null
        ? undefined
        : await lockParentVisibility(tx, parentId);
    const isHeadSwitched = await this.#switchHead(tx, id, change.defaultBranch);
    if ((await lockWriteState(tx, id)) === undefined) throw notFound('repository');
    const held = await findRepositoryById(tx, viewer, id);
    const { repository } = requireHeld(viewer, held, REPOSITORY.edit);
    const edit = { viewer, repository, change, at: Date.now() };
    if (change.name !== undefined)
      await renameInTransaction(tx, repository, { to: change.name, actorId: viewer.accountId });
    const isPrivate = parent === undefined ? change.isPrivate : isForkPrivate(parent, repository);
    const isVisibilityChanged = await this.#changeVisibility(tx, edit, isPrivate);
    const settings = this.#settingsAfter(edit);
    const changed = [
      ...(isVisibilityChanged ? ['isPrivate'] : []),
      ...(isHeadSwitched ? ['defaultBranch'] : []),
      ...differing(repository, settings),
    ];
    if (changed.length === 0) return;
    if (isHeadSwitched) await this.defaultBranchChanged.notify(tx, id);
    await setSettings(tx, id, { ...settings, at: edit.at });
    const about = { actorId: viewer.accountId, repositoryId: id };
    await insertEvent(tx, REPOSITORY_CHANGED, { ...about, payload: { changed } });
  }

  async #switchHead(tx: Tx, id: RepositoryId, branch: string | undefined): Promise<boolean> {
    return branch !== undefined && this.#git.switchHead(id, `refs/heads/${branch}`, tx);
  }

  /** @returns whether the visibility of the repository itself changed */
  async #changeVisibility(tx: Tx, edit: Edit, wanted: boolean | undefined): Promise<boolean> {
    const { viewer, repository, at } = edit;
    if (wanted === undefined || wanted === repository.isPrivate) return false;
    this.#requireChoice(viewer, wanted);
    for (const repositoryId of await setVisibility(tx, repository.id, { isPrivate: wanted, at })) {
      const about = { repositoryId, actorId: viewer.accountId };
      await this.visibilityChanged.notify(tx, { ...about, isPrivate: wanted });
      const [from, to] = wanted ? (['public', 'private'] as const) : (['private', 'public'] as const);
      await insertEvent(tx, REPOSITORY_VISIBILITY_CHANGED, { ...about, payload: { from, to } });
    }
    return true;
  }

  /** @throws ForgeError `invalid`, `forbidden` */
  #requireChoice(viewer: SignedIn, isPrivate: boolean): void {
    if (isPrivate && viewer.publicOnly) throw forbidden('token scope is limited to public repositories');
    if (isPrivate || !this.#siteRules.forcesPrivate || overridesRights(viewer)) return;
    throw invalid('[Private]: only site administrators may make a repository public');
  }

  /** @throws ForgeError `invalid` */
  #settingsAfter({ repository, change, at }: Edit): Settings {
    const { disabledUnits: disabled } = this.#siteRules;
    return {
      description: change.description ?? repository.description,
      website: change.website ?? repository.website,
      isTemplate: change.isTemplate ?? repository.isTemplate,
      units: unitsAfter(repository.units, change.units, { disabled, externalUrls: this.#externalUrls }),
      archivedAt: archivedAtAfter(repository, change.isArchived, at),
    };
  }
}

/** Whether a fork is private: like its parent, and never visible to more users. */
function isForkPrivate(parent: ParentVisibility, { owner }: Repository): boolean {
  return parent.isPrivate || wouldBeSeenByMore(parent.owner, owner);
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
