import type { SignedIn, Viewer } from '../access/viewer.ts';
import type { Accounts } from '../accounts/service.ts';
import { ForgeError, invalid, notFound } from '../core/failure.ts';
import { buildCommit, type CommitPerson } from '../git/commit-builder.ts';
import type { Commit, GitStorage, NewBlob, Oid, Snapshot, WriteSession } from '../git/model.ts';
import { branchNameProblem } from '../git/refs/ref-names.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import type { Pushes } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { BranchWriter } from '../repositories/write-branch.ts';
import { CONTENTS } from './actions.ts';
import { editsOf, requirePlainPaths } from './edits.ts';
import { FileContent } from './file-content.ts';
import type { ChangeOptions, FileChange } from './model.ts';
import type { ContentsLocation } from './read.ts';
import { commitMessage, signaturesOf } from './signatures.ts';

const ORIGIN = { kind: 'api' } as const;

export interface WrittenFile {
  /** where to read the change back: the branch that was written, at the new commit */
  readonly location: ContentsLocation;
  readonly commit: Commit;
}

interface Job {
  readonly repository: Repository;
  readonly change: FileChange<NewBlob>;
  readonly options: ChangeOptions;
  readonly caller: CommitPerson;
  /** the branch that the change starts from */
  readonly from: string;
  /** the branch that is written */
  readonly branch: string;
}

/** Writes files: each change is one commit. */
export class ContentsWriter {
  readonly #repositories: Repositories;
  readonly #accounts: Accounts;
  readonly #git: GitStorage;
  readonly #pushes: Pushes;
  readonly #branches: BranchWriter;

  constructor(dependencies: {
    repositories: Repositories;
    accounts: Accounts;
    git: GitStorage;
    pushes: Pushes;
    branches: BranchWriter;
  }) {
    this.#repositories = dependencies.repositories;
    this.#accounts = dependencies.accounts;
    this.#git = dependencies.git;
    this.#pushes = dependencies.pushes;
    this.#branches = dependencies.branches;
  }

  /**
   * Finds a repository that the viewer may change, before the server reads a body, which may be large.
   *
   * @throws ForgeError `not_found`, `unauthenticated`, `forbidden`
   */
  async find(viewer: Viewer, path: RepositoryPath): Promise<Repository> {
    return (await this.#repositories.get(viewer, path, CONTENTS.write)).repository;
  }

  /** Returns a place for the content of a file in the repository. Discard it when the request ends. */
  contentFor({ id, objectFormat }: Repository): FileContent {
    return new FileContent(this.#git.draftBlob(id, objectFormat));
  }

  /**
   * Changes one file as one commit. If the branch moves meanwhile, rebuilds the change on the new tip. It is a
   * conflict only if the same path has changed.
   *
   * @param repository as `find` returned it
   * @throws ForgeError `not_found`, `forbidden`, `archived`, `invalid`, `already_exists`
   */
  async change(
    viewer: SignedIn,
    repository: Repository,
    change: FileChange,
    options: ChangeOptions,
  ): Promise<WrittenFile> {
    this.#pushes.requireOpen({ repository, origin: ORIGIN });
    requirePlainPaths(change);
    const caller = await this.#accounts.commitPerson(viewer.accountId);
    const from = options.branch ?? repository.defaultBranch;
    const branch = options.newBranch ?? from;
    const write = (ready: FileChange<NewBlob>) =>
      this.#write(viewer, { repository, change: ready, options, caller, from, branch });
    const commit =
      change.kind === 'delete'
        ? await write(change)
        : await change.content.use((content) => write({ ...change, content }));
    const snapshot = await this.#git.open(repository.id);
    const ref = { kind: 'branch', name: branch, asked: branch } as const;
    return { commit, location: { repository, snapshot, ref, commit: commit.oid, path: change.path } };
  }

  async #write(viewer: SignedIn, job: Job): Promise<Commit> {
    const { repository, branch } = job;
    return this.#branches.write({
      repository,
      branch,
      pusher: viewer,
      origin: ORIGIN,
      build: async (session, tip) => {
        const commit = await buildChange(session, job, parentOf(session.base, job, tip));
        return { commit: commit.oid, result: commit };
      },
    });
  }
}

/**
 * Returns the commit to build on; null for the first commit of an empty repository.
 *
 * @param tip of the branch to write
 * @throws ForgeError `not_found`, `invalid`, `already_exists`
 */
function parentOf(base: Snapshot, job: Job, tip: Oid | null): Oid | null {
  const { from, branch, options } = job;
  const problem = branchNameProblem(branch);
  if (problem !== undefined) throw invalid(`${problem} [branch: ${branch}]`);
  const parent = base.ref(`refs/heads/${from}`) ?? null;
  if (parent === null) {
    requireEmpty(base, job);
    return null;
  }
  if (branch !== from && tip !== null && !options.overwriteNewBranch) {
    throw new ForgeError({ kind: 'already_exists', what: `branch already exists [name: ${branch}]` });
  }
  return parent;
}

/** Only an empty repository takes a commit without a parent, and only one that creates a file. */
function requireEmpty(base: Snapshot, { change, from }: Job): void {
  const [anyBranch] = base.refs('refs/heads/');
  if (anyBranch !== undefined) throw notFound(`branch ${from}`);
  if (change.kind === 'update') throw invalid('repo is empty');
  if (change.kind === 'delete') throw notFound('path');
}

async function buildChange(session: WriteSession, job: Job, parent: Oid | null): Promise<Commit> {
  const { change, options, caller } = job;
  const edits = await editsOf(session, parent, change);
  const signatures = signaturesOf(options, caller, Date.now());
  return buildCommit(session, {
    parents: parent === null ? [] : [parent],
    edits,
    ...signatures,
    message: commitMessage(options, defaultMessage(change), signatures.committer),
  });
}

function defaultMessage(change: FileChange<unknown>): string {
  const verb = { create: 'Add', update: 'Update', delete: 'Delete' }[change.kind];
  return `${verb} ${change.path}`;
}
