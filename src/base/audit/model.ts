import type { CallerCredential } from '../core/fairness/caller.ts';

/** What an entry of the audit log is about. */
export type AuditTargetKind =
  | 'account'
  | 'organization'
  | 'team'
  | 'repository'
  | 'protection'
  | 'invitation'
  | 'token'
  | 'session'
  | 'oauth-application'
  | 'oauth-grant'
  | 'ssh-key'
  | 'openpgp-key'
  | 'deploy-key'
  | 'webhook'
  | 'push-mirror'
  | 'quota-rule'
  | 'quota-group'
  | 'unadopted-repository'
  | 'cron-task'
  | 'site';

/** How an event of one kind becomes an entry: what the entry is about, and which parts of the payload name it. */
export interface AuditRule<Field extends string = string> {
  readonly target: AuditTargetKind;
  /** the part with the id of the target; absent: the repository of the event, or no id */
  readonly id?: Field;
  /** the part with the name of the target; absent: the name that its row has */
  readonly name?: Field;
  /** Only site administrators read the entry. */
  readonly isForSite?: boolean;
}

/** What acted. `command-line`: an operator, on a machine that has the data. `anonymous`: a caller who proved nothing. */
export type AuditActorKind = 'user' | 'deploy-key' | 'mirror' | 'system' | 'command-line' | 'anonymous';

/** Values of an entry, by the names of fields. They never have a secret. */
export type AuditDetails = Readonly<Record<string, unknown>>;

export interface NewAuditEntry {
  /** for example `token.created` */
  readonly action: string;
  /** null: no account */
  readonly actorId: number | null;
  readonly actorKind: AuditActorKind;
  readonly target: {
    readonly kind: AuditTargetKind;
    readonly id: number | null;
    /** null: the name that its row has, if that is known */
    readonly name: string | null;
  };
  /** user or organization whose entry it is; null: the owner of the repository, if there is one */
  readonly ownerId: number | null;
  /** Only site administrators read the entry. */
  readonly isForSite?: boolean;
  readonly repositoryId: number | null;
  /** name with owner of a repository without a row; absent: the rows have it */
  readonly repositoryName?: string;
  readonly details: AuditDetails;
  /** accounts in the details: the entry records their names */
  readonly people?: readonly number[];
}

/** An entry as it was read from the database. Names are from the time of the entry. */
export interface AuditEntry {
  readonly id: number;
  /** ms */
  readonly at: number;
  readonly action: string;
  readonly actorKind: AuditActorKind;
  readonly actorId: number | null;
  readonly actorName: string | null;
  /** with which the request came; null: no request brought the change */
  readonly credential: CallerCredential['kind'] | null;
  /** of the token or the session; null: it is neither */
  readonly credentialId: number | null;
  /** the site administrator who acted as the actor; null: no one did */
  readonly administratorId: number | null;
  readonly administratorName: string | null;
  /** of the client; null: no request brought the change */
  readonly address: string | null;
  readonly requestId: string | null;
  readonly targetKind: AuditTargetKind;
  readonly targetId: number | null;
  readonly targetName: string | null;
  readonly ownerId: number | null;
  readonly repositoryId: number | null;
  /** with its owner */
  readonly repositoryName: string | null;
  /** of the accounts in the details, by their ids */
  readonly accountNames: Readonly<Record<string, string>>;
  readonly details: AuditDetails;
}
