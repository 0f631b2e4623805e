import type { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { countedAtPace, Pace } from '../../base/core/fairness/pace.ts';
import type { Received } from '../../base/core/spool/received.ts';
import type { ObjectFormat } from '../format/model.ts';
import { hexDigits } from '../format/object-format.ts';
import { GIT_LIMITS } from '../limits.ts';
import { EarlyIndexing } from './early-indexing.ts';
import {
  type IndexingOptions,
  type PackTarget,
  readStored,
  type StoredPack,
  startIndexing,
  storePack,
} from './index-pack.ts';
import { removeUnfinishedPacks } from './quarantine.ts';

/**
 * Lets git check a pack and store it in a quarantine. git reads a pack in a file while it arrives, up to where it is
 * measured, if a slot is free. If other work waits for that slot, or the sender is slow, git begins again when all of the
 * pack has arrived.
 */
export class PackIndexing implements AsyncDisposable {
  readonly #slots: FairSlots;
  readonly #received: Received;
  readonly #format: ObjectFormat;
  readonly #makeTarget: () => Promise<PackTarget>;
  readonly #options: IndexingOptions;
  readonly #pace = new Pace(
    {
      patienceMs: GIT_LIMITS.earlyIndexPatienceMs,
      bytesPerSecondMin: GIT_LIMITS.earlyIndexBytesPerSecondMin,
    },
    () => this.giveUp(),
  );
  #target: Promise<PackTarget> | undefined;
  #measuredBytes = 0;
  #mayBegin = true;
  #early: EarlyIndexing | undefined;

  /** @param target makes the quarantine; called at most once */
  constructor(
    slots: FairSlots,
    received: Received,
    options: IndexingOptions & { format: ObjectFormat; target: () => Promise<PackTarget> },
  ) {
    const { format, target, ...others } = options;
    this.#slots = slots;
    this.#received = received;
    this.#format = format;
    this.#makeTarget = target;
    this.#options = others;
  }

  /** Passes on a pack that arrives, and gives up when the server waits too long for its sender. */
  paced(pack: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    return countedAtPace(this.#pace, pack);
  }

  /** Lets git read the pack up to here, as far as its objects are measured. */
  follow(measuredBytes: number): void {
    this.#measuredBytes = Math.max(measuredBytes, this.#measuredBytes);
    if (this.#mayBegin && this.#measuredBytes > 0) this.#begin();
    this.#early?.follow(this.#measuredBytes);
  }

  /** Ends git, if it reads the pack while it arrives. */
  giveUp(): void {
    this.#mayBegin = false;
    this.#early?.giveUp();
  }

  /**
   * Waits until git has stored the pack, which has arrived and is measured to its end.
   *
   * @throws ForgeError `invalid`, `busy`; the reason of the signal when the caller leaves
   */
  async store(): Promise<StoredPack> {
    // git finds what follows the checksum only in a file.
    if (this.#bytesAfterObjects !== hexDigits(this.#format) / 2) this.giveUp();
    const exit = await this.#early?.finish(this.#received.size);
    const target = await this.#targetOnce();
    if (exit !== undefined) return readStored(exit, target, this.#received);
    if (this.#early !== undefined) await removeUnfinishedPacks(target.objectsFolder);
    return storePack(this.#slots, target, this.#received, this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#early?.[Symbol.asyncDispose]();
  }

  get #bytesAfterObjects(): number {
    return this.#received.size - this.#measuredBytes;
  }

  #targetOnce(): Promise<PackTarget> {
    this.#target ??= this.#makeTarget();
    return this.#target;
  }

  #begin(): void {
    this.#mayBegin = false;
    const { file } = this.#received;
    if (file === undefined) return;
    const start = async () => startIndexing(await this.#targetOnce(), { ...this.#options, slots: null });
    this.#early = EarlyIndexing.begin(this.#slots, file, start);
  }
}
