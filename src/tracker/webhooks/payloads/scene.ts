import type { RepositoryAction } from '../../../api/access/actions.ts';
import { NO_ID, type SignedIn } from '../../../api/access/viewer.ts';
import { notFound } from '../../../base/core/failure.ts';
import type { RecordedEvent } from '../../../base/events/model.ts';
import { REPOSITORY } from '../../../hosting/repositories/actions.ts';
import type { PermittedRepository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import { presentRepository } from '../../../hosting/repositories/present.ts';
import { presentAuthor, presentOwner } from '../../../people/accounts/present.ts';
import { findVisibleAccounts } from '../../../people/accounts/visible.ts';
import type { Payload } from '../model.ts';
import type { PayloadServices } from './model.ts';

/** The repository of an event, as the reader of a webhook sees it, and the keys that all payloads have. */
export interface Scene {
  readonly permitted: PermittedRepository;
  readonly path: RepositoryPath;
  readonly common: { readonly repository: Payload; readonly sender: Payload };
}

/**
 * @param action that the viewer must be permitted
 * @throws ForgeError `not_found`, `forbidden`
 */
export async function sceneOf(
  use: PayloadServices,
  viewer: SignedIn,
  event: Pick<RecordedEvent, 'repositoryId' | 'actorId' | 'actorKind'>,
  action: RepositoryAction = REPOSITORY.read,
): Promise<Scene> {
  if (event.repositoryId === null) throw notFound('repository');
  const permitted = await use.repositories.getById(viewer, event.repositoryId, action);
  const { owner, name } = permitted.repository;
  return {
    permitted,
    path: { owner: owner.name, name },
    common: {
      repository: presentRepository(permitted, outsider(viewer), use.addresses),
      sender: await senderOf(use, viewer, event, permitted),
    },
  };
}

/** Presents who acted. A deploy key acts for the owner of its repository, as in the reference. */
async function senderOf(
  use: PayloadServices,
  viewer: SignedIn,
  { actorId, actorKind }: Pick<RecordedEvent, 'actorId' | 'actorKind'>,
  { repository }: PermittedRepository,
): Promise<Payload> {
  if (actorId === null && actorKind === 'deploy-key')
    return presentOwner(repository.owner, outsider(viewer), use.addresses);
  return personOf(use, viewer, actorId);
}

/** Presents an account by its id. One that is deleted or hidden is presented in the same way as the author of a text. */
export async function personOf(use: PayloadServices, viewer: SignedIn, id: number | null): Promise<Payload> {
  const found =
    id === null ? undefined : (await findVisibleAccounts(use.database.reader, viewer, [id])).get(id);
  return presentAuthor(found ?? null, outsider(viewer), use.addresses);
}

/** For accounts in payloads. Others than the maker of a webhook read them, so they show what everyone who has signed in sees. */
export function outsider(viewer: SignedIn): SignedIn {
  return { ...viewer, accountId: NO_ID, isAdmin: false };
}
