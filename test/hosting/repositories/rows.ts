import type { Updateable } from 'kysely';
import type { RepositoriesTable } from '../../../src/base/database/schema/repositories.ts';
import type { TestForge } from '../../support/forge/forge.ts';

/** Sets columns of a repository's row, for states that no request can create. */
export async function setRow(
  forge: TestForge,
  id: number,
  columns: Updateable<RepositoriesTable>,
): Promise<void> {
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('repositories').set(columns).where('id', '=', id).execute(),
  );
}
