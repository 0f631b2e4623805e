import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Person, startForge, type TestForge, type TestForgeOptions } from './forge.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
type Wire = any;

/** The organization `guild`, which ada owns. */
export class Guild {
  readonly forge: TestForge;
  readonly ada: Person;

  constructor(forge: TestForge, ada: Person) {
    this.forge = forge;
    this.ada = ada;
  }

  /** Creates a team with these members and repositories, and returns its record. */
  async team(
    name: string,
    options: Record<string, unknown> & { members?: readonly Person[]; repositories?: readonly string[] } = {},
  ): Promise<Wire> {
    const { members = [], repositories = [], ...fields } = options;
    const created = await this.ada.post('/api/v1/orgs/guild/teams', { name, ...fields });
    assert.equal(created.status, 201, created.text);
    for (const member of members)
      assert.equal(
        (await this.ada.put(`/api/v1/teams/${created.body.id}/members/${member.name}`)).status,
        204,
      );
    for (const repository of repositories)
      assert.equal(
        (await this.ada.put(`/api/v1/teams/${created.body.id}/repos/guild/${repository}`)).status,
        204,
      );
    return created.body;
  }

  /** Creates a repository of the guild and returns its record. */
  async repository(name: string, options: Record<string, unknown> = {}): Promise<Wire> {
    const created = await this.ada.post('/api/v1/orgs/guild/repos', { name, ...options });
    assert.equal(created.status, 201, created.text);
    return created.body;
  }

  async owners(): Promise<Wire> {
    const { body } = await this.ada.get('/api/v1/orgs/guild/teams');
    return body.find((team: Wire) => team.name === 'Owners');
  }
}

/** @param options fields of the organization */
export async function startGuild(
  t: TestContext,
  options: Record<string, unknown> = {},
  ofForge: TestForgeOptions = {},
): Promise<Guild> {
  const forge = await startForge(t, ofForge);
  const ada = await forge.account('ada');
  const created = await ada.post('/api/v1/orgs', { username: 'guild', full_name: 'The Guild', ...options });
  assert.equal(created.status, 201, created.text);
  return new Guild(forge, ada);
}

export function names(list: readonly Wire[]): readonly string[] {
  return list.map((each) => each.login ?? each.full_name ?? each.name);
}
