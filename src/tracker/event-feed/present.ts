import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { FeedEvent, FeedPage, ShownPerson } from './model.ts';
import { type EventRecord, type FeedPageRecord, FeedPageSchema } from './schema.ts';

export const FeedPageAnswer = answerOf(FeedPageSchema, presentPage);

function presentPage({ events, cursor, hasMore }: FeedPage): FeedPageRecord {
  return { events: events.map(presentEvent), cursor, has_more: hasMore };
}

export function presentEvent({ event, cursor, actor, owner, data, former }: FeedEvent): EventRecord {
  const { kind, at, actorKind, repositoryId, repositoryName } = event;
  const fullName = owner.name === null || repositoryName === null ? null : `${owner.name}/${repositoryName}`;
  return {
    id: cursor,
    kind,
    created_at: wireTime(at),
    actor: { kind: actorKind, ...presentPerson(actor) },
    owner: owner.id === null || owner.name === null ? null : { id: owner.id, login: owner.name },
    repository:
      repositoryId === null ? null : { id: repositoryId, name: repositoryName, full_name: fullName },
    data: wireValues(data),
    former: former === null ? null : wireValues(former),
  };
}

function presentPerson({ id, name }: ShownPerson): { id: number | null; login: string | null } {
  return { id, login: name };
}

/** Names of fields have underscores on the wire, and so have the values of `changed`, which are names of fields. */
function wireValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [wireName(name), wireValue(name, value)]),
  );
}

function wireValue(name: string, value: unknown): unknown {
  if (name === 'changed' && Array.isArray(value)) return value.map((field) => wireName(String(field)));
  if (name.endsWith('At') && typeof value === 'number') return wireTime(value);
  return Array.isArray(value) ? value.map(wirePerson) : wirePerson(value);
}

function wirePerson(value: unknown): unknown {
  const isPerson = typeof value === 'object' && value !== null && 'id' in value && 'name' in value;
  return isPerson ? presentPerson(value as ShownPerson) : value;
}

/** Returns the name of a field on the wire. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
