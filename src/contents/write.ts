import type { SignedIn, Viewer } from '../access/viewer.ts';
import type { Accounts } from '../accounts/service.ts';
import { ForgeError, invalid, notFound } from '../core/failure.ts';
import { buildCommit } from '../git/commit-builder.ts';
import type { Commit, GitStorage, NewBlob, Oid, Snapshot, WriteSession } from '../git/model.ts';
import { branchNameProblem } from '../git/refs/ref-names.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import type { Pushes } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { BranchWriter } from '../repositories/write-branch.ts';
import { CONTENTS } from './actions.ts';
import { editsOf, requirePlainPaths } from './edits.ts';
import { type FileContent, FileContents } from './file-contents.ts';
import type { ChangeOptions, ContentsPlace, FileChange } from './model.ts';
import { type ChangingPerson, commitMessage, signaturesOf } from './signatures.ts';

const ORIGIN = { kind: 'api' } as const;

export interface WrittenChange {
  /** where to read the changes back: the branch that was written, at the new commit */
  readonly place: ContentsPlace;
  readonly commit: Commit;
}

/** A change as a request describes it. */
export interface ChangeRequest {
  /** as `find` returned it */
  readonly repository: Repository;
  readonly changes: readonly FileChange[];
  readonly contents: FileContents;
  readonly options: ChangeOptions;
  /** Throws if the caller does not accept the commit to build on; null: there is none yet. undefined: accepts any */
  readonly requireCurrent: ((session: WriteSession, parent: Oid | null) => Promise<void>) | undefined;
}

interface Job extends Pick<ChangeRequest, 'repository' | 'options' | 'requireCurrent'> {
  readonly changes: readonly FileChange<NewBlob>[];
  readonly caller: ChangingPerson;
  /** the branch that the change starts from */
  readonly from: string;
  /** the branch that is written */
  readonly branch: string;
}

/** Writes files: each request is one commit. */
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

  /** Returns a place for the contents of files in the repository. Discard it when the request ends. */
  contentsFor({ id, objectFormat }: Repository): FileContents {
    return new FileContents(this.#git.draftBlobs(id, objectFormat));
  }

  /**
   * Changes files as one commit: all changes or none. If the branch moves meanwhile, rebuilds them on the new tip. It is a
   * conflict only if the same paths have changed.
   *
   * @throws ForgeError `not_found`, `forbidden`, `archived`, `invalid`, `already_exists`, and as `requireCurrent`
   */
  async change(viewer: SignedIn, request: ChangeRequest): Promise<WrittenChange> {
    const { repository, changes, contents, options } = request;
    this.#pushes.requireOpen({ repository, origin: ORIGIN });
    requirePlainPaths(changes);
    const caller = await this.#accounts.commitPerson(viewer.accountId);
    const from = options.branch ?? repository.defaultBranch;
    const branch = options.newBranch ?? from;
    const sent = changes.flatMap((change) => contentOf(change) ?? []);
    const commit = await contents.use(sent, (blobs) => {
      const stored = new Map(sent.map((content, index) => [content, blobs[index]]));
      const ready = changes.map((change) => withBlob(change, stored));
      return this.#write(viewer, { ...request, changes: ready, caller, from, branch });
    });
    const snapshot = await this.#git.open(repository.id);
    const ref = { kind: 'branch', name: branch, asked: branch } as const;
    return { commit, place: { repository, snapshot, ref, commit: commit.oid } };
  }

  async #write(viewer: SignedIn, job: Job): Promise<Commit> {
    const { repository, branch } = job;
    return this.#branches.write({
      repository,
      branch,
      pusher: viewer,
      origin: ORIGIN,
      build: async (session, tip) => {
        const parent = parentOf(session.base, job, tip);
        await job.requireCurrent?.(session, parent);
        const commit = await buildChange(session, job, parent);
        return { commit: commit.oid, result: commit };
      },
    });
  }
}

function contentOf(change: FileChange): FileContent | undefined {
  return change.kind === 'delete' ? undefined : change.content;
}

function withBlob(
  change: FileChange,
  stored: ReadonlyMap<FileContent, NewBlob | undefined>,
): FileChange<NewBlob> {
  if (change.kind === 'delete') return change;
  return { ...change, content: change.content === undefined ? undefined : stored.get(change.content) };
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

/** Only an empty repository takes a commit without a parent, and only one that creates files. */
function requireEmpty(base: Snapshot, { changes, from }: Job): void {
  const [anyBranch] = base.refs('refs/heads/');
  if (anyBranch !== undefined) throw notFound(`branch ${from}`);
  const other = changes.find(({ kind }) => kind === 'update' || kind === 'delete');
  if (other?.kind === 'update') throw invalid('repo is empty');
  if (other?.kind === 'delete') throw notFound('path');
}

async function buildChange(session: WriteSession, job: Job, parent: Oid | null): Promise<Commit> {
  const { changes, options, caller } = job;
  const edits = await editsOf(session, parent, changes);
  const signatures = signaturesOf(options, caller, Date.now());
  return buildCommit(session, {
    parents: parent === null ? [] : [parent],
    edits,
    ...signatures,
    message: commitMessage(options, defaultMessage(changes), signatures.committer),
  });
}

const VERBS = { create: 'Add', update: 'Update', upload: 'Update', delete: 'Delete' } as const;

/** Returns one line for each kind of change, with its paths. */
function defaultMessage(changes: readonly FileChange<unknown>[]): string {
  const lines = (['Add', 'Update', 'Delete'] as const).flatMap((verb) => {
    const paths = changes.filter(({ kind }) => VERBS[kind] === verb).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${verb} ${paths.join(', ')}`];
  });
  return lines.join('\n');
}
