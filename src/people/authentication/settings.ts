import type { Network } from '../../base/outbound/addresses.ts';

/** How users sign in, as the operator has chosen. */
export interface SignInSettings {
  /** whether passwords of this server sign in; if not, providers, a proxy and access tokens do */
  readonly takesPasswords: boolean;
  /** null: no header signs in */
  readonly proxy: ProxySignInSettings | null;
}

/** A proxy that signs users in, and names them in a header. */
export interface ProxySignInSettings {
  /** names of headers in lower case; '' for none */
  readonly userHeader: string;
  readonly emailHeader: string;
  readonly fullNameHeader: string;
  /** whether a user without an account gets one */
  readonly createsAccounts: boolean;
  /** of the proxies whose own connections may have the headers */
  readonly peers: readonly Network[];
}

export const PASSWORDS_ONLY: SignInSettings = { takesPasswords: true, proxy: null };
