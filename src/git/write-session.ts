import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { faultPoint } from '../core/faults.ts';
import { findDisconnectedTips } from './connectivity.ts';
import type { Engine } from './engine.ts';
import { indexPack } from './index-pack.ts';
import { writeLooseObject } from './loose-objects.ts';
import type { GitObject, ObjectReader, Oid, Snapshot, WriteSession } from './model.ts';
import { CachedObjectReader, type ReadingSource } from './object-reading.ts';
import { makeQuarantine, moveObjectsIn, removeQuarantine } from './quarantine.ts';
import type { RefVersion } from './ref-versions.ts';
import { FILE_MODE, randomName } from './repository-layout.ts';
import { SessionObjects } from './session-objects.ts';

const WRITTEN_AT_ONCE = 16;

/** A quarantine inside the repository's folder, made when the first object comes. */
export class LocalWriteSession implements WriteSession {
  readonly base: Snapshot;
  readonly objects: ObjectReader;
  readonly #engine: Engine;
  readonly #remembered: SessionObjects;
  readonly #written = new Set<Oid>();
  #quarantine: Promise<string> | undefined;
  /** Set once there are objects that only a git child can show. */
  #source: Pick<ReadingSource, 'key' | 'place'>;
  #pruneGen: number;
  #commit: Promise<void> = Promise.resolve();

  constructor(engine: Engine, base: Snapshot, at: RefVersion) {
    this.#engine = engine;
    this.base = base;
    this.#pruneGen = at.pruneGen;
    this.#source = engine.readingSource(base.id);
    this.#remembered = new SessionObjects(base.objectFormat, engine.cache.of(base.id));
    this.objects = new CachedObjectReader(this.#readingSource());
  }

  /** The number of the last prune that what was found connected here has outlived. */
  get pruneGen(): number {
    return this.#pruneGen;
  }

  async ingestPack(
    pack: Readable,
    options: { bytesMax: number; shallow?: readonly Oid[]; onProgress?: (text: Uint8Array) => void },
  ): Promise<void> {
    const objectsFolder = await this.#quarantineFolder();
    const { id, objectFormat } = this.base;
    const shallowFile = await writeShallowFile(objectsFolder, options.shallow ?? []);
    const target = { gitDir: this.#engine.folder(id).path, objectsFolder, format: objectFormat };
    await indexPack(shallowFile === undefined ? target : { ...target, shallowFile }, pack, options);
    faultPoint('after-index');
    this.#readThrough(objectsFolder);
  }

  async writeObjects(objects: readonly GitObject[]): Promise<void> {
    const fresh = objects.filter(({ oid }) => !this.#written.has(oid));
    if (fresh.length === 0) return;
    const unique = [...new Map(fresh.map((object) => [object.oid, object])).values()];
    const folder = await this.#quarantineFolder();
    for (let at = 0; at < unique.length; at += WRITTEN_AT_ONCE) {
      await Promise.all(unique.slice(at, at + WRITTEN_AT_ONCE).map((object) => this.#write(folder, object)));
    }
  }

  async findDisconnected(tips: readonly Oid[]): Promise<readonly Oid[]> {
    const { id } = this.base;
    const current = await this.#engine.versions.current(id);
    const known = new Set([...current.refs.entries('')].map(([, ref]) => ref.oid));
    const asked = [...new Set(tips)].filter((oid) => !known.has(oid));
    const place = await this.#connectivityPlace();
    const disconnected = await findDisconnectedTips(place, asked, [...known]);
    // What was found missing is not to be committed, so only what is here counts.
    this.#pruneGen = current.pruneGen;
    return disconnected;
  }

  /** Makes the objects part of the repository, durably. */
  async settle(): Promise<void> {
    if (this.#quarantine === undefined) return;
    await moveObjectsIn(await this.#quarantine, this.#engine.folder(this.base.id));
    faultPoint('after-objects');
  }

  publish(): void {
    this.#remembered.publish();
  }

  /** Runs a commit; the session is not thrown away before it is over. */
  async during<T>(commit: () => Promise<T>): Promise<T> {
    const work = commit();
    this.#commit = work.then(
      () => {},
      () => {},
    );
    return work;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commit;
    if (this.#quarantine === undefined) return;
    const path = await this.#quarantine;
    this.#engine.pool.end(path);
    await removeQuarantine(path);
    this.#engine.liveFolders.delete(path);
  }

  async #write(folder: string, object: GitObject): Promise<void> {
    await writeLooseObject(folder, object);
    this.#written.add(object.oid);
    if (!this.#remembered.noteWritten(object)) this.#readThrough(folder);
  }

  #quarantineFolder(): Promise<string> {
    this.#quarantine ??= this.#makeQuarantine();
    return this.#quarantine;
  }

  async #makeQuarantine(): Promise<string> {
    const folder = await this.#engine.ensureFolder(this.base.id, this.base.objectFormat);
    const path = await makeQuarantine(folder);
    this.#engine.liveFolders.add(path);
    return path;
  }

  #readThrough(objectsFolder: string): void {
    this.#source = { key: objectsFolder, place: { ...this.#source.place, objectsFolder } };
  }

  #readingSource(): ReadingSource {
    const session = this;
    return {
      get key() {
        return session.#source.key;
      },
      get place() {
        return session.#source.place;
      },
      pool: this.#engine.pool,
      format: this.base.objectFormat,
      cache: this.#remembered,
      prepare: async () => {
        await this.#engine.ensureFolder(this.base.id, this.base.objectFormat);
      },
    };
  }

  async #connectivityPlace() {
    const { path: gitDir } = await this.#engine.ensureFolder(this.base.id, this.base.objectFormat);
    return this.#quarantine === undefined ? { gitDir } : { gitDir, objectsFolder: await this.#quarantine };
  }
}

async function writeShallowFile(folder: string, oids: readonly Oid[]): Promise<string | undefined> {
  if (oids.length === 0) return undefined;
  const path = join(folder, `shallow-${randomName()}`);
  await writeFile(path, `${oids.join('\n')}\n`, { mode: FILE_MODE });
  return path;
}
