import type { Viewer } from '../../api/access/viewer.ts';
import type { Db } from '../../base/database/database.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { findVisibleAccounts } from '../../people/accounts/visible.ts';
import type { Issue } from '../issues/model.ts';
import type { Pull } from './model.ts';
import { findRequested } from './reviews/store/requests.ts';
import { findPulls } from './store/pulls.ts';

/** The repository of pull requests, as the viewer may read it. */
export interface OpenBase {
  readonly base: PermittedRepository;
  readonly snapshot: Snapshot;
}

/** Adds the fields that issues lack to pull requests of one repository, with one query for each table. */
export async function completePulls(
  db: Db,
  viewer: Viewer,
  { base, snapshot, repositories }: OpenBase & { readonly repositories: Repositories },
  issues: readonly Issue[],
): Promise<readonly Pull[]> {
  const states = await findPulls(
    db,
    issues.map(({ id }) => id),
  );
  const all = [...states.values()];
  const others = all.flatMap(({ head: { repositoryId: id } }) =>
    id === null || id === base.repository.id ? [] : [id],
  );
  const heads = await repositories.findSeveral(db, viewer, others);
  const mergers = await findVisibleAccounts(
    db,
    viewer,
    all.flatMap(({ merge }) => merge?.accountId ?? []),
  );
  const requestedOf = await findRequested(db, viewer, [...states.keys()]);
  return issues.flatMap((issue) => {
    const state = states.get(issue.id);
    if (state === undefined) return [];
    const { repositoryId } = state.head;
    const isOwn = repositoryId === base.repository.id;
    return {
      issue,
      state,
      base,
      baseTip: snapshot.ref(branchRef(state.baseBranch)) ?? null,
      headRepository: isOwn ? base : repositoryId === null ? null : (heads.get(repositoryId) ?? null),
      requested: requestedOf(issue.id),
      mergedBy: (state.merge === null ? undefined : mergers.get(state.merge.accountId ?? 0)) ?? null,
    };
  });
}
