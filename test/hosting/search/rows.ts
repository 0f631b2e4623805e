import type { Updateable } from 'kysely';
import type { RepositoriesTable } from '../../../src/base/database/schema/repositories.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';

/** Changes a repository's row directly, which replaces a long series of requests. */
export async function change(
  forge: TestForge,
  fullName: string,
  values: Updateable<RepositoriesTable>,
): Promise<void> {
  const id = await idOf(forge, fullName);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) =>
    tx.updateTable('repositories').set(values).where('id', '=', id).execute(),
  );
}

export async function star(forge: TestForge, who: string, fullName: string): Promise<void> {
  const account = await forge.forge.running.services.accounts.findByName(who);
  const repositoryId = await idOf(forge, fullName);
  const { database } = forge.forge.running.engines;
  await database.transaction((tx) =>
    tx
      .insertInto('stars')
      .values({ account_id: account?.id ?? 0, repository_id: repositoryId, created_at: 0 })
      .execute(),
  );
}

async function idOf(forge: TestForge, fullName: string): Promise<number> {
  const [owner = '', name = ''] = fullName.split('/');
  const id = await forge.forge.running.services.repositories.findId({ owner, name });
  if (id === undefined) throw new Error(`no repository ${fullName}`);
  return id;
}

export function found(answer: Answer): readonly string[] {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.data.map((each: { full_name: string }) => each.full_name);
}
