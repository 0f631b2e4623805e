import { randomBytes } from 'node:crypto';
import type { Answer } from '../../support/http/http.ts';
import type { Ledger } from '../ledger.ts';
import { type Client, OWNER, REPOSITORY, type Target } from './client.ts';

const WORD_BYTES = 8;
/** The branch that all of these clients write to concurrently. */
export const SHARED_BRANCH = 'main';

interface FileWrite {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  /** content of the file and message of the commit */
  readonly word: string;
  /** blob oid of the file before the change */
  readonly sha?: string;
}

/** Creates and changes files through the API, on a branch that other clients also write to. */
export class FileWriter implements Client {
  readonly #ledger: Ledger;
  readonly #ownPath: string;
  #ownSha: string | undefined;
  #pending: FileWrite | undefined;
  #step = 0;

  constructor(options: { ledger: Ledger; name: string }) {
    this.#ledger = options.ledger;
    this.#ownPath = `own/${options.name}.txt`;
  }

  async step(target: Target): Promise<void> {
    this.#step += 1;
    const write = this.#next();
    const { outcome, answer } = await target.change(write.method, filePath(write.path), {
      json: bodyOf(write),
    });
    this.#ledger.recordCommit(write.word, SHARED_BRANCH, outcome);
    this.#pending = outcome === 'unanswered' ? write : undefined;
    if (outcome === 'acknowledged') this.#rememberOid(write, answer);
    if (outcome === 'rejected') target.problems.push(`${write.path} was rejected: ${answer?.text}`);
  }

  #next(): FileWrite {
    const word = randomBytes(WORD_BYTES).toString('hex');
    if (this.#step % 2 === 0) return { method: 'POST', path: `files/${word.slice(0, 2)}/${word}.txt`, word };
    if (this.#ownSha === undefined) return { method: 'POST', path: this.#ownPath, word };
    return { method: 'PUT', path: this.#ownPath, word, sha: this.#ownSha };
  }

  #rememberOid(write: FileWrite, answer: Answer | undefined): void {
    if (write.path === this.#ownPath) this.#ownSha = answer?.body.content.sha;
  }

  async retry(target: Target): Promise<void> {
    const write = this.#pending;
    if (write === undefined) return;
    this.#ledger.retried += 1;
    const { outcome, answer } = await target.change(write.method, filePath(write.path), {
      json: bodyOf(write),
    });
    if (outcome === 'acknowledged') this.#rememberOid(write, answer);
    else await this.#requireWritten(target, write, answer);
    this.#ledger.recordCommit(write.word, SHARED_BRANCH, 'acknowledged');
    this.#pending = undefined;
  }

  /**
   * Checks that a rejected retry had succeeded before the crash: the file has the requested content.
   *
   * @throws if it has not
   */
  async #requireWritten(target: Target, write: FileWrite, rejection: Answer | undefined): Promise<void> {
    const found = await target.send('GET', filePath(write.path));
    const content = Buffer.from(String(found?.body?.content ?? ''), 'base64').toString();
    if (rejection?.status !== 422 || content !== write.word) {
      throw new Error(`the retry of ${write.path} failed: ${rejection?.status} ${rejection?.text}`);
    }
    if (write.path === this.#ownPath) this.#ownSha = found?.body.sha;
  }
}

function filePath(path: string): string {
  return `/api/v1/repos/${OWNER}/${REPOSITORY}/contents/${path}`;
}

function bodyOf(write: FileWrite): object {
  const content = Buffer.from(write.word).toString('base64');
  const sha = write.sha === undefined ? {} : { sha: write.sha };
  return { content, message: write.word, branch: SHARED_BRANCH, ...sha };
}
