import type { Viewer } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { isReadableKind } from '../../../hosting/repositories/tracker.ts';
import { LateCounts } from '../../../storage/owned-files/late-counts.ts';
import { ISSUE } from '../actions.ts';
import { isUuid } from '../models/attachments.ts';
import { addDownloads, type FoundFile, findFile } from '../store/attachments.ts';

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** Finds the address of a file of another feature by its id. */
type FindElsewhere = (viewer: Viewer, uuid: string) => Promise<string | undefined>;

/** Finds attachments by their addresses, and counts the downloads. */
export class AttachmentDownloads {
  readonly #use: Dependencies;
  /** by the id of the attachment */
  readonly #counts: LateCounts<number>;

  #elsewhere: FindElsewhere = async () => undefined;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#counts = new LateCounts(dependencies.database, addDownloads);
  }

  /** Lets a later feature say where its files are that clients seek at addresses of attachments. */
  findElsewhereWith(find: FindElsewhere): void {
    this.#elsewhere = find;
  }

  /**
   * Returns the address of a file of another feature that has the id.
   *
   * @throws ForgeError `not_found`, also for a hidden file
   */
  async findElsewhere(viewer: Viewer, uuid: string): Promise<string> {
    const address = isUuid(uuid) ? await this.#elsewhere(viewer, uuid) : undefined;
    if (address === undefined) throw notFound('attachment');
    return address;
  }

  /** @throws ForgeError `not_found` unless the viewer may read the issue */
  async find(viewer: Viewer, uuid: string): Promise<FoundFile> {
    const db = this.#use.database.reader;
    const found = isUuid(uuid) ? await findFile(db, uuid) : undefined;
    if (found === undefined) throw notFound('attachment');
    const permitted = await this.#use.repositories.find(db, viewer, found.repositoryId);
    if (permitted === undefined || !isReadableKind(viewer, permitted, ISSUE.read, found))
      throw notFound('attachment');
    return found;
  }

  /** Counts a download. */
  count({ attachment: { id } }: FoundFile): Promise<void> {
    return this.#counts.count(id);
  }
}
