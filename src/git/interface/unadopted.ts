import type { ObjectFormat, Oid } from '../format/model.ts';

/** Folders of a bare repository below the folder for unadopted ones: `OWNER/NAME.git`. */
export interface UnadoptedPath {
  readonly owner: string;
  readonly name: string;
}

/**
 * Bare repositories that an operator has put beside the data of this server, as other servers lay them out. Only their
 * objects and refs are read: no hook, no configuration, no alternate and no symbolic link.
 */
export interface UnadoptedRepositories {
  /** Lists the repositories whose names this server could use, by their names. @throws ForgeError `too_large` */
  list(): Promise<readonly UnadoptedPath[]>;
  /** @throws ForgeError `not_found`; `invalid` for a broken repository; `too_large` */
  open(path: UnadoptedPath): Promise<UnadoptedRepository>;
  /** Deletes a repository. If this fails, a part of it may remain under another name. @throws ForgeError `not_found` */
  remove(path: UnadoptedPath): Promise<void>;
}

/** A repository with its refs as they were when it was opened. */
export interface UnadoptedRepository extends AsyncDisposable {
  readonly objectFormat: ObjectFormat;
  /** full name of the ref that HEAD points to; null: none */
  readonly head: string | null;
  /** branches, tags and notes by their full names */
  readonly refs: ReadonlyMap<string, Oid>;
  /** It has symbolic refs, or refs in other namespaces. */
  readonly hasOtherRefs: boolean;
  /**
   * Calls `receive` with a pack of all objects that `tips` reach.
   *
   * @throws ForgeError `invalid` if objects are missing or broken; any error of `receive`
   */
  readPack(tips: readonly Oid[], receive: (pack: AsyncIterable<Buffer>) => Promise<void>): Promise<void>;
}
