import type { Engine } from '../engine.ts';
import type { CompleteFolder } from '../folders/repository-layout.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import type { ObjectsLocation } from '../objects/cat-file.ts';
import { makeQuarantine, moveObjectsIn, removeQuarantine } from '../packs/quarantine.ts';

export type QuarantineNeeds = Pick<Engine, 'completeFolder' | 'liveFolders' | 'pool'>;

/** A folder for new objects, and the folder of their repository, which was complete when the quarantine was made. */
interface Quarantine {
  readonly path: string;
  readonly folder: CompleteFolder;
}

/** The quarantine of one write session, which is made on first use. Most commits of the API need none. */
export class SessionQuarantine implements AsyncDisposable {
  readonly #engine: QuarantineNeeds;
  readonly #base: Snapshot;
  #made: Promise<Quarantine> | undefined;

  constructor(engine: QuarantineNeeds, base: Snapshot) {
    this.#engine = engine;
    this.#base = base;
  }

  get isMade(): boolean {
    return this.#made !== undefined;
  }

  open(): Promise<Quarantine> {
    this.#made ??= this.#make();
    return this.#made;
  }

  async path(): Promise<string> {
    return (await this.open()).path;
  }

  /** Returns where git finds the objects of the repository and of the quarantine, if there is one. */
  async location(): Promise<ObjectsLocation> {
    const { path: gitDir } = await this.#folder();
    return this.#made === undefined ? { gitDir } : { gitDir, objectsFolder: (await this.#made).path };
  }

  /** Moves all objects into the repository. Does nothing without a quarantine. */
  async moveIn(): Promise<void> {
    if (this.#made === undefined) return;
    const { path, folder } = await this.#made;
    await moveObjectsIn(path, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // If it cannot be made, the caller has that error already.
    const path = (await this.#made?.catch(() => undefined))?.path;
    if (path === undefined) return;
    this.#engine.pool.end(path);
    await removeQuarantine(path);
    this.#engine.liveFolders.delete(path);
  }

  async #make(): Promise<Quarantine> {
    const folder = await this.#folder();
    const path = await makeQuarantine(folder);
    this.#engine.liveFolders.add(path);
    return { path, folder };
  }

  #folder(): Promise<CompleteFolder> {
    return this.#engine.completeFolder(this.#base.id, this.#base.objectFormat);
  }
}
