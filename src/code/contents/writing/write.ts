import type { SignedIn, Viewer } from '../../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database } from '../../../base/database/database.ts';
import type { EditedTree } from '../../../git/format/edited-tree.ts';
import type { Commit, Oid } from '../../../git/format/model.ts';
import { BRANCHES, branchNameProblem, branchRef } from '../../../git/format/ref-names.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { NewBlob, WriteSession } from '../../../git/interface/writes.ts';
import { commitTree } from '../../../git/trees/commit-builder.ts';
import { treeOn } from '../../../git/trees/write-tree.ts';
import type { LargeFiles } from '../../../hosting/lfs/service.ts';
import type { Repository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { Pushes } from '../../../hosting/repositories/refs/pushes.ts';
import type { BranchWriter } from '../../../hosting/repositories/refs/write-branch.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import { signedCommit, type Verification } from '../../verification/model.ts';
import type { SignatureVerifier } from '../../verification/service.ts';
import { type FileContent, FileContents } from '../file-contents.ts';
import type { ChangeOptions, ContentsPlace, FileChange } from '../model.ts';
import { commitMessage, isByCaller, signaturesOf } from '../signatures.ts';
import { LargeContents, type LargePaths } from './large-contents.ts';
import {
  contentOf,
  type PlannedCommit,
  planChanges,
  planPatch,
  readyChanges,
  requirePlainPaths,
} from './plan.ts';
import { type ChangeTarget, findTarget, requireBranch } from './target.ts';

export interface WrittenChange {
  /** where to read the changes back: the branch that was written, at the new commit */
  readonly place: ContentsPlace;
  readonly commit: Commit;
  readonly verification: Verification;
}

/** What changes and patches have in common. */
interface CommitRequest extends ChangeTarget {
  readonly options: ChangeOptions;
  /** Throws if the caller does not accept the commit to build on; null: there is none yet. undefined: accepts any */
  readonly requireCurrent: ((tree: EditedTree, parent: Oid | null) => Promise<void>) | undefined;
}

/** A change as a request describes it. */
interface ChangeRequest extends CommitRequest {
  readonly changes: readonly FileChange[];
  readonly contents: FileContents;
}

/** A patch as a request describes it. */
interface PatchRequest extends CommitRequest {
  /** in the form of `git diff` or `git format-patch` */
  readonly patch: Uint8Array;
}

/** One attempt to make a change, on the newest version of the branch. */
interface Attempt {
  readonly session: WriteSession;
  /** the commit to build on; null: there is none yet */
  readonly parent: Oid | null;
}

interface Dependencies {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly git: Pick<GitStorage, 'refs' | 'writes'>;
  readonly pushes: Pushes;
  readonly branches: BranchWriter;
  readonly largeFiles: LargeFiles;
  readonly verifier: SignatureVerifier;
}

/** Writes files: each request is one commit. */
export class ContentsWriter {
  readonly #use: Dependencies;
  readonly #large: LargeContents;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#large = new LargeContents(dependencies);
  }

  /**
   * Finds a repository that the viewer may change, before the server reads a body, which may be large.
   *
   * @throws ForgeError as `findTarget`
   */
  find(viewer: Viewer, path: RepositoryPath): Promise<ChangeTarget> {
    return findTarget(this.#use, viewer, path);
  }

  /** Returns a place for the contents of files in the repository. Discard it when the request ends. */
  contentsFor({ id, objectFormat }: Repository): FileContents {
    return new FileContents(this.#use.git.writes.draftBlobs(id, objectFormat));
  }

  /**
   * Changes files as one commit: all changes or none. If the branch moves meanwhile, plans them again on the new tip. It is
   * a conflict only if the same paths have changed.
   *
   * @throws ForgeError `not_found`, `forbidden`, `archived`, `invalid`, `already_exists`, and as `requireCurrent`
   *   and `LargeFiles.receive`
   */
  async change(viewer: SignedIn, request: ChangeRequest): Promise<WrittenChange> {
    const { repository, changes, contents } = request;
    const { objectFormat } = repository;
    await this.#requireWritable(viewer, request);
    requirePlainPaths(changes);
    const { large, pointers } = await this.#storeLarge(viewer, request);
    const sent = changes.flatMap((change) => contentOf(change) ?? []).filter((one) => !pointers.has(one));
    return contents.use(sent, (blobs) => {
      const arrived = new Map<FileContent, NewBlob | undefined>(pointers);
      for (const [index, content] of sent.entries()) arrived.set(content, blobs[index]);
      const ready = readyChanges(objectFormat, changes, arrived);
      return this.#write(viewer, request, async (tree, { session, parent }) => {
        await this.#large.requireSame(session.objects, parent, ready, large);
        return planChanges(tree, ready);
      });
    });
  }

  /** Stores the contents of large files before the branch's turn, if the change would succeed at the moment. */
  async #storeLarge(
    viewer: SignedIn,
    { repository, changes, contents, options }: ChangeRequest,
  ): Promise<{ large: LargePaths | undefined; pointers: ReadonlyMap<FileContent, Buffer> }> {
    const snapshot = await this.#use.git.refs.open(repository.id);
    const { objects } = snapshot;
    const tip = snapshot.ref(branchRef(options.branch ?? repository.defaultBranch));
    if (tip === undefined) return { large: undefined, pointers: new Map() };
    const large = await this.#large.findPaths(objects, tip, changes);
    if (large.paths.size === 0) return { large, pointers: new Map() };
    const withoutContents = readyChanges(repository.objectFormat, changes, new Map());
    await planChanges(await treeOn({ base: snapshot, objects }, tip), withoutContents);
    return { large, pointers: await this.#large.store({ viewer, repository }, contents, { changes, large }) };
  }

  /**
   * Applies a patch as one commit. If the branch moves meanwhile, applies it to the new tip.
   *
   * @throws ForgeError as `change`; `invalid` if the patch does not apply
   */
  async applyPatch(viewer: SignedIn, request: PatchRequest): Promise<WrittenChange> {
    await this.#requireWritable(viewer, request);
    return this.#write(viewer, request, async (tree, { session }) => {
      return planPatch(tree, await session.applyPatch(tree, request.patch));
    });
  }

  /** @throws ForgeError `archived`, `forbidden` (a mirror, or a branch that the viewer may not write) */
  async #requireWritable(viewer: SignedIn, request: CommitRequest): Promise<void> {
    this.#use.pushes.requireOpen(request);
    await requireBranch(this.#use, viewer, request, branchesOf(request).branch);
  }

  /**
   * Writes one commit. If another writer was faster, plans it again.
   *
   * @param plan edits the tree of the commit to build on
   */
  async #write(
    viewer: SignedIn,
    request: CommitRequest,
    plan: (tree: EditedTree, attempt: Attempt) => Promise<PlannedCommit>,
  ): Promise<WrittenChange> {
    const caller = await this.#use.accounts.commitPerson(viewer.accountId);
    const { repository, origin, options, requireCurrent } = request;
    const { from, branch } = branchesOf(request);
    const commit = await this.#use.branches.write({
      repository,
      branch,
      pusher: viewer,
      origin,
      build: async (session, tip) => {
        const parent = parentOf(session.base, { from, branch, options }, tip);
        const tree = await treeOn(session, parent);
        await requireCurrent?.(tree, parent);
        const { blobs, summary } = await plan(tree, { session, parent });
        const signatures = signaturesOf(options, caller, currentTimeMs());
        const message = commitMessage(options, summary, signatures.committer);
        const parents = parent === null ? [] : [parent];
        const isUnsigned = !isByCaller(signatures, caller);
        const facts = { parents, tree, blobs, ...signatures, message, isUnsigned };
        const built = await commitTree(session, facts);
        return { commit: built.oid, result: built };
      },
    });
    const snapshot = await this.#use.git.refs.open(repository.id);
    const ref = { kind: 'branch', name: branch, asked: branch } as const;
    const verification = await this.#use.verifier.verifyOne(viewer, signedCommit(commit));
    return { commit, verification, place: { repository, snapshot, ref, commit: commit.oid } };
  }
}

function branchesOf({ repository, options }: CommitRequest) {
  const from = options.branch ?? repository.defaultBranch;
  return { from, branch: options.newBranch ?? from };
}

/** The branches of a change. */
interface Branches {
  /** the branch that the change starts from */
  readonly from: string;
  /** the branch that is written */
  readonly branch: string;
  readonly options: ChangeOptions;
}

/**
 * Returns the commit to build on; null for the first commit of an empty repository.
 *
 * @param tip of the branch to write
 * @throws ForgeError `not_found`, `invalid`, `already_exists`
 */
function parentOf(base: Snapshot, { from, branch, options }: Branches, tip: Oid | null): Oid | null {
  const problem = branchNameProblem(branch);
  if (problem !== undefined) throw invalid(`${problem} [branch: ${branch}]`);
  const parent = base.ref(branchRef(from)) ?? null;
  if (parent === null) {
    const [anyBranch] = base.refs(BRANCHES);
    if (anyBranch !== undefined) throw notFound(`branch ${from}`);
    return null;
  }
  if (branch !== from && tip !== null && !options.overwriteNewBranch) {
    throw new ForgeError({ kind: 'already_exists', what: `branch already exists [name: ${branch}]` });
  }
  return parent;
}
