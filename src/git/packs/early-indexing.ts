import type { BorrowedSlot, FairSlots } from '../../base/core/fairness/fair-slots.ts';
import type { Received } from '../../base/core/spool/received.ts';
import type { GitChild, GitExit } from '../processes/child.ts';

type PackFile = NonNullable<Received['file']>;

/** Bytes that git gets at once. They pass through one buffer, because new ones would be garbage outside of the heap. */
const PIECE_BYTES = 256 * 1024;

/** A git process that reads a pack from its file while the pack arrives. It has a borrowed slot until then. */
export class EarlyIndexing implements AsyncDisposable {
  readonly #file: PackFile;
  #slot: BorrowedSlot | undefined;
  #child: GitChild | undefined;
  #ended: Promise<GitExit | undefined> = Promise.resolve(undefined);
  /** how far git may read */
  #upTo = 0;
  #isWhole = false;
  #isGivenUp = false;
  #hasExited = false;
  #onChange = () => {};

  private constructor(file: PackFile) {
    this.#file = file;
  }

  /** @returns undefined if no slot is free */
  static begin(slots: FairSlots, file: PackFile, start: () => Promise<GitChild>): EarlyIndexing | undefined {
    const early = new EarlyIndexing(file);
    early.#slot = slots.borrow(() => early.giveUp());
    if (early.#slot === undefined) return undefined;
    early.#ended = early.#run(start);
    return early;
  }

  /** Lets git read the file up to here. */
  follow(upTo: number): void {
    this.#upTo = upTo;
    this.#onChange();
  }

  /** Ends git. Its slot is free soon. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#child?.end();
    this.#onChange();
  }

  /**
   * Lets git read the file to its end, and keeps the slot until it has ended.
   *
   * @returns undefined if git did not read all of the pack, because it was given up
   */
  async finish(upTo: number): Promise<GitExit | undefined> {
    this.#slot?.keep();
    this.#isWhole = true;
    this.follow(upTo);
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.giveUp();
    await this.#ended;
  }

  async #run(start: () => Promise<GitChild>): Promise<GitExit | undefined> {
    try {
      this.#child = await start();
      if (this.#isGivenUp) this.#child.end();
      void this.#child.done.then(() => this.#handleExit());
      await this.#feed(this.#child);
      const exit = await this.#child.done;
      return this.#isGivenUp ? undefined : exit;
    } catch {
      // Whatever prevents git from reading the pack now is reported when it reads the pack later.
      this.#child?.end();
      await this.#child?.done;
      return undefined;
    } finally {
      this.#slot?.leave();
    }
  }

  async #feed({ stdin, deadline }: GitChild): Promise<void> {
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (let at = 0; await this.#mayReadAt(at); ) {
      const wanted = buffer.subarray(0, this.#upTo - at);
      const bytes = await this.#file.readInto(wanted, at);
      // An error means that git has stopped reading. Its exit says why.
      await new Promise<void>((resolve) => stdin.write(wanted.subarray(0, bytes), () => resolve()));
      deadline.restart();
      at += bytes;
    }
    stdin.end();
  }

  /** Waits until git may read at this position. Returns false at the end of the pack or of git. */
  async #mayReadAt(at: number): Promise<boolean> {
    while (at >= this.#upTo && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
    return at < this.#upTo && !this.#isGivenUp && !this.#hasExited;
  }

  get #isOver(): boolean {
    return this.#isWhole || this.#isGivenUp || this.#hasExited;
  }

  #handleExit(): void {
    this.#hasExited = true;
    this.#onChange();
  }
}
