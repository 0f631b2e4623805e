import type { Generated } from 'kysely';

/** Written by `platform/`. Clients that have asked to sign in, until they have their app password. */
export interface SignInRequestsTable {
  id: Generated<number>;
  /** SHA-256 of the token that the client polls with */
  poll_digest: string;
  /** SHA-256 of the token in the address of the page that the user opens */
  page_digest: string;
  /** as the client names itself */
  client: string;
  /** null until a user grants it */
  account_id: number | null;
  /** as the user names the device */
  device: string;
  /** 1: the app password is only for notes */
  notes_only: Generated<0 | 1>;
  created_at: number;
}

export interface SignInTables {
  sign_in_requests: SignInRequestsTable;
}
