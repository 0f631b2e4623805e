import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid, isFailure, undefinedIf } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { Received } from '../../base/core/spool/received.ts';
import type { Engine } from '../engine.ts';
import type { GitDir } from '../folders/repository-layout.ts';
import type { EditedTree } from '../format/edited-tree.ts';
import type { GitObject, Oid } from '../format/model.ts';
import { findBranchBase, isReached, listCommitsSince } from '../history/branch-history.ts';
import { findDisconnectedTips } from '../history/connectivity.ts';
import { copyObjects } from '../history/copy-objects.ts';
import { mergeTexts } from '../history/merge-texts.ts';
import { readNewBlobs } from '../history/new-blobs.ts';
import { findMergeBases, listOfOneSide } from '../history/two-sides.ts';
import type { Snapshot } from '../interface/snapshot.ts';
import type { IngestOptions, PatchedFile, StoredBlob, TextMerge, WriteSession } from '../interface/writes.ts';
import { GIT_LIMITS } from '../limits.ts';
import { LocalMerges } from '../merges/local-merges.ts';
import { DraftedBlob } from '../objects/blob-drafts.ts';
import {
  addLooseObjects,
  encodeLooseFile,
  type LooseFile,
  linkLooseObject,
  writeLooseObject,
} from '../objects/loose-objects.ts';
import { CachedObjectReader, type Located, type ReadingSource } from '../objects/object-reader.ts';
import { SessionObjects } from '../objects/session-objects.ts';
import { findPacked } from '../objects/stored-objects.ts';
import { encodePack } from '../packs/encode-pack.ts';
import type { PackTarget, StoredPack } from '../packs/index-pack.ts';
import { PackIndexing } from '../packs/pack-indexing.ts';
import { writeShallowFile } from '../packs/quarantine.ts';
import { receivePack } from '../packs/receive-pack.ts';
import { applyPatch } from '../patches/apply-patch.ts';
import { type RefVersion, tipsOf } from '../refs/ref-versions.ts';
import { storeSmallPack } from '../small-packs/store-small-pack.ts';
import type { WholeObjects } from '../small-packs/whole-objects.ts';
import { type QuarantineNeeds, SessionQuarantine } from './session-quarantine.ts';

/** What a session uses of the engine. */
export type SessionNeeds = QuarantineNeeds &
  Pick<
    Engine,
    | 'cache'
    | 'database'
    | 'fresh'
    | 'largeBlobs'
    | 'meterThread'
    | 'placedFolder'
    | 'signCommit'
    | 'transfers'
    | 'versions'
  >;

/** Holds a few small new objects in memory, and more or larger ones in a quarantine in the repository's folder. */
export class LocalWriteSession implements WriteSession {
  readonly base: Snapshot;
  readonly signCommit: WriteSession['signCommit'];
  readonly objects: CachedObjectReader;
  readonly merges: LocalMerges;
  readonly #engine: SessionNeeds;
  readonly #remembered: SessionObjects;
  readonly #written = new Set<Oid>();
  /** Objects only in memory. Most commits of the API have a few small ones and need no quarantine. */
  readonly #unwritten = new Map<Oid, GitObject>();
  readonly #quarantine: SessionQuarantine;
  /** the quarantine, once it has objects that only a git child can read */
  #readThrough: string | undefined;
  #pruneGen: number;
  /** those of a small pack */
  #whole: WholeObjects | undefined;
  #packedObjects = 0;
  /** whether the objects in the pack of the quarantine name only each other */
  #isPackWhole = false;
  #writtenBytes = 0;
  /** of packs, without the objects of a small pack, which count as written */
  #packBytes = 0;
  #commit: Promise<unknown> = Promise.resolve();
  #publish = () => {};

  constructor(engine: SessionNeeds, base: Snapshot, at: RefVersion) {
    this.#engine = engine;
    this.base = base;
    this.signCommit = engine.signCommit;
    this.#quarantine = new SessionQuarantine(engine, base);
    this.#pruneGen = at.pruneGen;
    this.#remembered = new SessionObjects(base.objectFormat, engine.cache.of(base.id));
    this.objects = new CachedObjectReader(this.#readingSource());
    this.merges = new LocalMerges({
      objects: this.objects,
      objectFormat: base.objectFormat,
      writeObjects: (objects) => this.writeObjects(objects),
      openForGit: () => this.#openForGit(),
    });
  }

  /** The latest prune that this session's connectivity check took into account. */
  get pruneGen(): number {
    return this.#pruneGen;
  }

  get packedObjects(): number {
    return this.#packedObjects;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  get newBytes(): number {
    return this.#writtenBytes + this.#packBytes;
  }

  async ingestPack(pack: AsyncIterable<Buffer>, options: IngestOptions): Promise<void> {
    const { meterThread, transfers } = this.#engine;
    const { packs, inflating, index } = transfers;
    const format = this.base.objectFormat;
    await using received = new Received(packs, {
      memoryBytesMax: GIT_LIMITS.spoolMemoryBytesMax,
      // Packs that others send, as against those of this server, are in buffers of their own.
      freesChunks: options.unpacked !== undefined,
    });
    const { onProgress } = options;
    const target = () => this.#packTarget(options);
    await using indexing = new PackIndexing(index, received, { format, target, onProgress });
    await receivePack(received, pack, { ...options, format, inflating, meterThread, indexing });
    currentCaller().left?.throwIfAborted();
    const writtenBefore = this.#writtenBytes;
    if (!(await this.#storeSmallPack(received, options))) await this.#recordStored(await indexing.store());
    // An empty pack has a header, but nothing is stored of it.
    if (this.#packedObjects > 0) this.#packBytes += received.size - (this.#writtenBytes - writtenBefore);
    faultPoint('after-index');
  }

  /** Reads a small pack in this process. @returns false if git has to read it */
  async #storeSmallPack(received: Received, { shallow = [], onto = [], onProgress }: IngestOptions) {
    if (this.#unwritten.size > 0 || this.#quarantine.isMade || shallow.length > 0) return false;
    const pack = await storeSmallPack(this.#engine, this, received, onto);
    if (pack === undefined) return false;
    const { objects, deltas, whole } = pack;
    await this.writeObjects(objects);
    this.#packedObjects = objects.length;
    this.#whole = whole;
    // As git says it.
    if (deltas > 0) onProgress?.(Buffer.from(`Resolving deltas: 100% (${deltas}/${deltas}), done.\n`));
    return true;
  }

  async #recordStored({ objects, isWhole }: StoredPack): Promise<void> {
    this.#packedObjects = objects;
    this.#isPackWhole = isWhole;
    this.#readThrough = await this.#quarantine.path();
  }

  async #packTarget({ shallow = [] }: IngestOptions): Promise<PackTarget> {
    const { path: objectsFolder, folder } = await this.#quarantine.open();
    const { objectFormat: format } = this.base;
    const shallowFile = await writeShallowFile(objectsFolder, shallow);
    const target = { gitDir: folder.path, objectsFolder, format };
    return shallowFile === undefined ? target : { ...target, shallowFile };
  }

  async writeObjects(objects: readonly GitObject[]): Promise<void> {
    for (const object of objects) {
      if (this.#written.has(object.oid)) continue;
      this.#written.add(object.oid);
      this.#writtenBytes += object.content.length;
      if (this.#remembered.rememberWritten(object)) this.#unwritten.set(object.oid, object);
      else await this.#writeToQuarantine(object);
    }
  }

  async writeChecked(objects: readonly GitObject[]): Promise<void> {
    // git reads the other objects of the session, too.
    await this.#spill();
    for (const { content } of objects) this.#writtenBytes += content.length;
    const pack = encodePack(this.base.objectFormat, objects);
    try {
      await this.ingestPack(pack, { bytesMax: GIT_LIMITS.pushPackBytesMax });
    } catch (error) {
      if (!isFailure(error, 'invalid')) throw error;
      throw invalid(`git rejects this change: ${error.message}`);
    }
  }

  async addBlobs(blobs: readonly StoredBlob[]): Promise<void> {
    for (const blob of blobs) {
      if (!(blob instanceof DraftedBlob)) throw new Error('the blob belongs to another storage');
      if (this.#written.has(blob.oid)) continue;
      this.#written.add(blob.oid);
      const folder = await this.#quarantine.path();
      await linkLooseObject(folder, blob);
      this.#writtenBytes += (await stat(blob.file)).size;
      this.#readThrough = folder;
    }
  }

  async applyPatch(tree: EditedTree, patch: Uint8Array): Promise<readonly PatchedFile[]> {
    return applyPatch(await this.#openForGit(), tree, patch);
  }

  /** Returns where git reads the objects of this session, and may write more of them. */
  async #openForGit(): Promise<{ gitDir: GitDir; objectsFolder: string }> {
    await this.#spill();
    const { path: objectsFolder, folder } = await this.#quarantine.open();
    this.#readThrough = objectsFolder;
    return { gitDir: folder.path, objectsFolder };
  }

  async copyFrom(other: Snapshot, tips: readonly Oid[]): Promise<void> {
    // The commit detects a prune since this session began, so objects that refs reach now can be assumed present.
    const known = tipsOf(await this.#engine.versions.current(this.base.id));
    await copyObjects(this.#engine, this, { other, tips, known: [...known] });
  }

  async findDisconnected(tips: readonly Oid[]): Promise<readonly Oid[]> {
    const current = await this.#engine.versions.current(this.base.id);
    // A prune since then may have deleted what was there.
    const whole = this.#whole?.pruneGen === current.pruneGen ? this.#whole : undefined;
    const unproven: Oid[] = [];
    const packed = await this.#findInWholePack(tips);
    for (const oid of new Set(tips)) {
      if (packed.has(oid)) continue;
      if (!current.refs.hasTarget(oid) && !(await whole?.include(oid))) unproven.push(oid);
    }
    const disconnected = unproven.length === 0 ? [] : await this.#walkFrom(unproven, current);
    // The caller does not commit disconnected tips, so this holds for all that it commits.
    this.#pruneGen = current.pruneGen;
    return disconnected;
  }

  /** Returns the `tips` whose whole history came in the pack, as git has checked it. */
  async #findInWholePack(tips: readonly Oid[]): Promise<ReadonlySet<Oid>> {
    if (!this.#isPackWhole) return new Set();
    return findPacked(join(await this.#quarantine.path(), 'pack'), this.base.objectFormat, tips);
  }

  /** Returns the `tips` that are missing, or whose histories are incomplete. */
  async #walkFrom(tips: readonly Oid[], current: RefVersion): Promise<readonly Oid[]> {
    await this.#spill();
    const { present, missing } = await this.#sortByPresence(tips);
    if (present.length === 0) return missing;
    const location = await this.#quarantine.location();
    return [...missing, ...(await findDisconnectedTips(location, present, [...tipsOf(current)]))];
  }

  async isReached({ ancestor, descendant }: { ancestor: Oid; descendant: Oid }): Promise<boolean> {
    if (ancestor === descendant) return true;
    // Most changes add one commit, and need no walk.
    const { parents } = await this.objects.readCommit(descendant);
    if (parents.includes(ancestor)) return true;
    const found = await findMergeBases(this.objects, [ancestor, descendant]).catch(undefinedIf('not_found'));
    if (found !== undefined) return found.includes(ancestor);
    await this.#spill();
    return isReached(await this.#quarantine.location(), { ancestor, descendant });
  }

  async mergeTexts(texts: TextMerge): Promise<Buffer> {
    const { path: gitDir } = await this.#engine.completeFolder(this.base.id, this.base.objectFormat);
    return mergeTexts({ gitDir, folder: await this.#quarantine.path() }, texts);
  }

  async findBranchBase(tip: Oid): Promise<Oid | null> {
    const current = await this.#engine.versions.current(this.base.id);
    if (current.refs.hasTarget(tip)) return tip;
    if (this.#whole?.has(tip)) return this.#whole.baseOf(tip);
    const known = [...tipsOf(current)];
    if (known.length === 0) return null;
    await this.#spill();
    return findBranchBase(await this.#quarantine.location(), tip, known);
  }

  async listCommitsSince(range: { tip: Oid; base: Oid | null }, countMax: number): Promise<readonly Oid[]> {
    const { tip, base } = range;
    const { parents } = await this.objects.readCommit(tip);
    // Most changes add one commit, and need no walk.
    if (parents.length === 1 && parents[0] === base) return [tip];
    // A shallow repository lacks commits.
    const found = await listOfOneSide(this.objects, [tip, base]).catch(undefinedIf('not_found'));
    if (found !== undefined) return found.slice(0, countMax);
    await this.#spill();
    return listCommitsSince(await this.#quarantine.location(), range, countMax);
  }

  async *readNewBlobs(tips: readonly Oid[], options: { bytesMax: number }): AsyncGenerator<Uint8Array, void> {
    const current = await this.#engine.versions.current(this.base.id);
    const whole = this.#whole;
    if (whole !== undefined && tips.every((oid) => whole.has(oid) || current.refs.hasTarget(oid))) {
      for (const blob of whole.blobsOf(tips)) if (blob.length <= options.bytesMax) yield blob;
      return;
    }
    await this.#spill();
    yield* readNewBlobs(await this.#quarantine.location(), { tips, known: [...tipsOf(current)], ...options });
  }

  async #sortByPresence(oids: readonly Oid[]): Promise<{ present: Oid[]; missing: Oid[] }> {
    const found = await Promise.all(oids.map((oid) => this.objects.info(oid)));
    return {
      present: oids.filter((_, index) => found[index] !== undefined),
      missing: oids.filter((_, index) => found[index] === undefined),
    };
  }

  /**
   * Makes the objects durable in the repository.
   *
   * @returns the objects of a small change instead, which the caller's transaction makes durable as rows. If it does
   *   not write them, another commit of this session returns them again
   */
  async makeDurable(): Promise<readonly LooseFile[]> {
    const rows = this.#isSmall() ? await this.#encodeUnwritten() : [];
    if (rows.length === 0) {
      await this.#moveIn();
      this.#unwritten.clear();
    }
    this.#publish = this.#remembered.publishing();
    faultPoint('after-objects');
    return rows;
  }

  #isSmall(): boolean {
    if (this.#quarantine.isMade || !this.#engine.fresh.hasRoom) return false;
    return (
      this.#unwritten.size <= GIT_LIMITS.freshObjectsMax &&
      this.#writtenBytes <= GIT_LIMITS.freshObjectsBytesMax
    );
  }

  #encodeUnwritten(): Promise<LooseFile[]> {
    return Promise.all([...this.#unwritten.values()].map(encodeLooseFile));
  }

  async #moveIn(): Promise<void> {
    const { id, objectFormat } = this.base;
    await this.#quarantine.moveIn();
    if (this.#unwritten.size === 0) return;
    const folder = await this.#engine.completeFolder(id, objectFormat);
    await addLooseObjects(folder, [...this.#unwritten.values()]);
  }

  /** Caches the objects after the commit that has made them durable. */
  publish(): void {
    this.#unwritten.clear();
    this.#publish();
  }

  /** Runs a commit. Disposal of the session waits for its end. */
  async during<T>(commit: () => Promise<T>): Promise<T> {
    const work = commit();
    this.#commit = Promise.allSettled([work]);
    return work;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commit;
    await this.#quarantine[Symbol.asyncDispose]();
  }

  /** Writes objects from memory to the quarantine, where git can read them. */
  async #spill(): Promise<void> {
    for (const object of this.#unwritten.values())
      await writeLooseObject(await this.#quarantine.path(), object);
    this.#unwritten.clear();
  }

  async #writeToQuarantine(object: GitObject): Promise<void> {
    const folder = await this.#quarantine.path();
    await writeLooseObject(folder, object);
    this.#readThrough = folder;
  }

  #readingSource(): ReadingSource {
    return {
      locate: () => this.#locate(),
      pool: this.#engine.pool,
      largeBlobs: this.#engine.largeBlobs,
      format: this.base.objectFormat,
      cache: this.#remembered,
    };
  }

  async #locate(): Promise<Located> {
    const { id, objectFormat } = this.base;
    const objectsFolder = this.#readThrough;
    const { path: gitDir } = await this.#engine.completeFolder(id, objectFormat);
    if (objectsFolder === undefined) return { key: `${id}`, location: { gitDir } };
    return { key: objectsFolder, location: { gitDir, objectsFolder } };
  }
}
