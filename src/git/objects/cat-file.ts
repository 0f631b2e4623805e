import type { GitDir } from '../folders/repository-layout.ts';
import type { Oid } from '../format/model.ts';
import { isObjectType } from '../format/object-format.ts';
import type { ObjectInfo } from '../interface/snapshot.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type GitChild, startGit } from '../processes/child.ts';

/** What a reading child reads: a repository, or a repository and the quarantine of a write session. */
export interface ObjectsLocation {
  readonly gitDir: GitDir;
  readonly objectsFolder?: string;
  /** further `objects` folders */
  readonly alsoReads?: readonly string[];
}

/** The child ended before it answered. */
export class ReadingChildGone extends Error {
  /** whether the child was working on this request, which may have caused its end */
  readonly wasAtWork: boolean;

  constructor(wasAtWork: boolean, stderr: string) {
    super(`git cat-file ended: ${stderr}`);
    this.name = 'ReadingChildGone';
    this.wasAtWork = wasAtWork;
  }
}

export type Answer = (ObjectInfo & { readonly content: Buffer | null }) | undefined;

interface Request {
  readonly withContent: boolean;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const LF = 0x0a;

/**
 * A running `git cat-file --batch-command`. It takes many concurrent requests and answers them in order.
 *
 * @see git-cat-file(1), BATCH OUTPUT
 */
export class CatFile {
  readonly #child: GitChild;
  readonly #pending: Request[] = [];
  readonly #onIdle: () => void;
  #header: Buffer[] = [];
  #body: { info: ObjectInfo; bytes: Buffer; filled: number } | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isGone = false;

  private constructor(child: GitChild, onIdle: () => void) {
    this.#child = child;
    this.#onIdle = onIdle;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    void child.done.then(({ stderr }) => this.#gone(stderr));
    this.#watch();
  }

  static async start(location: ObjectsLocation, onIdle: () => void): Promise<CatFile> {
    const child = await startGit(
      { args: ['cat-file', '--batch-command'], ...location },
      { slots: null, deadlineMs: 2 ** 31 - 1 },
    );
    return new CatFile(child, onIdle);
  }

  get isBusy(): boolean {
    return this.#pending.length > 0;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  ask(oid: Oid, withContent: boolean): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#isGone) return reject(new ReadingChildGone(false, ''));
      this.#pending.push({ withContent, resolve, reject });
      this.#child.stdin.write(`${withContent ? 'contents' : 'info'} ${oid}\n`);
    });
  }

  end(): void {
    this.#gone('');
    this.#child.end();
  }

  #read(chunk: Buffer): void {
    this.#watch();
    let rest = chunk;
    while (rest.length > 0) rest = this.#body === null ? this.#readHeader(rest) : this.#readBody(rest);
  }

  #readHeader(chunk: Buffer): Buffer {
    const end = chunk.indexOf(LF);
    if (end === -1) {
      this.#header.push(chunk);
      return chunk.subarray(chunk.length);
    }
    const line = Buffer.concat([...this.#header, chunk.subarray(0, end)]).toString('latin1');
    this.#header = [];
    const info = readInfo(line);
    const withContent = this.#pending[0]?.withContent ?? false;
    if (info === undefined) this.#answer(undefined);
    else if (!withContent) this.#answer({ ...info, content: null });
    // A line feed follows the content.
    else this.#body = { info, bytes: Buffer.allocUnsafeSlow(info.sizeBytes + 1), filled: 0 };
    return chunk.subarray(end + 1);
  }

  #readBody(chunk: Buffer): Buffer {
    const body = this.#body;
    if (body === null) return chunk;
    const taken = chunk.copy(body.bytes, body.filled);
    body.filled += taken;
    if (body.filled === body.bytes.length) {
      this.#body = null;
      this.#answer({ ...body.info, content: body.bytes.subarray(0, body.info.sizeBytes) });
    }
    return chunk.subarray(taken);
  }

  #answer(answer: Answer): void {
    this.#pending.shift()?.resolve(answer);
    if (this.#pending.length === 0) this.#onIdle();
  }

  /** Restarts the timer that ends the child: without requests it is idle for too long, with requests it hangs. */
  #watch(): void {
    if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.end(), GIT_LIMITS.catFileIdleMs).unref();
    } else this.#timer.refresh();
  }

  #gone(stderr: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#timer);
    const [atWork, ...others] = this.#pending.splice(0);
    atWork?.reject(new ReadingChildGone(true, stderr));
    for (const request of others) request.reject(new ReadingChildGone(false, stderr));
    this.#onIdle();
  }
}

/** Parses `<oid> <type> <size>`. Any other line, such as `<oid> missing`, means that the object is absent. */
function readInfo(line: string): ObjectInfo | undefined {
  const [, type = '', size = ''] = line.split(' ');
  return isObjectType(type) ? { type, sizeBytes: Number(size) } : undefined;
}
