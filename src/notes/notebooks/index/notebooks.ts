import { reaches } from '../../../api/access/levels.ts';
import { decidePlain } from '../../../api/access/policy.ts';
import { isRepositoryLimited, type SignedIn } from '../../../api/access/viewer.ts';
import { forbidden, isFailure, notFound, undefinedIf } from '../../../base/core/failure.ts';
import { KeyedLock } from '../../../base/core/fairness/keyed-lock.ts';
import type { Database } from '../../../base/database/database.ts';
import { CONTENTS } from '../../../code/contents/actions.ts';
import type { NewRepository, PermittedRepository } from '../../../hosting/repositories/model.ts';
import type { Pushes } from '../../../hosting/repositories/refs/pushes.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { NOTE } from '../actions.ts';
import {
  DEFAULT_SETTINGS,
  NOTES_REPOSITORY,
  type NotebookLocation,
  type NoteSettings,
  type NoteSettingsRow,
  type OpenNotebook,
  type SettingsChange,
} from '../model.ts';
import { folderInNotes, placeOf } from '../settings.ts';
import { findSettings, setNotebookLocation, setSettings } from '../store/settings.ts';
import { asUnreadable, type NotebookIndex, unreadable } from './notebook-index.ts';

const NEW_NOTEBOOK: Omit<NewRepository, 'name'> = {
  description: 'Notes',
  isPrivate: true,
  isTemplate: false,
  defaultBranch: 'main',
  objectFormat: 'sha1',
  trustModel: 'default',
};

const NEVER_OPENED: NoteSettingsRow = { ...DEFAULT_SETTINGS, repositoryId: null, folder: '', counter: 0 };

/** A notebook that was looked up and authorized for a viewer. Its rows may be older than its branch. */
interface LocatedNotebook extends Omit<OpenNotebook, 'notebook' | 'settings'> {
  readonly settings: NoteSettingsRow;
  /** in the repository */
  readonly folder: string;
}

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly index: NotebookIndex;
}

/** Finds the repository that holds the notes of a viewer. */
export class Notebooks {
  readonly #use: Dependencies;
  /** Concurrent first calls of one client create one notebook. */
  readonly #openings = new KeyedLock();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  async settingsOf(viewer: SignedIn): Promise<NoteSettingsRow> {
    return (await findSettings(this.#use.database.reader, viewer.accountId)) ?? NEVER_OPENED;
  }

  /**
   * Opens the viewer's notebook as it is now.
   *
   * @returns as `locate`
   * @throws ForgeError as `locate` and `catchUp`
   */
  async open(viewer: SignedIn, settings: NoteSettingsRow): Promise<OpenNotebook | undefined> {
    const located = await this.locate(viewer, settings);
    return located === undefined ? undefined : this.catchUp(located);
  }

  /**
   * Finds the repository of the viewer's notebook and authorizes the viewer to read it. Creates a notebook for an
   * account that never had one.
   *
   * @returns undefined for an account that never had one, if the credential may not create it
   * @throws ForgeError `busy` for a notebook that existed and cannot be read, because clients delete notes that a list
   *   leaves out; `not_found` for a token that is limited to other repositories, `forbidden` for a token that is
   *   limited to public ones
   */
  async locate(viewer: SignedIn, settings: NoteSettingsRow): Promise<LocatedNotebook | undefined> {
    const place = await this.#find(viewer, settings);
    if (place === undefined) return undefined;
    const { permitted, folder } = place;
    const { repository, units } = permitted;
    const isOpen = this.#use.pushes.denialOf({ repository, origin: { kind: 'api' } }) === undefined;
    return { repository, folder, settings, isWritable: isOpen && reaches(units.code, 'write') };
  }

  /**
   * Updates the rows of a notebook to its branch.
   *
   * @throws ForgeError `busy`
   */
  async catchUp(located: LocatedNotebook): Promise<OpenNotebook> {
    const { repository, folder, settings } = located;
    const location = { repositoryId: repository.id, folder };
    const notebook = await this.#use.index.catchUp(location, { suffix: settings.fileSuffix });
    return { ...located, notebook };
  }

  /**
   * Changes the settings of the viewer. A new path is looked up now, so that a mistake does not hide the notes.
   *
   * @throws ForgeError `not_found` for a shared repository that is missing or hidden, `invalid`; `forbidden` for a
   *   token for notes only
   */
  async change(viewer: SignedIn, change: SettingsChange): Promise<NoteSettings> {
    const before = await this.settingsOf(viewer);
    const after = { ...before, ...change };
    const isMove = after.notesPath !== before.notesPath;
    if (isMove) requireMayMove(viewer);
    const place = isMove ? await this.#resolve(viewer, after.notesPath) : undefined;
    const location = isMove ? (place === undefined ? null : locationOf(place)) : undefined;
    await this.#use.database.transaction((tx) => setSettings(tx, viewer.accountId, after, location));
    return this.settingsOf(viewer);
  }

  async #find(viewer: SignedIn, settings: NoteSettingsRow): Promise<PermittedPlace | undefined> {
    const { repositoryId, folder } = settings;
    const permitted =
      repositoryId === null
        ? await this.#openings.run(String(viewer.accountId), () => this.#openFirst(viewer))
        : await this.#byId(viewer, { repositoryId, folder });
    if (permitted !== undefined) return permitted;
    requireAllRepositories(viewer);
    if (repositoryId === null) return undefined;
    requirePrivateSeen(viewer);
    return this.#adopt(viewer, settings.notesPath);
  }

  async #byId(
    viewer: SignedIn,
    { repositoryId, folder }: NotebookLocation,
  ): Promise<PermittedPlace | undefined> {
    const permitted = await this.#use.repositories
      .getById(viewer, repositoryId, CONTENTS.read)
      .catch(undefinedIf('not_found'));
    return permitted && { permitted, folder };
  }

  async #openFirst(viewer: SignedIn): Promise<PermittedPlace | undefined> {
    const { repositoryId, folder, notesPath } = await this.settingsOf(viewer);
    if (repositoryId !== null) {
      const permitted = await asUnreadable(() =>
        this.#use.repositories.getById(viewer, repositoryId, CONTENTS.read),
      );
      return { permitted, folder };
    }
    const place = (await this.#resolve(viewer, notesPath)) ?? (await this.#make(viewer, notesPath));
    if (place !== undefined) await this.#remember(viewer, place);
    return place;
  }

  /**
   * Finds the repository and folder that a path of notes names.
   *
   * @returns undefined if the path leads to the repository `Notes`, which the viewer does not have yet
   * @throws ForgeError `not_found` for a shared repository
   */
  async #resolve(viewer: SignedIn, notesPath: string): Promise<PermittedPlace | undefined> {
    const place = placeOf(notesPath);
    if (place.kind === 'shared') {
      const { owner, name, folder } = place;
      return { permitted: await this.#use.repositories.get(viewer, { owner, name }, CONTENTS.read), folder };
    }
    const named = place.name === '' ? undefined : await this.#named(viewer, place.name);
    if (named !== undefined) return { permitted: named, folder: place.folder };
    const notes = await this.#named(viewer, NOTES_REPOSITORY);
    return notes && { permitted: notes, folder: folderInNotes(place) };
  }

  #named(viewer: SignedIn, name: string): Promise<PermittedRepository | undefined> {
    const path = { owner: viewer.name, name };
    return this.#use.repositories.get(viewer, path, CONTENTS.read).catch(undefinedIf('not_found'));
  }

  async #make(viewer: SignedIn, notesPath: string): Promise<PermittedPlace | undefined> {
    requireAllRepositories(viewer);
    requirePrivateSeen(viewer);
    if (decidePlain(viewer, NOTE.write) !== 'granted') return undefined;
    try {
      await this.#use.repositories.create(viewer, { ...NEW_NOTEBOOK, name: NOTES_REPOSITORY });
    } catch (error) {
      const isTaken = isFailure(error, 'conflict');
      // Another process has created it at the same time.
      if (!isTaken) throw error;
    }
    return this.#resolve(viewer, notesPath);
  }

  /**
   * If the repository of a notebook was deleted, uses a new repository of that name, once it has a commit. With an
   * empty repository, every client would delete what may be the last copies.
   */
  async #adopt(viewer: SignedIn, notesPath: string): Promise<PermittedPlace> {
    const place = await asUnreadable(() => this.#resolve(viewer, notesPath));
    if (place === undefined || place.permitted.repository.isEmpty) throw unreadable('its repository is gone');
    await this.#remember(viewer, place);
    return place;
  }

  async #remember(viewer: SignedIn, place: PermittedPlace): Promise<void> {
    const location = locationOf(place);
    await this.#use.database.transaction((tx) => setNotebookLocation(tx, viewer.accountId, location));
  }
}

/** A repository that was looked up for the viewer, and the folder with the notes. */
interface PermittedPlace {
  readonly permitted: PermittedRepository;
  readonly folder: string;
}

function locationOf({ permitted, folder }: PermittedPlace): NotebookLocation {
  return { repositoryId: permitted.repository.id, folder };
}

/**
 * A token that is limited to named repositories must not learn whether there are notes in another one.
 *
 * @throws ForgeError `not_found`
 */
function requireAllRepositories(viewer: SignedIn): void {
  if (isRepositoryLimited(viewer)) throw notFound('notebook');
}

/**
 * Rejects tokens for notes only, which could reach other repositories if they chose the notebook.
 *
 * @throws ForgeError `not_found`, `forbidden`
 */
function requireMayMove(viewer: SignedIn): void {
  requireAllRepositories(viewer);
  if (viewer.notesOnly) throw forbidden('a token for notes only does not choose where the notes are');
}

/** @throws ForgeError `forbidden` */
function requirePrivateSeen(viewer: SignedIn): void {
  if (viewer.publicOnly) throw forbidden('token scope is limited to public repositories');
}
