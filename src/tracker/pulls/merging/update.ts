import { reaches } from '../../../api/access/levels.ts';
import type { SignedIn } from '../../../api/access/viewer.ts';
import { conflict, type ForgeError, forbidden, invalid, notFound } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Oid, Signature } from '../../../git/format/model.ts';
import { branchRef } from '../../../git/format/ref-names.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import { signatureAt } from '../../../git/trees/commit-builder.ts';
import { requireNotArchived } from '../../../hosting/repositories/refs/push-rules.ts';
import type { BranchWriter } from '../../../hosting/repositories/refs/write-branch.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { UpdateStyle } from '../../../hosting/repositories/units.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { IssuePath } from '../../issues/access.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL } from '../actions.ts';
import { requireHeadWriter } from '../heads/writing.ts';
import type { PullState } from '../model.ts';
import { getPull } from '../store/pulls.ts';
import { buildMerge, rebase } from './build-commits.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly branches: BranchWriter;
  readonly issues: Issues;
}

/** Brings the commits of the base into the head of a pull request. */
export class PullUpdates {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Does nothing if the head has all commits of the base.
   *
   * @throws ForgeError as `IssueAccess.get`; `forbidden` if the viewer may not write the head, or the repository does not
   *   allow the style; `conflict` if the two cannot be merged; `invalid` for a merged or closed one
   */
  async update(viewer: SignedIn, path: IssuePath, style: UpdateStyle | undefined): Promise<void> {
    const { database, issues, git, accounts, branches } = this.#use;
    const { permitted, state } = await issues.access.get(viewer, path, PULL.merge, { kind: 'pull' });
    requireNotArchived(permitted.repository);
    const pull = await getPull(database.reader, state.id);
    if (!pull.isOpen) throw invalid('the pull request is closed: it cannot be updated');
    const { pulls } = permitted.repository.units;
    const wanted = style ?? pulls?.defaultUpdateStyle ?? 'merge';
    if (wanted === 'rebase' && pulls?.allowsRebaseUpdate !== true)
      throw forbidden('the repository does not allow updates by rebase');
    if (!reaches(permitted.units.code, 'read')) throw forbidden('you may not read the code of the base');
    const { repository, origin } = await requireHeadWriter(this.#use, viewer, pull);
    const base = await git.refs.open(pull.repositoryId);
    const tip = base.ref(branchRef(pull.baseBranch));
    if (tip === undefined) throw notFound('branch', { say: `the branch ${pull.baseBranch} does not exist` });
    const committer = signatureAt(await accounts.commitPerson(viewer.accountId), currentTimeMs());
    await branches.write({
      repository,
      origin,
      branch: pull.head.branch,
      pusher: viewer,
      build: async (session, head) => {
        if (head === null) throw notFound('branch');
        if (repository.id !== pull.repositoryId) await session.copyFrom(base, [tip]);
        return {
          commit: await updated(session, wanted, { base: tip, head, pull, committer }),
          result: undefined,
        };
      },
    });
  }
}

/** @returns null if the head has all commits of the base */
async function updated(
  session: WriteSession,
  style: UpdateStyle,
  {
    base,
    head,
    pull,
    committer,
  }: {
    readonly base: Oid;
    readonly head: Oid;
    readonly pull: PullState;
    readonly committer: Signature;
  },
): Promise<Oid | null> {
  const [common] = await session.merges.findBases({ ours: head, theirs: base });
  if (common === base) return null;
  if (style === 'rebase') {
    if (common === undefined) throw unrelated();
    return (await rebase(session, { onto: base, head, committer })).oid;
  }
  const message = `Merge branch '${pull.baseBranch}' into ${pull.head.branch}\n`;
  const plan = { onto: head, head: base, author: committer, committer, message };
  return (await buildMerge(session, 'merge', plan)).commit;
}

function unrelated(): ForgeError {
  return conflict('the two branches have no commit in common');
}
