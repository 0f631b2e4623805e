import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure } from '../failure.ts';
import { isDiskFull } from '../files/disk-full.ts';
import { type FileSpace, NamelessFile } from './nameless-file.ts';
import { Notice } from './notice.ts';

interface SpoolOptions {
  readonly memoryBytesMax: number;
  readonly fileBytesMax: number;
  /** how long a writer with a full memory waits for the reader before it uses the file */
  readonly patienceMs: number;
}

/**
 * Passes bytes from a writer to a slower reader, so that the writer can end first: through memory while the reader
 * keeps up, otherwise through a file. The writer waits only while the file is full.
 */
export class Spool {
  readonly #space: FileSpace;
  readonly #options: SpoolOptions;
  readonly #written = new Notice();
  readonly #taken = new Notice();
  /** the oldest bytes; the bytes in the file are newer */
  readonly #memory: Buffer[] = [];
  #memoryBytes = 0;
  #file: NamelessFile | undefined;
  #fileBytesRead = 0;
  /** whether new bytes are written to the file, because it has bytes that are not read yet */
  #usesFile = false;
  #isEnded = false;
  #destroyed: Error | undefined;

  constructor(space: FileSpace, options: SpoolOptions) {
    this.#space = space;
    this.#options = options;
  }

  /**
   * Adds bytes. Waits while the spool is full. Calls must not overlap.
   *
   * @throws the reason of `destroy`
   */
  async write(chunk: Buffer): Promise<void> {
    await this.#leaveEmptyFile();
    if (!this.#usesFile) this.#usesFile = !(await this.#hasRoomSoon(chunk.length));
    while (this.#usesFile && !(await this.#append(chunk))) await this.#untilDrained();
    this.#requireUsable();
    if (!this.#usesFile) {
      this.#memory.push(chunk);
      this.#memoryBytes += chunk.length;
    }
    this.#written.notify();
  }

  /** Ends the spool after the bytes that were written so far. */
  end(): void {
    this.#isEnded = true;
    this.#written.notify();
  }

  /** Discards all bytes. The writer and the reader fail with this reason. */
  async destroy(reason: Error): Promise<void> {
    this.#destroyed ??= reason;
    this.#memory.length = 0;
    this.#written.notify();
    this.#taken.notify();
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Yields all bytes, and waits for later bytes until the end. Each byte has only one reader. */
  async *read(): AsyncGenerator<Buffer> {
    for (let chunk = await this.#take(); chunk !== undefined; chunk = await this.#take()) yield chunk;
  }

  async #take(): Promise<Buffer | undefined> {
    for (;;) {
      this.#requireUsable();
      const chunk = this.#takeFromMemory() ?? (await this.#takeFromFile());
      if (chunk !== undefined) {
        this.#taken.notify();
        return chunk;
      }
      if (this.#isEnded) return undefined;
      await this.#written.next();
    }
  }

  #takeFromMemory(): Buffer | undefined {
    const chunk = this.#memory.shift();
    this.#memoryBytes -= chunk?.length ?? 0;
    return chunk;
  }

  async #takeFromFile(): Promise<Buffer | undefined> {
    if (this.#file === undefined || this.#fileBytesRead === this.#file.size) return undefined;
    const chunk = await this.#file.read(this.#fileBytesRead);
    this.#fileBytesRead += chunk.length;
    return chunk;
  }

  #requireUsable(): void {
    if (this.#destroyed !== undefined) throw this.#destroyed;
  }

  /** Waits a moment for the reader, so that the writer does not use the file for a fast reader. */
  async #hasRoomSoon(bytes: number): Promise<boolean> {
    const hasRoom = () =>
      this.#memoryBytes + bytes <= this.#options.memoryBytesMax || this.#memoryBytes === 0;
    if (hasRoom()) return true;
    const patience = new AbortController();
    const timeout = sleep(this.#options.patienceMs, undefined, { signal: patience.signal, ref: false });
    const isOver = timeout.then(
      () => true,
      () => true,
    );
    for (let over = false; !hasRoom() && !over && this.#destroyed === undefined; ) {
      over = await Promise.race([this.#taken.next().then(() => false), isOver]);
    }
    patience.abort();
    return hasRoom();
  }

  /** Returns false if the file, or the disk space of the caller, is full. */
  async #append(chunk: Buffer): Promise<boolean> {
    this.#requireUsable();
    try {
      const file = this.#file ?? (await this.#openFile());
      if (file.size + chunk.length > this.#options.fileBytesMax) return false;
      await file.append(chunk);
      return true;
    } catch (error) {
      if (isFull(error)) return false;
      throw error;
    }
  }

  async #openFile(): Promise<NamelessFile> {
    const file = await NamelessFile.open(this.#space);
    if (this.#destroyed !== undefined) {
      await file.close();
      throw this.#destroyed;
    }
    this.#file = file;
    return file;
  }

  async #untilDrained(): Promise<void> {
    while (!this.#isDrained() && this.#destroyed === undefined) await this.#taken.next();
    await this.#leaveEmptyFile();
  }

  #isDrained(): boolean {
    return this.#memoryBytes === 0 && (this.#file === undefined || this.#fileBytesRead === this.#file.size);
  }

  async #leaveEmptyFile(): Promise<void> {
    if (!this.#usesFile || !this.#isDrained()) return;
    await this.#file?.truncate();
    this.#fileBytesRead = 0;
    this.#usesFile = false;
  }
}

/** Whether the disk, or the caller's part of it, has no room now. */
function isFull(error: unknown): boolean {
  return isDiskFull(error) || isFailure(error, 'busy');
}
