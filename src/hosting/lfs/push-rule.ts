import { type ForgeError, invalid } from '../../base/core/failure.ts';
import type { Database, Db } from '../../base/database/database.ts';
import { type ExaminedPush, isCopy, type PushRule } from '../repositories/refs/push-rules.ts';
import { findNamedObjects } from './find-pointers.ts';
import type { LfsSettings } from './model.ts';
import { listMissing } from './store/objects.ts';

/** Largest number of objects that an error names. */
const NAMED_MAX = 3;

interface Dependencies {
  readonly database: Database;
  readonly lfsSettings: LfsSettings;
}

/** Returns the rule that rejects commits with pointers to objects that the repository lacks; none by default. */
export function lfsRules({ database: { reader }, lfsSettings }: Dependencies): readonly PushRule[] {
  if (!lfsSettings.requiresObjects) return [];
  const rule: PushRule = {
    name: 'lfs-objects',
    scope: 'examination',
    // A repository never loses an object, so the rule is not checked again.
    isRechecked: false,
    async examine(push) {
      return { denials: await denialsOf(reader, push), stillHolds: async () => true };
    },
  };
  return [rule];
}

async function denialsOf(db: Db, push: ExaminedPush): Promise<ReadonlyMap<string, ForgeError>> {
  const { origin, repository, session, updates } = push;
  // A mirror follows its source. The objects of a template are linked when the new repository appears.
  if (isCopy(origin)) return new Map();
  const tips = updates.flatMap((update) => update.new ?? []);
  if (tips.length === 0) return new Map();
  const missing = await listMissing(db, repository.id, await findNamedObjects(session, tips));
  if (missing.length === 0) return new Map();
  const first = missing.slice(0, NAMED_MAX).map(({ oid }) => oid);
  const named = first.join(', ');
  const more = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : '';
  const denial = invalid(`objects of git-lfs are missing: ${named}${more}; run git lfs push --all`);
  return new Map(updates.map(({ ref }) => [ref, denial]));
}
