import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Db } from '../../base/database/database.ts';
import type { Oid } from '../../git/format/model.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { REASONS, signedCommit, type Verification } from '../verification/model.ts';
import type { Examined, SignatureVerifier } from '../verification/service.ts';
import { PROTECTION_LIMITS } from './limits.ts';

const WHY: Readonly<Record<string, string>> = {
  [REASONS.notSigned]: 'is not signed',
  [REASONS.unreadable]: 'has a signature that cannot be read',
  [REASONS.unknownKey]: 'is signed with a key that no user with the e-mail address of its committer has',
  [REASONS.badSignature]: 'has a wrong signature, or its key was expired or revoked',
};

/** Verifies the new commits of one push, for the branches that require signatures. */
export class RequiredSignatures {
  readonly #session: WriteSession;
  readonly #verifier: SignatureVerifier;
  readonly #examined: Examined[] = [];

  constructor(session: WriteSession, verifier: SignatureVerifier) {
    this.#session = session;
    this.#verifier = verifier;
  }

  /**
   * Explains which of the commits from `base` to `tip` is not signed; undefined if all are.
   *
   * @throws ForgeError `busy`
   */
  async problemWith(base: Oid | null, tip: Oid): Promise<string | undefined> {
    // Most pushes without signatures have none at their end, either.
    const first = await this.#problemIn([tip]);
    if (first !== undefined) return first;
    const most = PROTECTION_LIMITS.signedCommitsPerPushMax;
    const oids = await this.#session.listCommitsSince({ tip, base }, most + 1);
    if (oids.length > most)
      return `it takes at most ${most} new commits at once, because they must be signed`;
    const size = PROTECTION_LIMITS.signedCommitsInOneGo;
    for (let from = 0; from < oids.length; from += size) {
      currentCaller().left?.throwIfAborted();
      const problem = await this.#problemIn(oids.slice(from, from + size));
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** Whether the keys that decided are unchanged. */
  stillHold(db: Db): Promise<boolean> {
    return this.#verifier.stillHold(db, this.#examined);
  }

  async #problemIn(oids: readonly Oid[]): Promise<string | undefined> {
    const commits = await Promise.all(oids.map((oid) => this.#session.objects.readCommit(oid)));
    const examined = await this.#verifier.examine(commits.map(signedCommit));
    const at = examined.verifications.findIndex(({ isVerified }) => !isVerified);
    if (at !== -1) return explain(oids[at] ?? '', examined.verifications[at]);
    this.#examined.push({ ...examined, verifications: [] });
    return undefined;
  }
}

function explain(oid: Oid, verification: Verification | undefined): string {
  const why = WHY[verification?.reason ?? ''] ?? 'is not signed';
  return `it takes only signed commits, and ${oid.slice(0, 10)} ${why}`;
}
