/** Bytes that have arrived and are not read yet, one after the other in a buffer that is used again. */
export class ByteWindow {
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** the bytes, until `append` */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length);
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** Removes bytes that are read. */
  drop(bytes: number): void {
    this.#start += bytes;
  }

  /** Removes all bytes, and frees the buffer. */
  clear(): void {
    this.#buffer = Buffer.alloc(0);
    this.#start = 0;
    this.#end = 0;
  }

  #makeRoom(bytes: number): void {
    const { length, bytes: kept } = this;
    if (length + bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * (length + bytes));
    kept.copy(this.#buffer);
    this.#start = 0;
    this.#end = length;
  }
}
