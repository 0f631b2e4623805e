import { answerOf } from '../../api/operations/answers.ts';
import { wireValues } from '../../api/operations/values.ts';
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
