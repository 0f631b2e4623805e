import { reaches } from '../access/levels.ts';
import { decidePlain } from '../access/policy.ts';
import { isRepositoryLimited, type SignedIn } from '../access/viewer.ts';
import { CONTENTS } from '../contents/actions.ts';
import { ForgeError, forbidden, notFound } from '../core/failure.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import type { Database } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import type { HeldRepository, NewRepository } from '../repositories/model.ts';
import type { Pushes } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { NOTE } from './actions.ts';
import { DEFAULT_SETTINGS, type NoteSettingsRow, type OpenNotebook } from './model.ts';
import { asUnreadable, type NotebookIndex, unreadable } from './notebook-index.ts';
import { findSettings, setNotebookRepository } from './store/settings.ts';

const NEW_NOTEBOOK: Omit<NewRepository, 'name'> = {
  description: 'Notes',
  isPrivate: true,
  isTemplate: false,
  defaultBranch: 'main',
  objectFormat: 'sha1',
  trustModel: 'default',
};

const NEVER_OPENED: NoteSettingsRow = { ...DEFAULT_SETTINGS, repositoryId: null, folder: '', counter: 0 };

/** A notebook as its viewer holds it; its rows may be older than its branch. */
export interface LocatedNotebook extends Omit<OpenNotebook, 'notebook' | 'settings'> {
  readonly settings: NoteSettingsRow;
}

/** Finds the repository that holds the notes of a viewer. */
export class Notebooks {
  readonly #database: Database;
  readonly #repositories: Repositories;
  readonly #pushes: Pushes;
  readonly #index: NotebookIndex;
  /** Concurrent first calls of one client create one notebook. */
  readonly #openings = new KeyedLock();

  constructor(dependencies: {
    database: Database;
    repositories: Repositories;
    pushes: Pushes;
    index: NotebookIndex;
  }) {
    this.#database = dependencies.database;
    this.#repositories = dependencies.repositories;
    this.#pushes = dependencies.pushes;
    this.#index = dependencies.index;
  }

  async settingsOf(viewer: SignedIn): Promise<NoteSettingsRow> {
    return (await findSettings(this.#database.reader, viewer.accountId)) ?? NEVER_OPENED;
  }

  /**
   * Opens the viewer's notebook as it is now.
   *
   * @returns as `locate`
   * @throws ForgeError as `locate` and `bring`
   */
  async open(viewer: SignedIn, settings: NoteSettingsRow): Promise<OpenNotebook | undefined> {
    const located = await this.locate(viewer, settings);
    return located === undefined ? undefined : this.bring(located);
  }

  /**
   * Finds the repository of the viewer's notebook and authorizes the viewer to read it. An account that never had a
   * notebook gets one.
   *
   * @returns undefined for an account that never had one, if the credential may not create it
   * @throws ForgeError `busy` for a notebook that existed and cannot be read: clients delete what a list leaves out;
   *   `not_found` for a token that is limited to other repositories, `forbidden` for one limited to public ones
   */
  async locate(viewer: SignedIn, settings: NoteSettingsRow): Promise<LocatedNotebook | undefined> {
    const held = await this.#find(viewer, settings);
    if (held === undefined) return undefined;
    const { repository, units } = held;
    const isOpen = this.#pushes.denialOf({ repository, origin: { kind: 'api' } }) === undefined;
    return { repository, settings, isWritable: isOpen && reaches(units.code, 'write') };
  }

  /**
   * Brings the rows of a notebook up to its branch.
   *
   * @throws ForgeError `busy`
   */
  async bring(located: LocatedNotebook): Promise<OpenNotebook> {
    const { folder } = located.settings;
    const notebook = await this.#index.bring({ repositoryId: located.repository.id, folder });
    return { ...located, notebook };
  }

  async #find(viewer: SignedIn, settings: NoteSettingsRow): Promise<HeldRepository | undefined> {
    const known = settings.repositoryId;
    const held =
      known === null
        ? await this.#openings.run(String(viewer.accountId), () => this.#openFirst(viewer))
        : await ifThere(() => this.#repositories.getById(viewer, known, CONTENTS.read));
    if (held !== undefined) return held;
    requireInReach(viewer);
    if (known === null) return undefined;
    requirePrivateSeen(viewer);
    return this.#adopt(viewer, settings.notesPath);
  }

  async #openFirst(viewer: SignedIn): Promise<HeldRepository | undefined> {
    const { repositoryId, notesPath } = await this.settingsOf(viewer);
    if (repositoryId !== null) {
      return asUnreadable(() => this.#repositories.getById(viewer, repositoryId, CONTENTS.read));
    }
    const held = (await this.#named(viewer, notesPath)) ?? (await this.#make(viewer, notesPath));
    if (held !== undefined) await this.#remember(viewer, held.repository.id);
    return held;
  }

  #named(viewer: SignedIn, name: string): Promise<HeldRepository | undefined> {
    const path = { owner: viewer.name, name };
    return ifThere(() => this.#repositories.get(viewer, path, CONTENTS.read));
  }

  async #make(viewer: SignedIn, name: string): Promise<HeldRepository | undefined> {
    requireInReach(viewer);
    requirePrivateSeen(viewer);
    if (decidePlain(viewer, NOTE.write) !== 'granted') return undefined;
    try {
      return await this.#repositories.create(viewer, { ...NEW_NOTEBOOK, name });
    } catch (error) {
      const isTaken = error instanceof ForgeError && error.failure.kind === 'conflict';
      // Another process has created it in between.
      const made = isTaken ? await this.#named(viewer, name) : undefined;
      if (made === undefined) throw error;
      return made;
    }
  }

  /**
   * Replaces a notebook whose repository is gone with a new repository of that name, once it has a commit: an empty one
   * would make every client delete what may be the last copies.
   */
  async #adopt(viewer: SignedIn, name: string): Promise<HeldRepository> {
    const held = await this.#named(viewer, name);
    if (held === undefined || held.repository.isEmpty) throw unreadable('its repository is gone');
    await this.#remember(viewer, held.repository.id);
    return held;
  }

  async #remember(viewer: SignedIn, repositoryId: RepositoryId): Promise<void> {
    await this.#database.transaction((tx) => setNotebookRepository(tx, viewer.accountId, repositoryId));
  }
}

async function ifThere<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ForgeError && error.failure.kind === 'not_found') return undefined;
    throw error;
  }
}

/**
 * A credential for named repositories does not learn whether there are notes in another one.
 *
 * @throws ForgeError `not_found`
 */
function requireInReach(viewer: SignedIn): void {
  if (isRepositoryLimited(viewer)) throw notFound('notebook');
}

/** @throws ForgeError `forbidden` */
function requirePrivateSeen(viewer: SignedIn): void {
  if (viewer.publicOnly) throw forbidden('token scope is limited to public repositories');
}
