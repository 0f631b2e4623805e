import { isRepositoryLimited } from '../../../api/access/viewer.ts';
import { ForgeError, forbidden, invalid } from '../../../base/core/failure.ts';
import { branchNameProblem } from '../../../git/format/ref-names.ts';
import { REPOSITORY_LIMITS } from '../limits.ts';
import type { NewRepository } from '../model.ts';
import { repositoryNameProblem } from '../names.ts';
import type { CompleteRequest } from './model.ts';

/** @throws ForgeError `forbidden` for a token that would not see the new repository */
export function requireSeenAfterwards({ viewer, owner, wanted }: CompleteRequest): void {
  if (isRepositoryLimited(viewer)) throw forbidden('the token is limited to other repositories');
  if (viewer.publicOnly && (wanted.isPrivate || owner.visibility !== 'public')) {
    throw forbidden('token scope is limited to public repositories');
  }
}

/** @throws ForgeError `invalid` */
export function requireValid(wanted: NewRepository): void {
  requireName(wanted.name);
  const problem = branchProblem(wanted.defaultBranch);
  if (problem !== undefined) throw invalid(problem);
}

/** @throws ForgeError `invalid` */
export function requireName(name: string): void {
  const problem = repositoryNameProblem(name);
  if (problem !== undefined) throw invalid(problem);
}

/** Returns the error for a name that another repository of the owner has. */
export function nameInUse(options?: { cause: unknown }): ForgeError {
  return new ForgeError(
    { kind: 'conflict', what: 'The repository with the same name already exists.' },
    options,
  );
}

function branchProblem(branch: string): string | undefined {
  if (branch.length > REPOSITORY_LIMITS.branchNameCharsMax)
    return `[DefaultBranch]: MaxSize(${REPOSITORY_LIMITS.branchNameCharsMax})`;
  const problem = branchNameProblem(branch);
  return problem === undefined ? undefined : `[DefaultBranch]: ${problem}`;
}
