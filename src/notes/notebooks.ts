import { reaches } from '../access/levels.ts';
import { decidePlain } from '../access/policy.ts';
import type { SignedIn } from '../access/viewer.ts';
import { CONTENTS } from '../contents/actions.ts';
import { ForgeError, forbidden } from '../core/failure.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import type { Database } from '../database/database.ts';
import type { RepositoryId } from '../git/model.ts';
import type { HeldRepository, NewRepository } from '../repositories/model.ts';
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

/** Which repository holds somebody's notes, and whether it can be read. */
export class Notebooks {
  readonly #database: Database;
  readonly #repositories: Repositories;
  readonly #index: NotebookIndex;
  /** Several first calls of one client make one notebook. */
  readonly #openings = new KeyedLock();

  constructor(dependencies: { database: Database; repositories: Repositories; index: NotebookIndex }) {
    this.#database = dependencies.database;
    this.#repositories = dependencies.repositories;
    this.#index = dependencies.index;
  }

  async settingsOf(viewer: SignedIn): Promise<NoteSettingsRow> {
    return (await findSettings(this.#database.reader, viewer.accountId)) ?? NEVER_OPENED;
  }

  /**
   * The viewer's notebook as it is now. Whoever never had one gets it.
   *
   * @returns undefined for an account that never had one, asked for with a credential that may not make it
   * @throws ForgeError `busy` for a notebook that was there and cannot be read: clients delete what a list leaves out;
   *   `forbidden` for a token that sees only what is public
   */
  async open(viewer: SignedIn, settings: NoteSettingsRow): Promise<OpenNotebook | undefined> {
    const held = await this.#find(viewer, settings);
    if (held === undefined) return undefined;
    const { repository, units } = held;
    const notebook = await this.#index.bring({ repositoryId: repository.id, folder: settings.folder });
    return {
      notebook,
      repository,
      settings,
      objectFormat: repository.objectFormat,
      isWritable: reaches(units.code, 'write') && repository.archivedAt === null && !repository.isMirror,
    };
  }

  async #find(viewer: SignedIn, settings: NoteSettingsRow): Promise<HeldRepository | undefined> {
    const known = settings.repositoryId;
    const held =
      known === null
        ? await this.#openings.run(String(viewer.accountId), () => this.#openFirst(viewer))
        : await ifThere(() => this.#repositories.getById(viewer, known, CONTENTS.read));
    if (held !== undefined || known === null) return held;
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
    requirePrivateSeen(viewer);
    if (decidePlain(viewer, NOTE.write) !== 'granted') return undefined;
    try {
      return await this.#repositories.create(viewer, { ...NEW_NOTEBOOK, name });
    } catch (error) {
      const isTaken = error instanceof ForgeError && error.failure.kind === 'conflict';
      // Another process was faster.
      const made = isTaken ? await this.#named(viewer, name) : undefined;
      if (made === undefined) throw error;
      return made;
    }
  }

  /**
   * The repository is gone. A new one of its name takes its place, once its owner has put something there: an empty one
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

/** @throws ForgeError `forbidden` */
function requirePrivateSeen(viewer: SignedIn): void {
  if (viewer.publicOnly) throw forbidden('token scope is limited to public repositories');
}
