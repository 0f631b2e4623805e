import type { SeedApi } from './api.ts';
import { type Identity, makeHistory, type Target } from './code.ts';
import type { Seed, SeedRepository } from './model.ts';
import { emailOf, giveRepositories, makeOrganization, makeUser } from './people.ts';
import { SeedError } from './read.ts';
import { makeProtections, makeTracker } from './tracker.ts';

const DEFAULT_BRANCH = 'main';

/**
 * Makes all that a seed describes, except tokens, through the API: in the order of the document, so that it always gets
 * the same ids.
 *
 * @param admin name of the administrator, who acts where the seed names no user
 * @throws SeedError
 */
export async function makeWorld(api: SeedApi, seed: Seed, admin: string): Promise<void> {
  const { users = [], organizations = [], repositories = [] } = seed;
  const identityOf = (place: string, name: string): Identity => {
    const user = users.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (user !== undefined) return { name: user.full_name || user.name, email: emailOf(user) };
    if (name === admin) return { name, email: `${name}@localhost` };
    throw new SeedError(place, `the seed has no user ${name}`);
  };
  for (const [at, user] of users.entries()) await makeUser(api, `users[${at}]`, user);
  for (const [at, organization] of organizations.entries()) {
    if (organization.owner !== undefined) identityOf(`organizations[${at}].owner`, organization.owner);
    await makeOrganization(api, `organizations[${at}]`, organization);
  }
  for (const [at, repository] of repositories.entries())
    await makeRepository(api, { seed, identityOf, admin }, `repositories[${at}]`, repository);
  // Teams first, because the seed may assign work to their members.
  for (const [at, organization] of organizations.entries())
    await giveRepositories(api, `organizations[${at}]`, organization);
  for (const [at, repository] of repositories.entries()) {
    const target = targetOf({ seed, identityOf, admin }, `repositories[${at}]`, repository);
    await makeHistory(api, target, repository);
    await makeTracker(api, target, repository, await organizationLabels(api, target, repository, seed));
    await makeProtections(api, target, repository.branch_protections ?? []);
    if (repository.archived === true)
      await api.sendPatch({ place: `${target.place}.archived`, as: target.as }, target.path, {
        archived: true,
      });
  }
}

interface World {
  readonly seed: Seed;
  readonly identityOf: Target['identityOf'];
  readonly admin: string;
}

async function makeRepository(
  api: SeedApi,
  world: World,
  place: string,
  repository: SeedRepository,
): Promise<void> {
  const target = targetOf(world, place, repository);
  const { path, as, defaultBranch } = target;
  const [owner = '', name = ''] = repository.name.split('/');
  const organization = organizationOf(world, owner);
  const at = organization === undefined ? '/user/repos' : `/orgs/${encodeURIComponent(owner)}/repos`;
  await api.sendPost({ place, as }, at, {
    name,
    description: repository.description,
    private: repository.private ?? false,
    template: repository.template,
    default_branch: defaultBranch,
  });
  const { topics, collaborators = {} } = repository;
  if (topics !== undefined) await api.sendPut({ place: `${place}.topics`, as }, `${path}/topics`, { topics });
  for (const [user, permission] of Object.entries(collaborators))
    await api.sendPut(
      { place: `${place}.collaborators.${user}`, as },
      `${path}/collaborators/${encodeURIComponent(user)}`,
      { permission },
    );
}

/** @returns ids by name of the labels of the organization that owns the repository */
async function organizationLabels(
  api: SeedApi,
  { place }: Target,
  { name }: SeedRepository,
  seed: Seed,
): Promise<ReadonlyMap<string, number>> {
  const organization = organizationOf({ seed }, ownerOf(name));
  if (organization?.labels === undefined) return new Map();
  const path = `/orgs/${encodeURIComponent(organization.name)}/labels`;
  const labels: readonly { name: string; id: number }[] = await api.sendGet({ place }, `${path}?limit=50`);
  return new Map(labels.map((label) => [label.name, label.id]));
}

function ownerOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

function targetOf({ seed, identityOf, admin }: World, place: string, repository: SeedRepository): Target {
  const [owner = '', name = ''] = repository.name.split('/');
  const organization = organizationOf({ seed }, owner);
  const isUser = (seed.users ?? []).some((each) => each.name.toLowerCase() === owner.toLowerCase());
  if (organization === undefined && !isUser && owner !== admin)
    throw new SeedError(`${place}.name`, `the seed has no user or organization ${owner}`);
  return {
    place,
    path: `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`,
    as: organization === undefined ? owner : organization.owner,
    defaultBranch: repository.default_branch ?? DEFAULT_BRANCH,
    identityOf,
  };
}

function organizationOf({ seed }: Pick<World, 'seed'>, owner: string) {
  return seed.organizations?.find((each) => each.name.toLowerCase() === owner.toLowerCase());
}
