import type { SignedIn } from '../../../api/access/viewer.ts';
import { isFailure, undefinedIf } from '../../../base/core/failure.ts';
import { createCountedCache } from '../../../base/core/sized-cache.ts';
import type { CommitReader, OpenRepository } from '../../../code/git-data/commit-reader.ts';
import type { CommitDetails } from '../../../code/git-data/model.ts';
import { presentVerification } from '../../../code/verification/present.ts';
import type { Oid, Signature } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { ChangedFile, GainedCommits } from '../../../git/interface/history.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { repositoryAddresses } from '../../../hosting/repositories/present.ts';
import type { Addresses } from '../../../http/app.ts';
import { wireTime } from '../../../http/time.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import { WEBHOOK_LIMITS } from '../limits.ts';
import type { Payload } from '../model.ts';

/** A branch that has moved; null: it was created. */
export interface MovedBranch {
  readonly name: string;
  readonly old: Oid | null;
  readonly new: Oid;
}

const NONE: GainedCommits = { oids: [], total: 0 };
const WANTED = { hasStats: false, hasFiles: true, hasVerification: true } as const;

interface Dependencies {
  readonly git: Pick<GitStorage, 'history'>;
  readonly commitReader: CommitReader;
  readonly addresses: Addresses;
}

/** Reads commits for payloads. Commits never change, so the commits of a push are listed once for all webhooks. */
export class PushedCommits {
  readonly #use: Dependencies;
  readonly #listed = createCountedCache<string, GainedCommits>({
    entriesMax: WEBHOOK_LIMITS.pushesRememberedMax,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Returns the newest commits that a branch has gained, and how many there are in all. A new branch has gained the
   * commits that the default branch lacks.
   *
   * @throws ForgeError `busy`
   */
  async ofBranch(
    viewer: SignedIn,
    opened: OpenRepository,
    branch: MovedBranch,
  ): Promise<{ readonly commits: readonly Payload[]; readonly total: number }> {
    const { oids, total } = await this.#list(opened, branch);
    return { commits: await this.present(viewer, opened, oids), total };
  }

  async #list(opened: OpenRepository, branch: MovedBranch): Promise<GainedCommits> {
    const { repository, snapshot } = opened;
    const tip = branch.old ?? snapshot.ref(branchRef(repository.defaultBranch));
    const base = branch.old === null && branch.name === repository.defaultBranch ? null : (tip ?? null);
    const key = `${snapshot.id} ${base} ${branch.new}`;
    const known = this.#listed.get(key);
    if (known !== undefined) return known;
    const listed = await this.#use.git.history
      .listGained(snapshot, { tip: branch.new, base }, WEBHOOK_LIMITS.commitsPerPayloadMax)
      // A later push has removed the commits.
      .catch(undefinedIf('not_found'));
    if (listed !== undefined) this.#listed.set(key, listed);
    return listed ?? NONE;
  }

  /** Presents commits that exist, with the paths that they change. @throws ForgeError `busy` */
  async present(viewer: SignedIn, opened: OpenRepository, oids: readonly Oid[]): Promise<readonly Payload[]> {
    const { commitReader } = this.#use;
    if (oids.length === 0) return [];
    const known = await commitReader.read(viewer, opened, oids, WANTED);
    const details = await commitReader.describe(opened.snapshot, known, WANTED).catch((error) => {
      // There are too many changes to list them.
      if (!isFailure(error, 'invalid')) throw error;
      return commitReader.describe(opened.snapshot, known, { ...WANTED, hasFiles: false });
    });
    return details.map((commit) => this.#present(commit));
  }

  /** As `present`, for one commit that may be missing. */
  async presentOne(viewer: SignedIn, opened: OpenRepository, oid: Oid): Promise<Payload | null> {
    const commit = await opened.snapshot.objects.peelToCommit(oid).catch((error) => {
      if (!isFailure(error, 'not_found')) throw error;
      return undefined;
    });
    if (commit === undefined) return null;
    const [presented = null] = await this.present(viewer, opened, [commit]);
    return presented;
  }

  #present({ repository, commit, author, committer, verification, changes }: CommitDetails): Payload {
    const { htmlUrl } = repositoryAddresses(repository, this.#use.addresses);
    const files = changes?.files ?? [];
    return {
      id: commit.oid,
      message: commit.message,
      url: `${htmlUrl}/commit/${commit.oid}`,
      author: presentPerson(commit.author, author),
      committer: presentPerson(commit.committer, committer),
      verification: verification === null ? null : presentVerification(verification),
      timestamp: wireTime(commit.committer.seconds * 1000),
      added: pathsOf(files, 'added'),
      removed: pathsOf(files, 'removed'),
      modified: pathsOf(files, 'modified'),
    };
  }
}

function presentPerson({ name, email }: Signature, account: PublicAccount | null): Payload {
  return { name, email, username: account?.name ?? '' };
}

function pathsOf(files: readonly ChangedFile[], wanted: ChangedFile['status']): readonly string[] {
  return files
    .filter(({ status }) => status === wanted)
    .slice(0, WEBHOOK_LIMITS.pathsPerCommitMax)
    .map(({ path }) => path);
}
