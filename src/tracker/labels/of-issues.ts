// Functions by which the code of issues finds and checks labels. The labels of an issue belong to its repository, or to
// an organization that owned the repository when they were added.

import { invalid } from '../../base/core/failure.ts';
import type { Db } from '../../base/database/database.ts';
import type { Repository } from '../../hosting/repositories/model.ts';
import type { OwnedLabel } from './model.ts';
import { type FoundLabel, findLabels, findOfferedLabels, findOfferedLabelsByName } from './store.ts';

/** Names a label in a request: its id, or its name. */
export type LabelKey = number | string;

/**
 * Finds labels that issues of a repository can have. If its organization has a label of the same name, the repository's
 * own is taken.
 *
 * @throws ForgeError `invalid` if one does not exist
 */
export async function requireOffered(
  db: Db,
  repository: Repository,
  keys: readonly LabelKey[],
): Promise<readonly OwnedLabel[]> {
  const of = { id: repository.id, ownerId: repository.owner.id };
  const ids = keys.filter((key) => typeof key === 'number');
  const names = keys.filter((key) => typeof key === 'string');
  const found = [
    ...(ids.length === 0 ? [] : await findOfferedLabels(db, of, ids)),
    ...(names.length === 0 ? [] : await findOfferedLabelsByName(db, of, names)),
  ];
  const wanted = new Map<number, OwnedLabel>();
  for (const key of keys) {
    const matching = found.filter(({ label }) => label.id === key || label.name === key);
    const label = matching.find(({ organizationId }) => organizationId === null) ?? matching[0];
    if (label === undefined) throw invalid(`the repository has no label ${key}`);
    wanted.set(label.label.id, ownedBy(label, repository));
  }
  return [...wanted.values()];
}

/**
 * Returns the labels that an issue has after some were added. An exclusive label replaces those of its scope, and the
 * last one of a scope stays.
 */
export function withAdded(
  current: readonly OwnedLabel[],
  added: readonly OwnedLabel[],
): readonly OwnedLabel[] {
  const after = new Map<number, OwnedLabel>();
  for (const label of [...current, ...added]) {
    const scope = scopeOf(label);
    for (const other of scope === undefined ? [] : [...after.values()])
      if (scopeOf(other) === scope) after.delete(other.id);
    after.set(label.id, label);
  }
  return [...after.values()];
}

/** The name of an exclusive label up to its last slash. */
function scopeOf({ name, isExclusive }: OwnedLabel): string | undefined {
  const end = name.lastIndexOf('/');
  return isExclusive && end > 0 ? name.slice(0, end) : undefined;
}

/** Lists the ids of the labels with a name, for a filter. */
export async function labelIdsByName(
  db: Db,
  repository: Repository,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = await findOfferedLabelsByName(db, { id: repository.id, ownerId: repository.owner.id }, names);
  const byName = Map.groupBy(found, ({ label }) => label.name);
  return new Map(names.map((name) => [name, (byName.get(name) ?? []).map(({ label }) => label.id)]));
}

/** Reads labels of issues by their ids. */
export async function readLabels(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, (repository: Repository) => OwnedLabel>> {
  if (ids.length === 0) return new Map();
  const found = await findLabels(db, ids);
  return new Map(
    found.map((label) => [label.label.id, (repository: Repository) => ownedBy(label, repository)]),
  );
}

function ownedBy({ label, organizationName }: FoundLabel, repository: Repository): OwnedLabel {
  if (organizationName === null) return { ...label, owner: { kind: 'repository', repository } };
  return { ...label, owner: { kind: 'organization', organization: { name: organizationName } } };
}
