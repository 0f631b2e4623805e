import { invalid, notFound } from '../base/core/failure.ts';
import { CORE_LIMITS } from '../base/core/limits.ts';
import type { AccountMails } from '../people/account-links/mails.ts';
import { generatePassword } from '../people/accounts/create-account.ts';
import type { Account } from '../people/accounts/model.ts';
import type { Accounts } from '../people/accounts/service.ts';
import type { OwnPassword } from '../people/authentication/own-password.ts';
import type { EmailChanges } from '../people/email-changes/service.ts';
import type { Recovery } from '../people/recovery/service.ts';
import type { SecondFactors } from '../people/second-factor/service.ts';
import type { SignUp } from '../people/sign-up/service.ts';

interface Tools {
  readonly accounts: Accounts;
  readonly print: (line: string) => void;
}

/** Creates an account. Generates and prints the password if none is given. */
export async function createUser(
  { accounts, print }: Tools,
  wanted: { name: string; email: string; password?: string; admin?: boolean },
): Promise<void> {
  const password = wanted.password ?? generatePassword();
  const isAdmin = wanted.admin ?? false;
  const account = await accounts.createUser('operator', {
    name: wanted.name,
    email: wanted.email,
    password,
    isAdmin,
  });
  print(`created the ${isAdmin ? 'site administrator' : 'account'} ${account.name}`);
  if (wanted.password === undefined) print(`password: ${password}`);
}

/** Replaces a password. Generates and prints the new one if none is given. */
export async function resetPassword(
  { accounts, print }: Tools,
  wanted: { name: string; password?: string },
): Promise<void> {
  const password = wanted.password ?? generatePassword();
  const account = await accounts.setPassword('operator', wanted.name, password);
  print(`${account.name} has a new password`);
  if (wanted.password === undefined) print(`password: ${password}`);
}

/** Removes the second factors of a user who has lost them. */
export async function resetSecondFactor(
  { secondFactors, print }: Pick<Tools, 'print'> & { readonly secondFactors: SecondFactors },
  wanted: { name: string },
): Promise<void> {
  await secondFactors.reset('operator', wanted.name);
  print(`${wanted.name} signs in with the password alone until a second factor is set up again`);
}

/** The address that failed attempts of this machine's commands count for. */
const THIS_MACHINE = '127.0.0.1';

/** Replaces a password on behalf of its owner, who proves the current one. */
export async function changePassword(
  { accounts, ownPassword, print }: Tools & { readonly ownPassword: OwnPassword },
  wanted: { name: string; current: string; replacement: string; deleteTokens?: boolean },
): Promise<void> {
  const { current, replacement, deleteTokens: deletesTokens = false } = wanted;
  const account = await accounts.findByName(wanted.name);
  if (account === undefined) throw notFound('account', { say: `there is no account ${wanted.name}` });
  if (account.kind !== 'user') throw invalid(`${account.name} is an organization, not a user`);
  await ownPassword.change(account.id, { current, replacement, deletesTokens, address: THIS_MACHINE });
  print(`${account.name} has a new password${deletesTokens ? ' and no access tokens' : ''}`);
}

/** Prints all accounts, one a line. */
export async function listUsers({ accounts, print }: Tools): Promise<void> {
  const limit = CORE_LIMITS.pageItemsMax;
  for (let page = 1; ; page += 1) {
    const { items } = await accounts.listUsers('operator', { page, limit });
    for (const account of items) print(describeAccount(account));
    if (items.length < limit) return;
  }
}

function describeAccount(account: Account): string {
  const marks = [
    account.isAdmin ? 'administrator' : '',
    account.isActive ? '' : 'inactive',
    account.isLoginProhibited ? 'may not sign in' : '',
    account.isRestricted ? 'restricted' : '',
  ].filter((mark) => mark !== '');
  return [account.id, account.name, account.email === '' ? '-' : account.email, ...marks].join('\t');
}

/** Prints a link with which the owner of an address creates an account. */
export async function inviteByMail(
  {
    signUp,
    accountMails,
    print,
  }: Pick<Tools, 'print'> & { readonly signUp: SignUp; readonly accountMails: AccountMails },
  email: string,
): Promise<void> {
  const { url = '', endsAt, ...invitation } = await signUp.invite('operator', { email, teamId: null });
  print(
    `invited ${invitation.email} until ${new Date(endsAt).toISOString()}${accountMails.isOn ? ', and sends a mail' : ''}`,
  );
  print(`link: ${url}`);
}

/** Prints a link that gives an account a new password. */
export async function printResetLink(
  { recovery, print }: Pick<Tools, 'print'> & { readonly recovery: Recovery },
  name: string,
): Promise<void> {
  const { url, endsAt } = await recovery.linkFor('operator', name);
  print(`${name} can choose a new password with this link until ${new Date(endsAt).toISOString()}`);
  print(`link: ${url}`);
}

/** Verifies an address of an account. */
export async function verifyEmail(
  { emailChanges, print }: Pick<Tools, 'print'> & { readonly emailChanges: EmailChanges },
  { name, email }: { readonly name: string; readonly email: string },
): Promise<void> {
  await emailChanges.verify('operator', name, email);
  print(`${email} is a verified address of ${name}`);
}
