import type { SignedIn, Viewer } from '../../../../api/access/viewer.ts';
import { invalid } from '../../../../base/core/failure.ts';
import { offsetOf, type Page, type Paging, pagingOf } from '../../../../base/core/paging.ts';
import { parseId } from '../../../../base/core/text/ids.ts';
import type { Database, Tx } from '../../../../base/database/database.ts';
import type { OwnedLabel } from '../../../labels/model.ts';
import { type LabelKey, requireOffered, withAdded } from '../../../labels/of-issues.ts';
import type { IssueAccess, IssuePath, PermittedIssue } from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import { ISSUE_LIMITS } from '../../limits.ts';
import { readLabelsOf } from '../../read.ts';
import { isEmptyChange, moveIssue, moveLabels, setChange } from '../../record.ts';
import { timeOfChange } from '../../rules.ts';

/** A change of the labels of one issue. */
interface LabelChange {
  readonly path: IssuePath;
  /** when it happened, for administrators of the repository; absent: now */
  readonly at?: number;
  /** throws if the caller does not accept the labels as they are */
  readonly requireCurrent?: ((firstPage: Page<OwnedLabel>) => void) | undefined;
}

/** Works out the labels after a change. */
type Change = (
  tx: Tx,
  issue: PermittedIssue,
  current: readonly OwnedLabel[],
) => Promise<readonly OwnedLabel[]> | readonly OwnedLabel[];

interface Dependencies {
  readonly database: Database;
  readonly access: IssueAccess;
}

/** Labels of issues, by name. */
export class IssueLabels {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `IssueAccess.get` */
  async list(viewer: Viewer, path: IssuePath, paging: Paging): Promise<Page<OwnedLabel>> {
    const { permitted, state } = await this.#use.access.get(viewer, path, ISSUE.read);
    return pageOf(
      await readLabelsOf(this.#use.database.reader, { state, repository: permitted.repository }),
      paging,
    );
  }

  /** @throws ForgeError as `IssueAccess.change`; `invalid` for a label that the repository lacks, or too many */
  add(viewer: SignedIn, change: LabelChange, keys: readonly LabelKey[]): Promise<readonly OwnedLabel[]> {
    return this.#change(viewer, change, async (tx, { permitted }, current) =>
      withAdded(current, await requireOffered(tx, permitted.repository, within(keys))),
    );
  }

  /** Replaces all labels. @throws ForgeError as `add` */
  replace(viewer: SignedIn, change: LabelChange, keys: readonly LabelKey[]): Promise<readonly OwnedLabel[]> {
    return this.#change(viewer, change, async (tx, { permitted }) =>
      withAdded([], await requireOffered(tx, permitted.repository, within(keys))),
    );
  }

  /** @throws ForgeError as `IssueAccess.change` */
  async clear(viewer: SignedIn, change: LabelChange): Promise<void> {
    await this.#change(viewer, change, () => []);
  }

  /**
   * @param key id or name
   * @throws ForgeError as `add`
   */
  async remove(viewer: SignedIn, change: LabelChange, key: string): Promise<void> {
    await this.#change(viewer, change, async (tx, { permitted }, current) => {
      const id = parseId(key);
      const named = current.find((label) => label.id === id) ?? current.find(({ name }) => name === key);
      if (named === undefined) await requireOffered(tx, permitted.repository, [id ?? key]);
      return current.filter((label) => label !== named);
    });
  }

  #change(
    viewer: SignedIn,
    { path, at: stated, requireCurrent }: LabelChange,
    change: Change,
  ): Promise<readonly OwnedLabel[]> {
    return this.#use.access.change(viewer, path, ISSUE.manage, async (tx, issue) => {
      const { permitted, state } = issue;
      const at = timeOfChange(permitted, state, stated);
      const placed = { state, repository: permitted.repository };
      const current = await readLabelsOf(tx, placed);
      requireCurrent?.(pageOf(current, pagingOf({})));
      const after = within(await change(tx, issue, current));
      const moves = setChange(idsOf(current), idsOf(after));
      if (isEmptyChange(moves)) return current;
      await moveIssue(tx, state, { ...state, updatedAt: at });
      await moveLabels({ tx, viewer, at }, state, moves);
      return readLabelsOf(tx, placed);
    });
  }
}

function pageOf(labels: readonly OwnedLabel[], paging: Paging): Page<OwnedLabel> {
  const start = offsetOf(paging);
  return { items: labels.slice(start, start + paging.limit), total: labels.length };
}

function idsOf(labels: readonly OwnedLabel[]): readonly number[] {
  return labels.map(({ id }) => id);
}

/** @throws ForgeError `invalid` if there are too many */
function within<T>(labels: readonly T[]): readonly T[] {
  const countMax = ISSUE_LIMITS.issueLinksMax;
  if (labels.length > countMax) throw invalid(`an issue has at most ${countMax} labels`);
  return labels;
}
