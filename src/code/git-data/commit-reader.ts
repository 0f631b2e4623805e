import type { Viewer } from '../../api/access/viewer.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import type { Commit, Oid } from '../../git/format/model.ts';
import type { CommitChanges } from '../../git/interface/history.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { signedCommit } from '../verification/model.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { GIT_DATA_LIMITS } from './limits.ts';
import type { CommitDetails, CommitOptions, KnownCommit } from './model.ts';

/** A repository that the viewer may read, at one version. */
export interface OpenRepository {
  readonly repository: Repository;
  readonly snapshot: Snapshot;
}

interface Dependencies {
  readonly accounts: Accounts;
  readonly git: Pick<GitStorage, 'history'>;
  readonly verifier: SignatureVerifier;
}

/** Reads everything that responses show of commits: accounts of their authors, and their changes. */
export class CommitReader {
  readonly #use: Dependencies;
  readonly #changes = createSizedCache<string, CommitChanges>({
    sizeMax: GIT_DATA_LIMITS.changedFilesCachedMax,
    sizeOf: ({ files }) => files.length + 1,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Reads commits with the accounts of their authors and what was asked for, but without their changes. */
  async read(
    viewer: Viewer,
    { repository, snapshot }: OpenRepository,
    oids: readonly Oid[],
    { hasVerification }: Pick<CommitOptions, 'hasVerification'>,
  ): Promise<readonly KnownCommit[]> {
    const commits = await Promise.all(oids.map((oid) => snapshot.objects.readCommit(oid)));
    const emails = commits.flatMap(({ author, committer }) => [author.email, committer.email]);
    const accounts = await this.#use.accounts.findByCommitEmails(viewer, emails);
    const accountOf = (email: string) => accounts.get(email.toLowerCase()) ?? null;
    const signed = hasVerification ? commits.map(signedCommit) : [];
    const verifications = await this.#use.verifier.verify(viewer, signed);
    return commits.map((commit, index) => ({
      repository,
      commit,
      author: accountOf(commit.author.email),
      committer: accountOf(commit.committer.email),
      verification: verifications[index] ?? null,
    }));
  }

  /**
   * Adds the changes that were asked for.
   *
   * @throws ForgeError `busy`; `invalid` if there are too many changes to list
   */
  async describe(
    snapshot: Snapshot,
    known: readonly KnownCommit[],
    options: CommitOptions,
  ): Promise<readonly CommitDetails[]> {
    const needsChanges = options.hasStats || options.hasFiles;
    const commits = known.map(({ commit }) => commit);
    const changes = needsChanges ? await this.#changesOf(snapshot, commits, options.hasStats) : new Map();
    return known.map((each) => ({ ...each, changes: changes.get(each.commit.oid) ?? null, options }));
  }

  async #changesOf(
    snapshot: Snapshot,
    commits: readonly Commit[],
    countsLines: boolean,
  ): Promise<ReadonlyMap<Oid, CommitChanges>> {
    const keyOf = ({ oid }: Commit) => `${snapshot.id} ${oid} ${countsLines}`;
    const found = new Map<Oid, CommitChanges>();
    const wanted: Commit[] = [];
    for (const commit of commits) {
      const known = this.#changes.get(keyOf(commit));
      if (known === undefined) wanted.push(commit);
      else found.set(commit.oid, known);
    }
    const read = await this.#use.git.history.changesOf(snapshot, wanted, { countsLines });
    for (const commit of wanted) {
      const changes = read.get(commit.oid);
      if (changes === undefined) continue;
      found.set(commit.oid, changes);
      this.#changes.set(keyOf(commit), changes);
    }
    return found;
  }
}
