import { isSignedIn, type SignedIn, type Viewer } from '../access/viewer.ts';
import type { Accounts } from '../accounts/service.ts';
import { ForgeError, invalid, notFound } from '../core/failure.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import type {
  Commit,
  GitObject,
  GitStorage,
  Oid,
  RefUpdate,
  Snapshot,
  TreeMode,
  WriteSession,
} from '../git/model.ts';
import { encodeCommit, parseCommit } from '../git/objects/commit-format.ts';
import { newObject } from '../git/objects/new-object.ts';
import { editTree, findEntry, type TreeEdit } from '../git/objects/tree-edit.ts';
import { treePathProblem } from '../git/objects/tree-paths.ts';
import { branchNameProblem } from '../git/refs/ref-names.ts';
import { REPOSITORY } from '../repositories/actions.ts';
import type { Repository, RepositoryPath } from '../repositories/model.ts';
import { type Pushes, requireWritable } from '../repositories/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { CONTENTS } from './actions.ts';
import { commitMessage, type Person, signaturesOf } from './identity.ts';
import type { ChangeOptions, FileChange } from './model.ts';
import type { ContentsLocation } from './read.ts';

/** How often a commit is built anew on a tip that moved meanwhile: by pushes, or from another process. */
const ATTEMPTS_MAX = 20;

export interface WrittenFile {
  /** where the change can be read back: the branch it went to, at the new commit */
  readonly location: ContentsLocation;
  readonly commit: Commit;
}

/** Where a change starts from and where it goes to. */
interface Target {
  readonly branch: string;
  /** null: the first commit of an empty repository */
  readonly parent: Oid | null;
  /** what the branch that is written to points to now; null where it does not exist */
  readonly old: Oid | null;
}

export class ContentsWriter {
  readonly #repositories: Repositories;
  readonly #accounts: Accounts;
  readonly #git: GitStorage;
  readonly #pushes: Pushes;
  /** Writers of one branch take turns here, instead of losing races against each other. */
  readonly #turns = new KeyedLock();

  constructor(dependencies: {
    repositories: Repositories;
    accounts: Accounts;
    git: GitStorage;
    pushes: Pushes;
  }) {
    this.#repositories = dependencies.repositories;
    this.#accounts = dependencies.accounts;
    this.#git = dependencies.git;
    this.#pushes = dependencies.pushes;
  }

  /**
   * What is asked before a body, which may be large, is read: whether the caller sees the repository, and is somebody.
   *
   * @throws ForgeError `not_found`, `unauthenticated`
   */
  async requireCaller(viewer: Viewer, path: RepositoryPath): Promise<void> {
    await this.#repositories.get(viewer, path, isSignedIn(viewer) ? REPOSITORY.read : CONTENTS.write);
  }

  /**
   * Changes one file as one commit.
   *
   * @throws ForgeError `not_found`, `unauthenticated`, `forbidden`, `archived`, `invalid`, `already_exists`
   */
  async change(
    viewer: SignedIn,
    path: RepositoryPath,
    change: FileChange,
    options: ChangeOptions,
  ): Promise<WrittenFile> {
    const { repository } = await this.#repositories.get(viewer, path, CONTENTS.write);
    requireWritable(repository);
    const caller = await this.#accounts.commitPerson(viewer.accountId);
    const branch = options.newBranch ?? options.branch ?? repository.defaultBranch;
    const turn = `${repository.id}:${branch}`;
    const write = () => this.#write({ viewer, repository, change, options, caller });
    requirePlainPaths(change);
    return this.#turns.run(turn, write);
  }

  async #write(job: Job): Promise<WrittenFile> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const written = await this.#attempt(job);
      if (written !== 'tip moved') return written;
    }
    throw new ForgeError({
      kind: 'busy',
      what: 'the branch keeps changing: try again',
      retryAfterSeconds: 1,
    });
  }

  async #attempt(job: Job): Promise<WrittenFile | 'tip moved'> {
    await using session = await this.#git.write(job.repository.id);
    const target = targetOf(session.base, job);
    const { commit, objects } = await buildCommit(session, job, target);
    await session.writeObjects(objects);
    const update: RefUpdate = { ref: `refs/heads/${target.branch}`, old: target.old, new: commit.oid };
    const push = {
      repository: job.repository,
      updates: [update],
      atomic: true,
      pusher: job.viewer,
      via: 'api' as const,
    };
    const [result] = await this.#pushes.push(session, push);
    if (result?.outcome === 'refused') {
      if (result.cause === 'stale') return 'tip moved';
      throw invalid(result.why);
    }
    const snapshot = await this.#git.open(job.repository.id);
    const ref = { kind: 'branch' as const, name: target.branch, asked: target.branch };
    const { repository, change } = job;
    return {
      commit,
      location: { repository, snapshot, ref, commit: commit.oid, path: change.path },
    };
  }
}

type FileMode = '100644' | '100755';

interface Job {
  readonly viewer: SignedIn;
  readonly repository: Repository;
  readonly change: FileChange;
  readonly options: ChangeOptions;
  readonly caller: Person;
}

/** @throws ForgeError `invalid` */
function requirePlainPaths(change: FileChange): void {
  const paths =
    change.kind === 'update' && change.fromPath !== undefined
      ? [change.path, change.fromPath]
      : [change.path];
  for (const path of paths) {
    const problem = treePathProblem(path);
    if (problem !== undefined) throw invalid(`${problem} [path: ${path}]`);
  }
}

/** @throws ForgeError `not_found`, `invalid`, `already_exists` */
function targetOf(base: Snapshot, job: Job): Target {
  const from = job.options.branch ?? job.repository.defaultBranch;
  const branch = job.options.newBranch ?? from;
  requireBranchName(branch);
  const parent = base.ref(`refs/heads/${from}`) ?? null;
  if (parent === null) return firstTarget(base, job, { from, branch });
  if (branch === from) return { branch, parent, old: parent };
  const old = base.ref(`refs/heads/${branch}`) ?? null;
  if (old !== null && !job.options.overwriteNewBranch) {
    throw new ForgeError({ kind: 'already_exists', what: `branch already exists [name: ${branch}]` });
  }
  return { branch, parent, old };
}

/** Only an empty repository takes a commit without a parent. */
function firstTarget(base: Snapshot, job: Job, names: { from: string; branch: string }): Target {
  const [anyBranch] = base.refs('refs/heads/');
  if (anyBranch !== undefined) throw notFound(`branch ${names.from}`);
  if (job.change.kind === 'update') throw invalid('repo is empty');
  if (job.change.kind === 'delete') throw notFound('path');
  return { branch: names.branch, parent: null, old: null };
}

function requireBranchName(branch: string): void {
  const problem = branchNameProblem(branch);
  if (problem !== undefined) throw invalid(`${problem} [branch: ${branch}]`);
}

async function buildCommit(
  session: WriteSession,
  job: Job,
  target: Target,
): Promise<{ commit: Commit; objects: readonly GitObject[] }> {
  const { repository, change, options, caller } = job;
  const format = repository.objectFormat;
  const root = target.parent === null ? null : (await session.objects.readCommit(target.parent)).tree;
  const blob = change.kind === 'delete' ? null : newObject(format, 'blob', change.content);
  const edits = await editsOf(session, root, change, blob?.oid ?? null);
  const edited = await editTree(session.objects, format, root, edits);
  const signatures = signaturesOf(options, caller, Date.now());
  const content = encodeCommit(format, {
    tree: edited.root,
    parents: target.parent === null ? [] : [target.parent],
    ...signatures,
    message: commitMessage(options, defaultMessage(change), signatures.committer),
  });
  const commit = newObject(format, 'commit', content);
  const objects = [...(blob === null ? [] : [blob]), ...edited.objects, commit];
  return { commit: parseCommit(format, commit.oid, content), objects };
}

function defaultMessage(change: FileChange): string {
  const verb = { create: 'Add', update: 'Update', delete: 'Delete' }[change.kind];
  return `${verb} ${change.path}`;
}

/** @throws ForgeError `not_found`, `invalid`, `already_exists` */
async function editsOf(
  session: WriteSession,
  root: Oid | null,
  change: FileChange,
  blob: Oid | null,
): Promise<readonly TreeEdit[]> {
  const at = async (path: string) => (root === null ? undefined : findEntry(session.objects, root, path));
  const there = await at(change.path);
  if (change.kind === 'create') {
    if (there !== undefined) throw exists(change.path);
    return [put(change.path, blob, '100644')];
  }
  const movedFrom = change.kind === 'update' ? change.fromPath : undefined;
  const isMove = movedFrom !== undefined && movedFrom !== change.path;
  const before = isMove ? await at(movedFrom) : there;
  const mode = requireFile(before, movedFrom ?? change.path, change.oid);
  if (change.kind === 'delete') return [{ kind: 'remove', path: change.path }];
  if (isMove && there !== undefined) throw exists(change.path);
  return [...(isMove ? [{ kind: 'remove' as const, path: movedFrom }] : []), put(change.path, blob, mode)];
}

function put(path: string, oid: Oid | null, mode: FileMode): TreeEdit {
  if (oid === null) throw new Error('a file is written without content');
  return { kind: 'put', path, oid, mode };
}

function exists(path: string): ForgeError {
  return new ForgeError({ kind: 'already_exists', what: `repository file already exists [path: ${path}]` });
}

/** The mode of the file that is changed, which must be the one the caller has seen. */
function requireFile(entry: { mode: TreeMode; oid: Oid } | undefined, path: string, expected: Oid): FileMode {
  if (entry === undefined) throw notFound('path');
  if (entry.mode !== '100644' && entry.mode !== '100755')
    throw invalid(`only files can be changed [path: ${path}]`);
  if (entry.oid !== expected.toLowerCase()) {
    throw invalid(`sha does not match [given: ${expected}, expected: ${entry.oid}]`);
  }
  return entry.mode;
}
