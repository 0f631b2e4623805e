import type { AccountLink } from '../account-links/model.ts';

/**
 * Who may create an account. off: administrators alone. invitation: people whom an administrator invites. domain: also people
 * with an address at one of some domains. open: everyone.
 */
export const SIGN_UP_MODES = ['off', 'invitation', 'domain', 'open'] as const;
export type SignUpMode = (typeof SIGN_UP_MODES)[number];

export interface SignUpSettings {
  readonly mode: SignUpMode;
  /** in ASCII and lower case; `*.` before a domain: its subdomains */
  readonly domains: readonly string[];
}

export const NO_SIGN_UP: SignUpSettings = { mode: 'off', domains: [] };

/** What a person types to create an account. */
export interface TypedSignUp {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** How a sign-up goes on. The same for an address that has an account and one that does not. */
export type SignUpStep = 'mailed' | 'waits-for-administrator';

/** An invitation, and its link if it has just been made. */
export interface Invitation extends Pick<AccountLink, 'id' | 'email' | 'teamId' | 'createdAt' | 'endsAt'> {
  readonly inviterId: number | null;
  readonly url?: string;
}
