import { SYSTEM } from '../../api/access/viewer.ts';
import { isFailure } from '../../base/core/failure.ts';
import type { Db } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { findTeamsWithCode, findWithCode } from '../../hosting/repositories/collaborators/code-users.ts';
import type { Protection } from './model.ts';
import type { Protections } from './service.ts';
import { findListedApprovers, findListedTeamsOf } from './store/approvers.ts';

/** A branch to which pull requests lead. */
export interface ProtectedBranch {
  readonly repositoryId: RepositoryId;
  /** short name */
  readonly branch: string;
}

interface Candidates {
  readonly accountIds?: readonly number[];
  readonly teamIds?: readonly number[];
}

/** Those of some users and teams whose approvals count. */
export interface Approvers {
  readonly accounts: ReadonlySet<number>;
  readonly teams: ReadonlySet<number>;
}

const NONE: Approvers = { accounts: new Set(), teams: new Set() };

/**
 * Finds the users and teams whose approvals count for a branch: those whom its protection lists and who may read the code,
 * or, if the protection has no such list, those who may write the code.
 */
export async function findApprovers(
  protections: Pick<Protections, 'ofBranch'>,
  db: Db,
  of: ProtectedBranch,
  { accountIds = [], teamIds = [] }: Candidates,
): Promise<Approvers> {
  const rule = await findRule(protections, db, of);
  if (rule === 'unknown') return NONE;
  if (rule?.settings.limitsApprovals !== true) return findWith(db, of, 'write', { accountIds, teamIds });
  return findWith(db, of, 'read', {
    accountIds: [...(await findListedApprovers(db, rule.id, accountIds))],
    teamIds: [...(await findListedTeamsOf(db, rule.id, teamIds))],
  });
}

/** A user or a team. */
interface Candidate {
  readonly accountId: number | null;
  /** absent, or null: a user */
  readonly teamId?: number | null;
}

/**
 * Returns a check whether the approval of a user or of a team counts for a branch, as `findApprovers` does.
 *
 * @param candidates all whom the caller checks
 */
export async function approverCheck(
  protections: Pick<Protections, 'ofBranch'>,
  db: Db,
  of: ProtectedBranch,
  candidates: readonly Candidate[],
): Promise<(candidate: Candidate) => boolean> {
  const { accounts, teams } = await findApprovers(protections, db, of, {
    accountIds: candidates.flatMap(({ accountId }) => accountId ?? []),
    teamIds: candidates.flatMap(({ teamId }) => teamId ?? []),
  });
  return ({ accountId, teamId = null }) =>
    teamId === null ? accountId !== null && accounts.has(accountId) : teams.has(teamId);
}

async function findWith(
  db: Db,
  { repositoryId }: ProtectedBranch,
  level: 'read' | 'write',
  { accountIds, teamIds }: Required<Candidates>,
): Promise<Approvers> {
  return {
    accounts: await findWithCode(db, repositoryId, { level, accountIds }),
    teams: await findTeamsWithCode(db, repositoryId, { level, teamIds }),
  };
}

/** Whether new commits of a pull request dismiss its approvals. */
export async function dismissesStaleApprovals(
  protections: Pick<Protections, 'ofBranch'>,
  db: Db,
  of: ProtectedBranch,
): Promise<boolean> {
  const rule = await findRule(protections, db, of);
  return rule === 'unknown' || rule?.settings.dismissesStaleApprovals === true;
}

/** Whether approvals that were given for another base do not count, because the protection takes no stale ones. */
export async function takesOnlyFreshApprovals(
  protections: Pick<Protections, 'ofBranch'>,
  db: Db,
  of: ProtectedBranch,
): Promise<boolean> {
  const rule = await findRule(protections, db, of);
  if (rule === undefined || rule === 'unknown') return rule === 'unknown';
  return rule.settings.dismissesStaleApprovals || rule.settings.ignoresStaleApprovals;
}

/** @returns `unknown` if the name of the branch takes too long to compare with the patterns */
async function findRule(
  protections: Pick<Protections, 'ofBranch'>,
  db: Db,
  { repositoryId, branch }: ProtectedBranch,
): Promise<Protection | undefined | 'unknown'> {
  try {
    return await protections.ofBranch(db, SYSTEM, repositoryId, branch);
  } catch (error) {
    if (isFailure(error, 'invalid')) return 'unknown';
    throw error;
  }
}
