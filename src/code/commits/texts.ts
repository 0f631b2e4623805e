import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { DiffText } from '../../git/interface/history.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import type { Compare } from './compare.ts';
import { comparedNamesOf, type DiffFormat } from './model.ts';
import type { Commits } from './service.ts';

/** A diff or patch that git has not written yet. */
export interface CommitText {
  /** equal for equal texts */
  readonly tag: string;
  /** @throws ForgeError `busy`; `invalid` if there is too much to compare */
  open(signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
}

interface Dependencies {
  readonly git: Pick<GitStorage, 'history'>;
  readonly commits: Commits;
  readonly compare: Compare;
}

/** Finds the diffs and patches of commits and of comparisons. */
export class CommitTexts {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds the text of a commit: its differences from its first parent, or the commit as an e-mail that `git am` takes.
   *
   * @param name a branch, tag or commit
   * @throws ForgeError as `Repositories.get`; `not_found`
   */
  async ofCommit(
    viewer: Viewer,
    path: RepositoryPath,
    { name, format }: { name: string; format: DiffFormat },
  ): Promise<CommitText> {
    const { snapshot } = await this.#use.commits.open(viewer, path);
    const resolved = await resolveRef(snapshot, name);
    if (resolved === undefined) throw notFound('commit');
    const of = { snapshot, oid: resolved.commit };
    return this.#text(`${of.oid}.${format}`, async (): Promise<DiffText> => {
      if (format === 'patch') return { kind: 'patch', of };
      const [parent] = (await snapshot.objects.readCommit(of.oid)).parents;
      return { kind: 'diff', from: parent === undefined ? null : { snapshot, oid: parent }, to: of };
    });
  }

  /**
   * Finds the text of a comparison: all differences together, or each commit as an e-mail.
   *
   * @param basehead as in the address of the comparison
   * @throws ForgeError as `Compare.find`
   */
  async between(
    viewer: Viewer,
    path: RepositoryPath,
    { name: basehead, format }: { name: string; format: DiffFormat },
  ): Promise<CommitText> {
    const { from, head: to } = await this.#use.compare.find(viewer, path, comparedNamesOf(basehead));
    const kind = format === 'diff' ? 'diff' : 'patches';
    return this.#text(`${from.oid}-${to.oid}.${format}`, async (): Promise<DiffText> => ({ kind, from, to }));
  }

  #text(tag: string, textOf: () => Promise<DiffText>): CommitText {
    return { tag, open: async (signal) => this.#use.git.history.streamDiff(await textOf(), signal) };
  }
}
