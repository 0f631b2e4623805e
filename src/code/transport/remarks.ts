import type { Viewer } from '../../api/access/viewer.ts';
import { unlessAborted } from '../../base/core/fairness/unless-aborted.ts';
import { printable } from '../../base/core/text/text.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { TRANSPORT_LIMITS } from './limits.ts';

/** A push whose refs have moved. */
export interface FinishedPush {
  readonly pusher: Viewer;
  /** as it was when the push began */
  readonly permitted: PermittedRepository;
  /** with the refs of the server to which proposals have led */
  readonly moved: readonly RefUpdate[];
}

/** Returns lines for the user who has pushed. */
export type Remark = (push: FinishedPush) => Promise<readonly string[]>;

/** What features say to the user after a push. The push has succeeded, so a failure here is only logged. */
export class Remarks {
  readonly #sources: Remark[] = [];

  /** Adds the remarks of a feature, after those that were added before. */
  add(...sources: readonly Remark[]): void {
    this.#sources.push(...sources);
  }

  /** Returns lines, or '' if there is nothing to say. A remark that takes too long is left out. */
  async about(push: FinishedPush, onFailure: (error: unknown) => void): Promise<string> {
    if (push.moved.length === 0) return '';
    const late = AbortSignal.timeout(TRANSPORT_LIMITS.remarksMs);
    const remarks = this.#sources.map((source) =>
      unlessAborted(linesOf(source, push, onFailure), late).catch(() => []),
    );
    const lines = (await Promise.all(remarks)).flat();
    return lines.map((line) => `${printable(line)}\n`).join('');
  }
}

/** Returns what one source says, or nothing if it fails. */
async function linesOf(
  source: Remark,
  push: FinishedPush,
  onFailure: (error: unknown) => void,
): Promise<readonly string[]> {
  try {
    return await source(push);
  } catch (error) {
    onFailure(error);
    return [];
  }
}
