/** A kind of event. Each feature defines its own in its `events.ts`. */
export interface EventKind<Payload = unknown> {
  readonly name: string;
  /** carries the type of the payload; never set */
  readonly payload?: Payload;
}

const defined = new Set<string>();

/**
 * @param name never changes, because rows of earlier versions have it
 * @throws Error if another kind has the same name
 */
export function defineEvent<Payload>(name: string): EventKind<Payload> {
  if (defined.has(name)) throw new Error(`the event ${name} is defined twice`);
  defined.add(name);
  return { name };
}

export interface NewEvent<Payload> {
  /** null: the server itself */
  readonly actorId: number | null;
  readonly repositoryId: number | null;
  readonly payload: Payload;
}

/** An event as it was read from the database. */
export interface RecordedEvent<Payload = unknown> extends NewEvent<Payload> {
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
