import type { Viewer } from '../../../api/access/viewer.ts';
import { notFound, undefinedIf } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import { COMMIT } from '../../../code/commits/actions.ts';
import type { Commit } from '../../../git/format/model.ts';
import type { CommitOf, Snapshot } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { requirePermitted } from '../../../hosting/repositories/authorize.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import { resolveRef } from '../../../hosting/repositories/refs/resolve-ref.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { Pull } from '../model.ts';
import type { Pulls } from '../service.ts';
import { findMergedAs, listMergedSince, type MergedCommits } from '../store/commits.ts';

/** Clocks of committers are wrong by up to this time. */
const CLOCK_ERROR_MS = 24 * 60 * 60_000;

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'history'>;
  readonly pulls: Pulls;
}

/** Finds the pull requests that brought commits. */
export class PullsOfCommits {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds the merged pull request that brought a commit first: its merge made the commit, or the commit was in its head
   * and not in its base, or it is what a rebase made of such a commit.
   *
   * @param name a branch, tag or commit
   * @throws ForgeError as `Pulls.open`; `forbidden` if the viewer may not read the code; `not_found`, `busy`
   */
  async get(viewer: Viewer, path: RepositoryPath, name: string): Promise<Pull> {
    const opened = await this.#use.pulls.open(viewer, path);
    requirePermitted(viewer, opened.base, COMMIT.read);
    const { snapshot } = opened;
    const resolved = await resolveRef(snapshot, name);
    if (resolved === undefined) throw notFound('commit');
    const commit = { snapshot, oid: resolved.commit };
    const issueId =
      (await findMergedAs(this.#use.database.reader, snapshot.id, commit.oid)) ??
      (await this.#findWith(commit));
    if (issueId === undefined) throw notFound('pull request');
    return this.#use.pulls.read(viewer, opened, issueId);
  }

  /** Looks at the pull requests that were merged after the commit was made: few merges are between the two. */
  async #findWith(commit: CommitOf): Promise<number | undefined> {
    const { snapshot, oid } = commit;
    const made = await snapshot.objects.readCommit(oid);
    const merged = await listMergedSince(this.#use.database.reader, snapshot.id, {
      since: made.committer.seconds * 1000 - CLOCK_ERROR_MS,
      countMax: PULL_LIMITS.mergesSearchedMax,
    });
    const tips = merged.flatMap(({ head, base, merge }) =>
      merge === null ? [head, base] : [head, base, merge],
    );
    const reaching = await this.#use.git.history.listReaching(commit, [...new Set(tips)]);
    // A rebased commit came into the base with this merge. Other commits may have been there before.
    const first = merged.find(({ merge }) => merge !== null && reaching.has(merge));
    const rebasedBy =
      first !== undefined && !reaching.has(first.head) && (await this.#hasOriginal(snapshot, first, made))
        ? first
        : undefined;
    const brings = (pull: MergedCommits) =>
      pull === rebasedBy || (reaching.has(pull.head) && !reaching.has(pull.base));
    return merged.find(brings)?.issueId;
  }

  /** Whether a commit of a pull request equals this one in everything that a rebase retains. */
  async #hasOriginal(snapshot: Snapshot, { head, base }: MergedCommits, rebased: Commit): Promise<boolean> {
    const range = { head: { snapshot, oid: head }, without: [{ snapshot, oid: base }], path: null };
    const slice = { limit: PULL_LIMITS.rebasedCommitsMax, offset: 0 };
    const retained = retainedOf(rebased);
    let charsLeft = PULL_LIMITS.rebasedMessageCharsReadMax;
    // An imported pull request may lack its head.
    const oids =
      (await this.#use.git.history.listCommits(range, slice).catch(undefinedIf('not_found'))) ?? [];
    for (const oid of oids) {
      const commit = await snapshot.objects.readCommit(oid);
      if (retainedOf(commit) === retained) return true;
      charsLeft -= commit.message.length;
      if (charsLeft < 0) return false;
    }
    return false;
  }
}

/** Returns what a rebase retains of a commit, besides its changes. */
function retainedOf({ author: { name, email, seconds, zone }, message }: Commit): string {
  return JSON.stringify([name, email, seconds, zone, message.trimEnd()]);
}
