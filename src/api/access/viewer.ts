import type { CallerCredential } from '../../base/core/fairness/caller.ts';
import type { ActorKind } from '../../base/events/model.ts';
import { isNotesOnly, isPublicOnly, type Scopes, UNSCOPED } from './scopes.ts';

/**
 * What acts: an account with a credential, an anonymous caller, a deploy key, or the server itself. `authentication/` makes
 * the viewer of a request, for every wire. Work without a request uses `SYSTEM`.
 */
export interface Viewer {
  readonly kind: 'anonymous' | 'user' | 'deploy-key' | 'system';
  /** null unless `kind` is `user` */
  readonly accountId: number | null;
  readonly name: string;
  /** never true for a credential that is limited to named repositories or to notes */
  readonly isAdmin: boolean;
  /** sees only what was given to the account by name */
  readonly isRestricted: boolean;
  readonly scopes: Scopes;
  readonly publicOnly: boolean;
  /** The guard denies every action that is not for notes. */
  readonly notesOnly: boolean;
  /** id of the token that names the only repositories within reach; null without such a limit */
  readonly limitedByToken: number | null;
  readonly credential: 'none' | Grant['credential'];
  /** names the credential; absent for a viewer that no request brought */
  readonly source?: CredentialSource;
  /** when the user of a session last proved who they are, ms; absent for other credentials */
  readonly provedAt?: number;
  /** the only transfer that the credential is for; absent without such a limit */
  readonly transfer?: BoundTransfer;
  /** id of the deploy key, which opens only the code of its repository; absent unless `kind` is `deploy-key` */
  readonly deployKeyId?: number;
}

/** Names a credential, so that later work can check that it is still valid. It has no secret. */
export type CredentialSource = {
  /** of the account of the viewer: a new one ends all that began with the earlier ones */
  readonly version: number;
} & (
  | { readonly kind: 'password' }
  | { readonly kind: 'token'; readonly tokenId: number }
  | { readonly kind: 'session'; readonly sessionId: number }
  | { readonly kind: 'ssh-key'; readonly keyId: number }
  /** an SSH certificate; `expiresAt` in ms */
  | { readonly kind: 'certificate'; readonly expiresAt: number }
  /** A trusted proxy has named the account. */
  | { readonly kind: 'proxy' }
  /** `scopes`: of the access token, separated by spaces; '': everything */
  | {
      readonly kind: 'oauth';
      readonly grantId: number;
      readonly applicationId: number;
      readonly scopes: string;
    }
  /** A site administrator acts as the account. */
  | { readonly kind: 'sudo'; readonly by: EarlierViewer }
);

/** What identifies the viewer of a request later. */
export interface EarlierViewer {
  readonly accountId: number;
  readonly source: CredentialSource;
}

/** A transfer of large files, and the one repository that it concerns. */
export interface BoundTransfer {
  readonly repositoryId: number;
  readonly operation: TransferOperation;
  /** whether the client may also ask what to transfer, and lock files, because it has signed in over SSH */
  readonly isWhole?: boolean;
}

export type TransferOperation = 'download' | 'upload';

export interface SignedIn extends Viewer {
  readonly accountId: number;
}

export const ANONYMOUS: Viewer = {
  kind: 'anonymous',
  accountId: null,
  name: '',
  isAdmin: false,
  isRestricted: false,
  scopes: UNSCOPED,
  publicOnly: false,
  notesOnly: false,
  limitedByToken: null,
  credential: 'none',
};

/** The server itself, which sees and may do everything. Never the viewer of a request. */
export const SYSTEM: Viewer = { ...ANONYMOUS, kind: 'system', isAdmin: true };

/**
 * Returns the viewer of a client that has proved to possess a deploy key.
 *
 * @param id of the row that gives the key access to one repository: deleting the row ends the access at once
 */
export function deployKeyViewer(id: number): Viewer {
  return { ...ANONYMOUS, kind: 'deploy-key', isRestricted: true, deployKeyId: id };
}

/** Returns what an event names as the kind of its actor. */
export function actorKindOf({ kind }: Viewer): ActorKind {
  return kind === 'anonymous' ? 'system' : kind;
}

/** Returns what the audit log records of the credential of a viewer. */
export function credentialOf({ kind, credential, source }: Viewer): CallerCredential {
  if (kind === 'deploy-key') return { kind, id: null, administratorId: null };
  const by = source?.kind === 'sudo' ? source.by : undefined;
  const used = by?.source ?? source;
  const kindOf = used?.kind === 'oauth' || used?.kind === 'proxy' ? used.kind : credential;
  return { kind: kindOf, id: idOfSource(used), administratorId: by?.accountId ?? null };
}

function idOfSource(source: CredentialSource | undefined): number | null {
  if (source?.kind === 'token') return source.tokenId;
  if (source?.kind === 'ssh-key') return source.keyId;
  if (source?.kind === 'oauth') return source.grantId;
  return source?.kind === 'session' ? source.sessionId : null;
}

export function isSignedIn(viewer: Viewer): viewer is SignedIn {
  return viewer.accountId !== null;
}

export function isUnrestricted(viewer: Viewer): boolean {
  return isSignedIn(viewer) && !viewer.isRestricted;
}

export function isRepositoryLimited(viewer: Viewer): boolean {
  return viewer.limitedByToken !== null;
}

/** Whether a site administrator acts as one. With a token for public things, an administrator has no special rights. */
export function overridesRights(viewer: Viewer): boolean {
  return viewer.isAdmin && !viewer.publicOnly;
}

/** No row has this id. */
export const NO_ID = 0;

/** Returns the id to compare columns with; no row has the id of a viewer without an account. */
export function idOf(viewer: Viewer): number {
  return viewer.accountId ?? NO_ID;
}

/** A credential that was accepted, and its limits. */
export interface Grant {
  readonly credential: 'password' | 'token' | 'session' | 'ssh-key';
  readonly scopes: Scopes;
  /** the token's id, where it is limited to named repositories */
  readonly limitedByToken: number | null;
  readonly source?: CredentialSource;
  /** as in `Viewer` */
  readonly provedAt?: number;
}

export const BY_PASSWORD: Grant = { credential: 'password', scopes: UNSCOPED, limitedByToken: null };

export function viewerOf(
  account: { id: number; name: string; isAdmin: boolean; isRestricted: boolean },
  grant: Grant,
): SignedIn {
  const notesOnly = isNotesOnly(grant.scopes);
  return {
    kind: 'user',
    accountId: account.id,
    name: account.name,
    isAdmin: account.isAdmin && grant.limitedByToken === null && !notesOnly,
    isRestricted: account.isRestricted,
    publicOnly: isPublicOnly(grant.scopes),
    notesOnly,
    ...grant,
  };
}
