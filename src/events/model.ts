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
