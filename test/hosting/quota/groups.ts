import assert from 'node:assert/strict';
import type { Person } from '../../support/forge/forge.ts';

export const RULES = '/api/v1/admin/quota/rules';
export const GROUPS = '/api/v1/admin/quota/groups';

/** Puts an account into a new group with one rule. */
export async function limit(
  root: Person,
  account: string,
  {
    name = `${account}-limits`,
    bytes,
    subjects,
  }: { name?: string; bytes: number; subjects: readonly string[] },
): Promise<void> {
  const rules = [{ name: `${name}-rule`, limit: bytes, subjects }];
  const made = await root.post(GROUPS, { name, rules });
  assert.equal(made.status, 201, made.text);
  const added = await root.put(`${GROUPS}/${name}/users/${account}`);
  assert.equal(added.status, 204, added.text);
}
