/** Ends work that makes no progress for too long. */
export class Deadline {
  readonly #ms: number;
  readonly #end: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param ms the time from now, and from each `restart` */
  constructor(ms: number, end: () => void) {
    this.#ms = ms;
    this.#end = end;
    this.restart();
  }

  /** Restarts the time, after progress or after a pause. */
  restart(): void {
    if (this.#isOver) return;
    if (this.#timer === undefined) this.#timer = setTimeout(this.#end, this.#ms).unref();
    else this.#timer.refresh();
  }

  /** Stops the time until `restart`, while another process or client delays the work. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Stops the time for good. */
  finish(): void {
    this.#isOver = true;
    this.pause();
  }
}
