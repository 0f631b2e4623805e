type RepositoryVisibility = 'public' | 'private';

/** What happened, by kind, and what is told of it. */
export interface EventPayloads {
  'account.created': { accountId: number; name: string };
  'account.changed': { accountId: number; changed: readonly string[] };
  'account.deleted': { accountId: number; name: string };
  'account.renamed': { accountId: number; from: string; to: string };
  'account.visibility-changed': { accountId: number; from: string; to: string };
  'token.created': { accountId: number; tokenId: number; name: string; scopes: readonly string[] };
  'token.deleted': { accountId: number; tokenId: number };
  'organization.created': { organizationId: number; name: string; visibility: string };
  'organization.changed': { organizationId: number; changed: readonly string[] };
  'organization.visibility-changed': { organizationId: number; from: string; to: string };
  'organization.renamed': { organizationId: number; from: string; to: string };
  'organization.deleted': { organizationId: number; name: string };
  'organization.member-added': { organizationId: number; accountId: number };
  'organization.member-removed': { organizationId: number; accountId: number };
  'organization.membership-shown': { organizationId: number; accountId: number; public: boolean };
  'team.created': { organizationId: number; teamId: number; name: string };
  'team.changed': { organizationId: number; teamId: number; changed: readonly string[] };
  'team.deleted': { organizationId: number; teamId: number; name: string };
  'team.member-added': { organizationId: number; teamId: number; accountId: number };
  'team.member-removed': { organizationId: number; teamId: number; accountId: number };
  'team.repository-added': { organizationId: number; teamId: number };
  'team.repository-removed': { organizationId: number; teamId: number };
  'collaborator.changed': { accountId: number; level: string };
  'collaborator.removed': { accountId: number };
  'repository.created': { owner: string; name: string; private: boolean };
  'repository.deleted': { name: string };
  /** of the repository that was forked */
  'repository.forked': { forkId: number };
  'repository.transfer-asked': { recipientId: number };
  /** it was rejected, or one of the two accounts is gone */
  'repository.transfer-ended': Record<string, never>;
  'repository.transferred': { from: string; to: string; fromId: number; toId: number };
  'repository.renamed': { from: string; to: string };
  'repository.changed': { changed: readonly string[] };
  'repository.visibility-changed': { from: RepositoryVisibility; to: RepositoryVisibility };
  'repository.starred': { accountId: number };
  'repository.unstarred': { accountId: number };
  'repository.watched': { accountId: number };
  'repository.unwatched': { accountId: number };
  'repository.topics-changed': { topics: readonly string[] };
  'refs.changed': {
    updates: readonly { ref: string; old: string | null; new: string | null }[];
    via: 'push' | 'api' | 'mirror';
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
