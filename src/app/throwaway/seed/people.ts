import type { SeedApi } from './api.ts';
import type { SeedLabel, SeedOrganization, SeedUser } from './model.ts';
import { SeedError } from './read.ts';

/** The password of a user who has none in the seed. */
export function passwordOf({ name, password }: Pick<SeedUser, 'name' | 'password'>): string {
  return password ?? `${name}-password`;
}

export function emailOf({ name, email }: Pick<SeedUser, 'name' | 'email'>): string {
  return email ?? `${name.toLowerCase()}@example.org`;
}

export async function makeUser(api: SeedApi, place: string, user: SeedUser): Promise<void> {
  const { name, admin, restricted } = user;
  await api.sendPost({ place }, '/admin/users', {
    username: name,
    email: emailOf(user),
    password: passwordOf(user),
    must_change_password: false,
    full_name: user.full_name,
    restricted,
    visibility: user.visibility,
  });
  if (admin === true)
    await api.sendPatch({ place: `${place}.admin` }, `/admin/users/${encodeURIComponent(name)}`, { admin });
  for (const [at, key] of (user.keys ?? []).entries())
    await api.sendPost({ place: `${place}.keys[${at}]`, as: name }, '/user/keys', {
      title: `key ${at + 1}`,
      key,
    });
}

/** @param owner absent: the administrator */
export async function makeOrganization(
  api: SeedApi,
  place: string,
  { name, owner, teams = [], labels = [], full_name, description, visibility }: SeedOrganization,
): Promise<void> {
  const organization = { username: name, full_name, description, visibility };
  await api.sendPost({ place, as: owner }, '/orgs', organization);
  const path = `/orgs/${encodeURIComponent(name)}`;
  for (const [at, team] of teams.entries()) {
    const { members = [], repositories: _, ...fields } = team;
    const of = { place: `${place}.teams[${at}]`, as: owner };
    const units = fields.units_map === undefined ? { units: ALL_UNITS } : {};
    const made = await api.sendPost(of, `${path}/teams`, { permission: 'read', ...units, ...fields });
    for (const [index, member] of members.entries())
      await api.sendPut(
        { ...of, place: `${of.place}.members[${index}]` },
        `/teams/${made.id}/members/${encodeURIComponent(member)}`,
        {},
      );
  }
  await makeLabels(api, { place: `${place}.labels`, as: owner, path }, labels);
}

const ALL_UNITS: readonly string[] = [
  'repo.code',
  'repo.issues',
  'repo.ext_issues',
  'repo.pulls',
  'repo.releases',
  'repo.wiki',
  'repo.ext_wiki',
  'repo.projects',
  'repo.packages',
  'repo.actions',
];

/** After the repositories exist. */
export async function giveRepositories(
  api: SeedApi,
  place: string,
  { name, owner, teams = [] }: SeedOrganization,
): Promise<void> {
  for (const [at, { name: team, repositories = [] }] of teams.entries()) {
    const path = `/orgs/${encodeURIComponent(name)}/teams/search?q=${encodeURIComponent(team)}`;
    for (const [index, repository] of repositories.entries()) {
      const of = { place: `${place}.teams[${at}].repositories[${index}]`, as: owner };
      const { data } = await api.sendGet(of, path);
      const { id } = data.find((each: { name: string }) => each.name === team);
      if (repository.includes('/')) throw new SeedError(of.place, 'name it without the organization');
      await api.sendPut(
        of,
        `/teams/${id}/repos/${encodeURIComponent(name)}/${encodeURIComponent(repository)}`,
        {},
      );
    }
  }
}

/** Makes labels of a repository or an organization. @returns their ids by name */
export async function makeLabels(
  api: SeedApi,
  of: { place: string; as: string | undefined; path: string },
  labels: readonly SeedLabel[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const [at, label] of labels.entries()) {
    const made = await api.sendPost({ place: `${of.place}[${at}]`, as: of.as }, `${of.path}/labels`, label);
    ids.set(label.name, made.id);
  }
  return ids;
}
