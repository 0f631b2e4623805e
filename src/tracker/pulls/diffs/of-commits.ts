import type { Viewer } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import type { Database } from '../../../base/database/database.ts';
import { COMMIT } from '../../../code/commits/actions.ts';
import type { CommitOf } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { requirePermitted } from '../../../hosting/repositories/authorize.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import { resolveRef } from '../../../hosting/repositories/refs/resolve-ref.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { Pull } from '../model.ts';
import type { Pulls } from '../service.ts';
import { findMergedAs, listMergedSince } from '../store/commits.ts';

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
   * and not in its base.
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
    const { committer } = await snapshot.objects.readCommit(oid);
    const merged = await listMergedSince(this.#use.database.reader, snapshot.id, {
      since: committer.seconds * 1000 - CLOCK_ERROR_MS,
      countMax: PULL_LIMITS.mergesSearchedMax,
    });
    const tips = new Set(merged.flatMap(({ head, base }) => [head, base]));
    const reaching = await this.#use.git.history.listReaching(commit, [...tips]);
    return merged.find(({ head, base }) => reaching.has(head) && !reaching.has(base))?.issueId;
  }
}
