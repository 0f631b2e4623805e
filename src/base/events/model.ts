import type { AuditDetails, AuditRule } from '../audit/model.ts';

/** A kind of event. Each feature defines its own in its `events.ts`. */
export interface EventKind<Payload = unknown> {
  readonly name: string;
  /** parts of the payload that are ids of accounts, or lists of them: the event records the names of that time */
  readonly people?: readonly string[];
  /** how the audit log records events of this kind; absent: not at all */
  readonly audit?: AuditRule;
  /** carries the type of the payload; never set */
  readonly payload?: Payload;
}

const defined = new Set<string>();

/**
 * @param name never changes, because rows of earlier versions have it
 * @param options as in `EventKind`
 * @throws Error if another kind has the same name
 */
export function defineEvent<Payload>(
  name: string,
  options: {
    readonly people?: readonly (keyof Payload & string)[];
    readonly audit?: AuditRule<keyof Payload & string>;
  } = {},
): EventKind<Payload> {
  if (defined.has(name)) throw new Error(`the event ${name} is defined twice`);
  defined.add(name);
  return { name, ...options };
}

/** Returns the names of all kinds that loaded features define. */
export function definedEvents(): readonly string[] {
  return [...defined];
}

/** What acted. `mirror`: the server copied what has changed elsewhere. */
export type ActorKind = 'user' | 'deploy-key' | 'mirror' | 'system';

/** Values before a change, by the names of fields. Texts without a bound are left out. */
export type FormerValues = Readonly<Record<string, unknown>>;

/** Returns the values of the changed fields. A field that `before` does not have is left out. */
export function formerValues(before: object, changed: readonly string[]): FormerValues {
  const values = new Map(Object.entries(before));
  return Object.fromEntries(
    changed.filter((name) => values.has(name)).map((name) => [name, values.get(name)]),
  );
}

/** The names of what an event is about, at that time. */
interface EventPlace {
  readonly ownerId: number;
  readonly owner: string;
  readonly repository: string;
}

interface EventFacts<Payload> {
  /** null: no account */
  readonly actorId: number | null;
  readonly repositoryId: number | null;
  readonly payload: Payload;
}

export interface NewEvent<Payload> extends EventFacts<Payload> {
  /** absent: `user` with an account, otherwise `system` */
  readonly actorKind?: ActorKind;
  readonly former?: FormerValues;
  /** what only the audit log records; never a secret */
  readonly audit?: AuditDetails;
  /** of a repository that no longer has a row; absent: the rows have the names */
  readonly place?: EventPlace;
}

/** An event as it was read from the database. */
export interface RecordedEvent<Payload = unknown> extends EventFacts<Payload> {
  readonly actorKind: ActorKind;
  /** at that time; null: no account, or an event of an earlier version */
  readonly actorName: string | null;
  /**
   * of the repository at that time; without a repository, the account or organization that the event is about; null:
   * neither is known
   */
  readonly ownerId: number | null;
  readonly ownerName: string | null;
  /** at that time, without the owner */
  readonly repositoryName: string | null;
  readonly former: FormerValues | null;
  /** names of the accounts in the payload at that time, by their ids; null: not recorded */
  readonly accountNames: Readonly<Record<string, string>> | null;
  /** name of its kind */
  readonly kind: string;
  /** higher than the position of every event that was committed before */
  readonly position: number;
  /** ms */
  readonly at: number;
}

/** Narrows the payload to that of one kind. */
export function isOfKind<Payload>(
  event: RecordedEvent,
  kind: EventKind<Payload>,
): event is RecordedEvent<Payload> {
  return event.kind === kind.name;
}

export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  /** of the last event that was considered, of whatever kind */
  readonly position: number;
}
