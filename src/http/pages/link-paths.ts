/** Pages that a link in a mail opens. The last part of the path is a token, which lets its bearer do one thing. */
export const LINK_PATHS = {
  'sign-up': '/user/activate/',
  invitation: '/user/invitation/',
  recover: '/user/recover_account/',
  'confirm-email': '/user/activate_email/',
  'undo-email': '/user/undo_email/',
} as const;

/** Where a user asks for a link that gives a new password, and where a person creates an account. */
export const FORGOT_PASSWORD_PATH = '/user/forgot_password';
export const SIGN_UP_PATH = '/user/sign_up';
/** Where users change their addresses and their password. */
export const OWN_ACCOUNT_PATH = '/user/settings/account';

const PREFIXES = Object.values(LINK_PATHS);

/** Returns a path for the log: without the token of a link. */
export function withoutLinkToken(path: string): string {
  const prefix = PREFIXES.find((each) => path.toLowerCase().startsWith(each));
  return prefix === undefined ? path : `${prefix}…`;
}
