import { ForgeError, invalid, notFound } from '../../../base/core/failure.ts';
import { isUniqueViolation, type Tx } from '../../../base/database/database.ts';
import { insertEvent } from '../../../base/events/store.ts';
import { REPOSITORY_RENAMED } from '../events.ts';
import type { Repository } from '../model.ts';
import { repositoryNameProblem } from '../names.ts';
import { lockName, moveName, setName } from '../store/redirects.ts';

/**
 * Renames a repository. The old name redirects, unless only the case differs. Does nothing if the name is the same.
 *
 * @throws ForgeError `invalid` for an invalid name, `not_found`, `already_exists` if the owner has another repository
 *   of this name
 */
export async function renameInTransaction(
  tx: Tx,
  repository: Pick<Repository, 'id' | 'owner'>,
  rename: { to: string; actorId: number | null },
): Promise<void> {
  const { to, actorId } = rename;
  const problem = repositoryNameProblem(to);
  if (problem !== undefined) throw invalid(problem);
  const { id, owner } = repository;
  const before = await lockName(tx, id);
  // The repository was transferred at the same time. The viewer may have no rights under its new owner.
  if (before?.ownerId !== owner.id) throw notFound('repository');
  if (before.name === to) return;
  await setName(tx, id, to).catch((error) => rethrowTaken(error, to));
  await moveName(tx, id, { from: before, to: { ownerId: owner.id, name: to } });
  await insertEvent(tx, REPOSITORY_RENAMED, {
    actorId,
    repositoryId: id,
    payload: { from: `${owner.name}/${before.name}`, to: `${owner.name}/${to}` },
  });
}

function rethrowTaken(error: unknown, name: string): never {
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    { kind: 'already_exists', what: `repository name is already taken [name: ${name}]` },
    { cause: error },
  );
}
