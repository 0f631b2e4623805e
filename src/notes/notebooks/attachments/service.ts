import { randomBytes } from 'node:crypto';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { forbidden, notFound } from '../../../base/core/failure.ts';
import type { RawFile } from '../../../code/contents/read.ts';
import { storeLarge } from '../../../code/contents/writing/large-contents.ts';
import { findLfsPaths } from '../../../code/contents/writing/lfs-paths.ts';
import type { ObjectReader } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { BlobDrafts, DraftContent, NewBlob } from '../../../git/interface/writes.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import type { LargeFiles } from '../../../hosting/lfs/service.ts';
import type { Quota } from '../../../hosting/quota/service.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { pathOf } from '../names.ts';
import type { FoundNote, Notes } from '../service.ts';
import type { NotebookWriter } from '../writing/save.ts';
import { attributesFor } from './attributes.ts';
import { attachmentName, attachmentPath, inRepository } from './paths.ts';

/** A file beside a note, and where it is. */
export interface Attachment {
  readonly file: Pick<RawFile, 'name' | 'oid' | 'sizeBytes' | 'open'>;
  readonly repositoryId: number;
  readonly objects: ObjectReader;
}

/** A file that a client sends. */
interface SentFile {
  /** as far as its size is known */
  readonly bytesMin: number;
  /** Passes all of its bytes on. @returns the name that the client gave it */
  read(write: (chunk: Buffer) => Promise<void>): Promise<string>;
}

/** A file that is being uploaded for a note. */
interface ArrivingAttachment {
  readonly found: FoundNote;
  readonly drafts: BlobDrafts;
}

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly writer: NotebookWriter;
  readonly largeFiles: LargeFiles;
  readonly quota: Quota;
  readonly notes: Notes;
}

/** Files that notes show or link to. They are in the repository of the notebook, in the folder of their note. */
export class Attachments {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds a file of the notebook by its path in a note.
   *
   * @throws ForgeError `not_found` for anything but a file; `busy`
   */
  async find(viewer: SignedIn, noteId: number, sentPath: string): Promise<Attachment> {
    const { open, note } = await this.#use.notes.find(viewer, noteId);
    const { folder, indexedCommit, repositoryId } = open.notebook;
    const path = attachmentPath(note.category, sentPath);
    if (indexedCommit === null || path === '') throw notFound('attachment');
    const { objects } = await this.#use.git.refs.open(repositoryId);
    const { tree } = await objects.readCommit(indexedCommit);
    const entry = await findEntry(objects, tree, inRepository(folder, path));
    // A link may lead out of the notebook.
    if (entry === undefined || !entry.mode.startsWith('100')) throw notFound('attachment');
    const info = await objects.info(entry.oid);
    if (info === undefined) throw notFound('attachment');
    const { oid, name } = entry;
    const stream = async () => (await objects.streamBlob(oid)).stream;
    return { file: { name, oid, sizeBytes: info.sizeBytes, open: stream }, repositoryId, objects };
  }

  /**
   * Receives a file for a note, and stores it.
   *
   * @returns its new name, in the folder of the note
   * @throws ForgeError `not_found`, `forbidden`, `busy`; `too_large` as soon as the owner has no more room; any error of
   *   `file.read`
   */
  async receive(viewer: SignedIn, noteId: number, file: SentFile): Promise<string> {
    const arriving = await this.#begin(viewer, noteId);
    const { found, drafts } = arriving;
    try {
      const { owner } = found.open.repository;
      const room = { kind: 'size:git:lfs', sizeBytes: file.bytesMin } as const;
      const sentName = await this.#use.quota.whileArriving(owner.id, room, ({ add }) =>
        file.read(async (chunk) => {
          add(chunk.length);
          await drafts.write(chunk);
        }),
      );
      return await this.#store(viewer, arriving, sentName);
    } finally {
      await drafts.discard();
    }
  }

  async #begin(viewer: SignedIn, noteId: number): Promise<ArrivingAttachment> {
    const found = await this.#use.notes.find(viewer, noteId);
    const { repository, isWritable } = found.open;
    if (!isWritable) throw forbidden('this notebook is read-only');
    const drafts = this.#use.git.writes.draftBlobs(repository.id, repository.objectFormat);
    await drafts.begin();
    return { found, drafts };
  }

  /** Stores a file that has arrived: a small file in a commit, a large file as an object of git-lfs. */
  async #store(viewer: SignedIn, { found, drafts }: ArrivingAttachment, sentName: string): Promise<string> {
    const { repository } = found.open;
    const name = attachmentName(randomBytes(16).toString('hex'), sentName);
    const content = await drafts.content(0);
    await this.#use.quota.requireRoom(repository.owner.id, {
      kind: 'size:git:lfs',
      sizeBytes: content.sizeBytes,
    });
    if (await this.#isLarge(found, name, content)) {
      const pointer = await storeLarge(this.#use.largeFiles, { viewer, repository }, content);
      await this.#commit(viewer, found, { name, blob: pointer, isLarge: true });
    } else await drafts.use([0], ([blob]) => this.#commit(viewer, found, { name, blob, isLarge: false }));
    return name;
  }

  /** Whether a content becomes an object of git-lfs, because of its size or because of `.gitattributes`. */
  async #isLarge({ open, note }: FoundNote, name: string, { sizeBytes }: DraftContent): Promise<boolean> {
    if (!this.#use.largeFiles.isEnabled) return false;
    if (sizeBytes > NOTE_LIMITS.attachmentInGitBytesMax) return true;
    const { indexedCommit, folder, repositoryId } = open.notebook;
    if (indexedCommit === null || sizeBytes === 0) return false;
    const { objects } = await this.#use.git.refs.open(repositoryId);
    const { tree } = await objects.readCommit(indexedCommit);
    const path = inRepository(folder, pathOf(note.category, name));
    return (await findLfsPaths(objects, tree, [path])).has(path);
  }

  async #commit(
    viewer: SignedIn,
    { open, note }: FoundNote,
    { name, blob = Buffer.alloc(0), isLarge }: { name: string; blob: NewBlob | undefined; isLarge: boolean },
  ): Promise<void> {
    const { folder } = open.notebook;
    await this.#use.writer.addFiles(viewer, open.repository, async ({ objects, tree }) => {
      // The note may have moved while the file arrived.
      const { category } = (await this.#use.notes.find(viewer, note.id)).note;
      const inNotebook = pathOf(category, name);
      const path = inRepository(folder, inNotebook);
      const attributes = isLarge ? await attributesFor(objects, tree, { folder, name, path }) : [];
      return {
        message: `Add ${inNotebook}`,
        edits: [{ kind: 'put', path, mode: '100644', content: blob }, ...attributes],
      };
    });
  }
}
