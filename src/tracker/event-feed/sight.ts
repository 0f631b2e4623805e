import type { TrackerUnit } from '../../api/access/levels.ts';
import { decide, decideInOrganization, decidePlain } from '../../api/access/policy.ts';
import { reachesRank } from '../../api/access/standing.ts';
import { isRepositoryLimited, overridesRights, type Viewer } from '../../api/access/viewer.ts';
import type { Database } from '../../base/database/database.ts';
import type { RecordedEvent } from '../../base/events/model.ts';
import { isOwnRef, PULL_REFS } from '../../git/format/ref-names.ts';
import { REFS_CHANGED } from '../../hosting/repositories/events.ts';
import { SITE } from '../../people/accounts/actions.ts';
import type { ShownPerson, VisibleEvent } from './model.ts';
import type {
  AccountEventRule,
  EventRule,
  OrganizationEventRule,
  RepositoryEventRule,
  ShownPart,
} from './rule.ts';
import { ruleOf } from './rules.ts';
import { findSeenAccounts, findSeenRepositories, type SeenAccount, type SeenRepository } from './store.ts';

type Payload = Readonly<Record<string, unknown>>;

interface Ruled {
  readonly event: RecordedEvent;
  readonly payload: Payload;
  readonly rule: EventRule;
}

/** What a viewer sees of the repositories and accounts that some events are about. */
interface Sight {
  readonly viewer: Viewer;
  readonly repositories: ReadonlyMap<number, SeenRepository>;
  readonly accounts: ReadonlyMap<number, SeenAccount>;
}

/** Returns those of some events that the viewer may see now, and of each what the viewer may see. */
export async function visibleAmong(
  { reader }: Database,
  viewer: Viewer,
  events: readonly RecordedEvent[],
): Promise<readonly VisibleEvent[]> {
  const ruled = events.flatMap((event) => {
    const rule = ruleOf(event.kind, event.repositoryId);
    return rule === undefined ? [] : [{ event, rule, payload: event.payload as Payload }];
  });
  const repositories = await findSeenRepositories(reader, viewer, distinct(ruled.flatMap(repositoriesOf)));
  const accounts = await findSeenAccounts(reader, viewer, distinct(ruled.flatMap(accountsOf)));
  const sight: Sight = { viewer, repositories, accounts };
  return ruled.flatMap((each) => (isVisible(sight, each) ? shown(sight, each) : []));
}

function distinct(ids: readonly (number | null)[]): readonly number[] {
  return [...new Set(ids)].filter((id) => id !== null);
}

function repositoriesOf({ event, payload, rule }: Ruled): readonly (number | null)[] {
  const named = Object.entries(rule.shown).filter(([, { isRepository }]) => isRepository);
  return [event.repositoryId, ...named.flatMap(([name]) => idsIn(payload[name]))];
}

function accountsOf({ event, payload, rule }: Ruled): readonly (number | null)[] {
  const named = Object.entries(rule.shown).filter(([, { isPerson }]) => isPerson);
  const people = named.flatMap(([name]) => idsIn(payload[name]));
  return [event.actorId, event.ownerId, ...idsIn(payload.organizationId), ...people];
}

function idsIn(value: unknown): readonly number[] {
  return [value].flat().filter((id) => typeof id === 'number');
}

function isVisible(sight: Sight, each: Ruled): boolean {
  const { viewer, repositories } = sight;
  const { rule, payload, event } = each;
  if (
    !repositoriesOf(each)
      .slice(1)
      .every((id) => id !== null && repositories.has(id))
  )
    return false;
  switch (rule.on) {
    case 'repository':
      return isVisibleInRepository(sight, each, rule);
    case 'organization':
      return isVisibleInOrganization(sight, each, rule);
    case 'account':
      if (overridesRights(viewer) && decidePlain(viewer, SITE.listAccounts) === 'granted') return true;
      return isForAccount(viewer, payload, rule) && decidePlain(viewer, rule.action) === 'granted';
    case 'site':
      return overridesRights(viewer) && decidePlain(viewer, rule.action) === 'granted';
    case 'deleted-repository':
      return isOwn(viewer, event.ownerId) || ownsAsOrganization(sight, event);
  }
}

function isForAccount(viewer: Viewer, payload: Payload, { alsoFor }: AccountEventRule): boolean {
  return isOwn(viewer, payload.accountId) || (alsoFor !== undefined && isOwn(viewer, payload[alsoFor]));
}

/** Whether the viewer is an account, with a credential that reaches what is private to it. */
function isOwn({ accountId, publicOnly }: Viewer, id: unknown): boolean {
  return accountId !== null && accountId === id && !publicOnly;
}

function ownsAsOrganization({ viewer, accounts }: Sight, { ownerId }: RecordedEvent): boolean {
  if (ownerId === null || viewer.publicOnly || isRepositoryLimited(viewer)) return false;
  if (overridesRights(viewer)) return true;
  const standing = accounts.get(ownerId)?.standing;
  return standing !== undefined && reachesRank(standing, 'owner');
}

function isVisibleInRepository(sight: Sight, each: Ruled, rule: RepositoryEventRule): boolean {
  const { viewer, accounts } = sight;
  const { event, payload } = each;
  const repository = event.repositoryId === null ? undefined : sight.repositories.get(event.repositoryId);
  if (repository === undefined) return false;
  const { permissions, ownerKind } = repository;
  const unit = unitOf(rule, payload);
  if (unit !== undefined && !isSwitchedOn(repository, unit)) return false;
  const action = unit === 'issues' || unit === 'pulls' ? { ...rule.action, unit } : rule.action;
  if (decide(viewer, action, permissions, ownerKind) !== 'granted') return false;
  if (rule.activityOf !== undefined) {
    const person = accounts.get(Number(payload[rule.activityOf]));
    if (person?.showsActivity !== true) return false;
  }
  if (rule.onlyFor === undefined || overridesRights(viewer)) return true;
  return isOwn(viewer, rule.onlyFor === 'actor' ? event.actorId : payload[rule.onlyFor]);
}

type SwitchedUnit = TrackerUnit | 'tracker' | 'releases' | 'wiki';

function unitOf({ unit }: RepositoryEventRule, payload: Payload): SwitchedUnit | undefined {
  if (unit !== 'issue') return unit;
  return payload.isPull === true ? 'pulls' : 'issues';
}

function isSwitchedOn(
  { hasIssues, hasPulls, hasReleases, hasWiki }: SeenRepository,
  unit: SwitchedUnit,
): boolean {
  if (unit === 'releases') return hasReleases;
  if (unit === 'wiki') return hasWiki;
  if (unit === 'tracker') return hasIssues || hasPulls;
  return unit === 'issues' ? hasIssues : hasPulls;
}

function isVisibleInOrganization(
  { viewer, accounts, repositories }: Sight,
  { event, payload }: Ruled,
  rule: OrganizationEventRule,
): boolean {
  const standing = accounts.get(Number(payload.organizationId))?.standing;
  if (standing === undefined) return false;
  if (rule.needsRepository && !(event.repositoryId !== null && repositories.has(event.repositoryId)))
    return false;
  return decideInOrganization(viewer, rule.action, standing) === 'granted';
}

function shown(sight: Sight, each: Ruled): readonly VisibleEvent[] {
  const { event, payload, rule } = each;
  const updates = event.kind === REFS_CHANGED.name ? visibleUpdates(sight, event) : undefined;
  if (updates?.length === 0) return [];
  const parts = Object.entries(rule.shown).filter(([name]) => payload[name] !== undefined);
  const data = Object.fromEntries(
    parts.map(([name, part]) => [part.as ?? name, shownValue(sight, payload[name], part, event)]),
  );
  return [
    {
      event,
      actor: personOf(sight, event.actorId, event.actorName),
      owner: personOf(sight, event.ownerId, event.ownerName),
      data: updates === undefined ? data : { ...data, updates },
      former: formerOf(event, rule),
    },
  ];
}

function shownValue(
  sight: Sight,
  value: unknown,
  { isPerson, isPath }: ShownPart,
  { ownerId, accountNames: names }: RecordedEvent,
): unknown {
  if (isPath === true && typeof value === 'string')
    return ownerId !== null && sight.accounts.has(ownerId) ? value : value.slice(value.indexOf('/') + 1);
  if (isPerson !== true || value === null) return value;
  if (Array.isArray(value)) return value.map((id) => personOf(sight, Number(id), names?.[id] ?? null));
  return personOf(sight, Number(value), names?.[String(value)] ?? null);
}

/** @param nameThen at the time of the event; null: not recorded */
function personOf({ accounts }: Sight, id: number | null, nameThen: string | null): ShownPerson {
  const seen = id === null ? undefined : accounts.get(id);
  return seen === undefined ? { id: null, name: null } : { id, name: nameThen ?? seen.name };
}

function formerOf({ former }: RecordedEvent, rule: EventRule): VisibleEvent['former'] {
  if (former === null || rule.former === undefined) return null;
  const names = rule.former.filter((name) => former[name] !== undefined);
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, former[name]]));
}

/** Refs of the server are hidden from everyone, and heads of pull requests belong to these. */
function visibleUpdates(
  { repositories }: Sight,
  { payload, repositoryId }: RecordedEvent,
): readonly unknown[] {
  const { updates } = payload as NonNullable<typeof REFS_CHANGED.payload>;
  const repository = repositoryId === null ? undefined : repositories.get(repositoryId);
  const showsPulls = repository?.hasPulls === true && repository.permissions.units.pulls !== 'none';
  return updates.filter(({ ref }) => !isOwnRef(ref) && (showsPulls || !ref.startsWith(PULL_REFS)));
}
