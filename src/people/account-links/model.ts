import { LINK_PATHS } from '../../http/pages/link-paths.ts';
import { LINK_LIMITS } from './limits.ts';

/** What a link does. */
export type LinkPurpose = keyof typeof LINK_PATHS;

export const LINK_LIFETIMES_MS: Readonly<Record<LinkPurpose, number>> = {
  'sign-up': LINK_LIMITS.signUpMs,
  invitation: LINK_LIMITS.invitationMs,
  recover: LINK_LIMITS.recoverMs,
  'confirm-email': LINK_LIMITS.confirmEmailMs,
  'undo-email': LINK_LIMITS.undoEmailMs,
};

export interface NewLink {
  readonly purpose: LinkPurpose;
  /** which the link proves, signs up or gives back */
  readonly email: string;
  /** absent: of no account yet */
  readonly accountId?: number;
  /** `credentialVersion` of the account, if the link ends with it */
  readonly version?: number;
  /** of the account that a sign-up makes */
  readonly name?: string;
  readonly passwordHash?: string;
  /** team that an invited user joins */
  readonly teamId?: number | null;
  /** null: the operator at the command line */
  readonly inviterId?: number | null;
  /** absent: as its purpose says */
  readonly lifetimeMs?: number;
}

/** A link that works once. Only its bearer has the token. */
export interface AccountLink {
  readonly id: number;
  readonly purpose: LinkPurpose;
  readonly digest: string;
  readonly seed: string;
  readonly email: string;
  readonly accountId: number | null;
  readonly version: number | null;
  readonly name: string | null;
  readonly passwordHash: string | null;
  readonly teamId: number | null;
  readonly inviterId: number | null;
  /** ms */
  readonly createdAt: number;
  /** ms */
  readonly endsAt: number;
}

/** What a mail without a link of its own reports. */
export type Notice = 'password-changed' | 'account-restored';

/** Path of the page on which a link opens. */
export function linkPath(purpose: LinkPurpose, token: string): string {
  return `${LINK_PATHS[purpose]}${token}`;
}
