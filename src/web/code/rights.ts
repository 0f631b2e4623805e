import { reaches } from '../../api/access/levels.ts';
import type { AddressedLocation } from '../../code/contents/model.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';

/** Whether pages offer a viewer to change the code of a repository. The services decide again. */
export function mayChangeCode({ repository, units }: PermittedRepository): boolean {
  return reaches(units.code, 'write') && repository.archivedAt === null && !repository.isMirror;
}

/** Whether pages offer a viewer to change what a location shows: only the newest commit of a branch can be changed. */
export function mayChangeHere({ permitted, ref }: AddressedLocation): boolean {
  return ref.kind === 'branch' && mayChangeCode(permitted);
}
