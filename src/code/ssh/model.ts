import type { FastifyBaseLogger } from 'fastify';

/** With what a client has signed in, and for whom it acts. */
export type SshIdentity =
  | {
      readonly kind: 'account';
      readonly accountId: number;
      /** of the key, or the id of the certificate */
      readonly keyName: string;
      readonly by:
        | { readonly kind: 'ssh-key'; readonly keyId: number }
        /** `expiresAt` in ms */
        | { readonly kind: 'certificate'; readonly expiresAt: number };
    }
  /** `keyId` of the key that the deploy keys of one or more repositories share */
  | {
      readonly kind: 'deploy-key';
      readonly keyId: number;
      /** account that owns a repository of the key; null: no repository has it any more */
      readonly ownerId: number | null;
      /** account that has added it to that repository; null: not known */
      readonly addedById: number | null;
      readonly keyName: string;
    };

/** The client of one command, whichever server of SSH it has connected to. */
export interface SshClient {
  /** what it sends; fails if it leaves before the end */
  readonly input: AsyncIterable<Buffer>;
  /** fires when it has left */
  readonly left: AbortSignal;
  readonly log: FastifyBaseLogger;
  /** of its machine */
  readonly address: string;
  /** Waits until the client can take more. @throws the reason of `left` */
  write(bytes: Uint8Array): Promise<void>;
  /** Writes to the standard error of the client. */
  writeError(text: string): Promise<void>;
  /** Ends the connection, because the client is too slow. */
  drop(): void;
}

export interface SshRequest {
  /** undefined: a shell */
  readonly command: string | undefined;
  /** value of GIT_PROTOCOL */
  readonly protocol: string | undefined;
}

/**
 * Returns what limits and shares count as one caller. A deploy key counts for the user who has added it, because a user can
 * make any number of organizations, which own any number of keys. Except in repositories of that user, it counts apart from
 * what the user does: others may hold the key.
 */
export function shareOf(identity: SshIdentity): string {
  if (identity.kind === 'account') return `account ${identity.accountId}`;
  const { ownerId, addedById } = identity;
  if (addedById !== null && addedById !== ownerId) return `deploy keys that account ${addedById} has added`;
  return ownerId === null ? 'deploy keys of no one' : `account ${ownerId}`;
}
