/** What happened, by kind, and what is told of it. */
export interface EventPayloads {
  'account.created': { accountId: number; name: string };
  'account.changed': { accountId: number; changed: readonly string[] };
  'account.deleted': { accountId: number; name: string };
  'repository.created': { name: string; private: boolean };
  'repository.deleted': { name: string };
  'refs.changed': {
    updates: readonly { ref: string; old: string | null; new: string | null }[];
    via: 'push' | 'api';
  };
}

export type EventKind = keyof EventPayloads;

export interface NewEvent<Kind extends EventKind = EventKind> {
  readonly kind: Kind;
  /** null: the server itself */
  readonly actorId: number | null;
  readonly repositoryId: number | null;
  readonly payload: EventPayloads[Kind];
}

/** Something that happened, as it is read back. */
export type RecordedEvent = {
  [Kind in EventKind]: NewEvent<Kind> & {
    /** higher than that of every event that was committed before */
    readonly position: number;
    /** ms */
    readonly at: number;
  };
}[EventKind];

export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here has been looked at, also what was of other kinds. */
  readonly position: number;
}
