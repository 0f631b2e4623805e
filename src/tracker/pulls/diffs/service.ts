import type { Viewer } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import type { Database } from '../../../base/database/database.ts';
import { COMMIT } from '../../../code/commits/actions.ts';
import type { CommitPage, DiffFormat } from '../../../code/commits/model.ts';
import type { Commits } from '../../../code/commits/service.ts';
import type { CommitText } from '../../../code/commits/texts.ts';
import type { CommitDetails, CommitOptions } from '../../../code/git-data/model.ts';
import type { FileDifference } from '../../../git/interface/file-diffs.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import { requirePermitted } from '../../../hosting/repositories/authorize.ts';
import type { IssuePath } from '../../issues/access.ts';
import { rethrowWithHead } from '../heads/missing.ts';
import type { Pulls } from '../service.ts';
import { findPull } from '../store/pulls.ts';
import type { FileFilter, OpenPull } from './model.ts';
import { rangeOf } from './range.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly commits: Commits;
  readonly pulls: Pulls;
}

/**
 * Reads the commits and differences of pull requests. All are in the repository of the base, so they stay readable after
 * branches and forks are deleted.
 */
export class PullDiffs {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds the commits between which the differences of a pull request are.
   *
   * @throws ForgeError as `IssueAccess.get`; `forbidden` if the viewer may not read the code; as `rangeOf`
   */
  async open(viewer: Viewer, path: IssuePath): Promise<OpenPull> {
    const { database, git, pulls } = this.#use;
    const { permitted, state } = await pulls.permitted(viewer, path);
    const { repository } = requirePermitted(viewer, permitted, COMMIT.read);
    const pull = await findPull(database.reader, state.id);
    if (pull === undefined) throw notFound('pull request');
    const snapshot = await git.refs.open(repository.id);
    const range = await rangeOf(git.history, snapshot, pull).catch((error) =>
      rethrowWithHead(error, { objects: snapshot.objects, head: pull.head.sha, kind: 'not_found' }),
    );
    return { repository, snapshot, ...range };
  }

  /** Lists a page of the commits, newest first. @throws ForgeError `busy` */
  commits(
    viewer: Viewer,
    pull: OpenPull,
    { paging, options }: { readonly paging: Paging; readonly options: CommitOptions },
  ): Promise<CommitPage> {
    const range = { head: pull.head, without: [pull.from], path: null };
    const slice = { limit: paging.limit, offset: offsetOf(paging) };
    return this.#use.commits.page(viewer, pull, range, { slice, options });
  }

  /** @throws ForgeError as `Commits.describe` */
  describe(page: CommitPage, options: CommitOptions): Promise<readonly CommitDetails[]> {
    return this.#use.commits.describe(page, options);
  }

  /** Lists a page of the files that differ. @throws ForgeError as `History.compareFiles` */
  async files(
    { from, head }: OpenPull,
    { whitespace, skipTo }: FileFilter,
    paging: Paging,
  ): Promise<Page<FileDifference>> {
    const slice = { limit: paging.limit, offset: offsetOf(paging) };
    const options = { whitespace, skipTo, slice };
    const { files, total, skipped } = await this.#use.git.history.compareFiles(from, head, options);
    return { items: files, total: total.files - skipped };
  }

  /**
   * Finds the text of a pull request: all differences together, or each commit as an e-mail.
   *
   * @param wanted.binary whether a diff has binary files; a patch always has them
   * @throws ForgeError as `open`
   */
  async text(
    viewer: Viewer,
    path: IssuePath,
    { format, binary }: { readonly format: DiffFormat; readonly binary: boolean },
  ): Promise<CommitText> {
    const { from, head: to } = await this.open(viewer, path);
    const { history } = this.#use.git;
    const suffix = format === 'diff' && binary ? '-binary' : '';
    return {
      tag: `${from.oid}-${to.oid}${suffix}.${format}`,
      open: (signal) =>
        format === 'diff'
          ? history.streamDiff({ kind: 'diff', from, to, binary }, signal)
          : history.streamDiff({ kind: 'patches', from, to }, signal),
    };
  }
}
