import type { TestContext } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';

export const KINDS = ['public', 'private', 'limited'] as const;
/** A public repository, a private one, and a public one of a limited user. */
export type RepositoryKind = (typeof KINDS)[number];
/** A private repository of a public organization, and a public repository of a limited organization. */
export const ORGANIZATION_KINDS = ['guild', 'lodge'] as const;
export type OrganizationKind = (typeof ORGANIZATION_KINDS)[number];
export type AnyKind = RepositoryKind | OrganizationKind;
export const OWNER: Readonly<Record<AnyKind, string>> = {
  public: 'ada',
  private: 'pia',
  limited: 'lin',
  guild: 'guild',
  lodge: 'lodge',
};

export const VIEWERS = [
  'stranger',
  'restricted',
  'reader',
  'writer',
  'administrator',
  'owner',
  'site administrator',
] as const;
/** Members of an organization, named after their teams. Only the team of `member` has no repository. */
export const MEMBERS = ['member', 'tracker', 'team reader', 'team writer', 'team administrator'] as const;
export type ViewerKind = (typeof VIEWERS)[number] | (typeof MEMBERS)[number];

const TEAMS: Readonly<Record<(typeof MEMBERS)[number], Record<string, unknown>>> = {
  member: { permission: 'admin' },
  tracker: { permission: 'write', units: ['repo.issues'] },
  'team reader': { permission: 'read' },
  'team writer': { permission: 'write' },
  'team administrator': { permission: 'admin' },
};

/** Names of accounts and teams have no spaces. */
const nameOf = (viewer: string) => viewer.replace(' ', '-');

const COLLABORATORS = { reader: 'read', writer: 'write', administrator: 'admin' } as const;

/** The accounts, organizations and repositories of a forge: repositories of each kind, and a person at each level. */
export class Cast {
  readonly forge: TestForge;
  readonly #people: ReadonlyMap<string, Person>;
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(forge: TestForge, people: ReadonlyMap<string, Person>) {
    this.forge = forge;
    this.#people = people;
  }

  person(name: string): Person {
    const person = this.#people.get(name);
    if (person === undefined) throw new Error(`unknown person ${name}`);
    return person;
  }

  viewer(viewer: ViewerKind, kind: AnyKind): Person {
    if (viewer === 'site administrator') return this.forge.root;
    if (viewer !== 'owner') return this.person(nameOf(viewer));
    return isOrganization(kind) ? this.person('gil') : this.person(OWNER[kind]);
  }

  /** Returns a token of a person, one for each list of scopes. */
  tokenFor(person: Person, scopes: readonly string[]): Promise<string> {
    const key = `${person.name} ${scopes}`;
    const token = this.#tokens.get(key) ?? person.tokenFor(scopes);
    this.#tokens.set(key, token);
    return token;
  }

  /** Returns the ids that replace placeholders in paths. */
  async ids(kind: AnyKind): Promise<Readonly<Record<string, string>>> {
    const { body } = await this.forge.root.get(`/api/v1/repos/${OWNER[kind]}/engine`);
    const readme = await this.forge.root.get(`/api/v1/repos/${OWNER[kind]}/engine/contents/README.md`);
    const repository = {
      REPOSITORY: String(body.id),
      COMMIT: readme.body.last_commit_sha,
      BLOB: readme.body.sha,
    };
    if (!isOrganization(kind)) return repository;
    const teams = await this.forge.root.get(`/api/v1/orgs/${kind}/teams`);
    const idOf = (name: string) => String(teams.body.find((team: { name: string }) => team.name === name).id);
    return { ...repository, TEAM: idOf('team-writer'), OWNERS: idOf('Owners') };
  }

  /** Creates an organization owned by gil, with a team for each kind of member. */
  async createOrganization(kind: OrganizationKind): Promise<void> {
    const gil = this.person('gil');
    const visibility = kind === 'lodge' ? 'private' : 'public';
    await gil.post('/api/v1/orgs', { username: kind, visibility });
    for (const member of MEMBERS) {
      const team = { name: nameOf(member), ...TEAMS[member] };
      const { body } = await gil.post(`/api/v1/orgs/${kind}/teams`, team);
      await gil.put(`/api/v1/teams/${body.id}/members/${nameOf(member)}`);
    }
    await gil.post(`/api/v1/orgs/${kind}/teams`, { name: 'idle' });
    await gil.post(`/api/v1/orgs/${kind}/repos`, { name: 'unlinked', private: true });
  }

  /** Creates a repository with its collaborators, or with its teams if an organization owns it. */
  async createRepository(kind: AnyKind, name: string): Promise<void> {
    const owner = this.viewer('owner', kind);
    const isPrivate = kind === 'private' || kind === 'guild';
    const path = isOrganization(kind) ? `/api/v1/orgs/${kind}/repos` : '/api/v1/user/repos';
    await owner.post(path, { name, private: isPrivate, auto_init: name === 'engine' });
    const repository = `/api/v1/repos/${OWNER[kind]}/${name}`;
    for (const [collaborator, permission] of Object.entries(COLLABORATORS))
      await owner.put(`${repository}/collaborators/${collaborator}`, { permission });
    if (!isOrganization(kind)) return;
    for (const member of MEMBERS.filter((each) => each !== 'member'))
      await owner.put(`${repository}/teams/${nameOf(member)}`);
  }
}

export function isOrganization(kind: AnyKind): kind is OrganizationKind {
  return ORGANIZATION_KINDS.some((each) => each === kind);
}

export async function startCast(t: TestContext): Promise<Cast> {
  const forge = await startForge(t);
  const people = new Map<string, Person>();
  for (const name of ['stranger', 'reader', 'writer', 'administrator', 'ada', 'pia', 'gil', ...MEMBERS])
    people.set(nameOf(name), await forge.account(nameOf(name)));
  people.set('restricted', await forge.account('restricted', { restricted: true }));
  people.set('lin', await forge.account('lin', { visibility: 'limited' }));
  const zoe = await forge.account('zoe');
  await zoe.repository('open');
  const cast = new Cast(forge, people);
  for (const kind of ORGANIZATION_KINDS) await cast.createOrganization(kind);
  for (const kind of [...KINDS, ...ORGANIZATION_KINDS]) {
    await cast.createRepository(kind, 'engine');
    await cast.createRepository(kind, 'doomed');
  }
  return cast;
}
