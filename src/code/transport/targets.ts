import type { ObjectFormat } from '../../git/format/model.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { CreationRequest } from '../../hosting/repositories/creation/model.ts';
import type { PermittedRepository, Repository } from '../../hosting/repositories/model.ts';
import type { Wiki } from '../../hosting/wikis/model.ts';

/** The target of a push: a repository, or one that the push creates. */
export type PushTarget =
  | {
      readonly kind: 'existing';
      readonly permitted: PermittedRepository;
      /** false: the viewer may only propose commits, or update heads of pull requests that allow it */
      readonly mayWrite: boolean;
    }
  | { readonly kind: 'new'; readonly creation: CreationRequest }
  /** the wiki of a repository, which the push creates if it is not there yet */
  | { readonly kind: 'wiki'; readonly wiki: Wiki };

/** A git repository to fetch from: the one of a repository, or the one of its wiki. */
export type FetchSource = Pick<Repository, 'id' | 'objectFormat'>;

/** Returns the id of the git repository that a push goes to; null if it does not exist yet. */
export function targetId(target: PushTarget): RepositoryId | null {
  if (target.kind === 'wiki') return target.wiki.id;
  return target.kind === 'existing' ? target.permitted.repository.id : null;
}

export function objectFormatOf(target: PushTarget): ObjectFormat {
  if (target.kind === 'new') return target.creation.wanted.objectFormat;
  const { permitted } = target.kind === 'wiki' ? target.wiki : target;
  return permitted.repository.objectFormat;
}
