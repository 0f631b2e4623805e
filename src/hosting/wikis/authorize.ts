import type { RepositoryAction } from '../../api/access/actions.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { requirePermitted } from '../repositories/authorize.ts';
import type { PermittedRepository, Repository } from '../repositories/model.ts';
import type { Pushable } from '../repositories/refs/push-rules.ts';
import type { WikiSettings } from '../repositories/units.ts';
import { WIKI } from './actions.ts';

/** Returns the settings of a built-in wiki; undefined if it is switched off, or on another server. */
export function settingsOf({ units: { wiki } }: Pick<Repository, 'units'>): WikiSettings | undefined {
  return wiki.kind === 'built-in' ? wiki : undefined;
}

/** Returns the action that a change of a wiki needs. Some wikis let everyone who has signed in change them. */
export function editingOf(settings: WikiSettings): RepositoryAction {
  return settings.isGloballyEditable ? WIKI.beginEdit : WIKI.edit;
}

/**
 * Requires that the viewer may change the wiki of a repository.
 *
 * @throws ForgeError `not_found` for a wiki that is switched off, and as `requirePermitted`
 */
export function requireEditor(viewer: Viewer, permitted: PermittedRepository): void {
  const settings = settingsOf(permitted.repository);
  if (settings === undefined) throw notFound('wiki');
  requirePermitted(viewer, permitted, editingOf(settings));
}

/** Returns the facts about a wiki that rules of pushes decide on. */
export function pushableOf(repository: Repository, wikiId: RepositoryId): Pushable {
  const { owner, name, archivedAt, isMirror, isPrivate } = repository;
  const defaultBranch = settingsOf(repository)?.branch ?? '';
  return { id: wikiId, owner, name: `${name}.wiki`, defaultBranch, archivedAt, isMirror, isPrivate };
}
