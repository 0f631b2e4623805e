import type { Tx } from '../../../base/database/database.ts';
import type { OwnedFiles } from '../../../storage/owned-files/service.ts';
import type { AttachmentFile } from '../models/attachments.ts';
import { type Detached, detachFiles } from '../store/attachments.ts';

interface Dependencies {
  readonly attachmentFiles: OwnedFiles<AttachmentFile, string>;
}

/** Deletes the files of attachments that lose their issue or comment. */
export class AttachmentCollection {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Schedules deletion of an attachment's file, or of all files of a deleted comment, issue or repository. */
  async release(tx: Tx, from: Detached): Promise<void> {
    if (await detachFiles(tx, from)) await this.#use.attachmentFiles.requestCollection(tx);
  }
}
