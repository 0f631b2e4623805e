import { domainToASCII } from 'node:url';
import { ForgeError, invalid } from '../../base/core/failure.ts';
import { hasUnseen, isPlainLine } from '../../base/core/text/text.ts';
import { ACCOUNT_LIMITS } from './limits.ts';
import type { AccountEdit, AccountVisibility, NewAccount } from './model.ts';
import { isCommonPassword } from './passwords/common-passwords.ts';

/** One `@` with text on both sides, without characters that have a meaning in a mail header or a commit. */
const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/;
const VISIBILITIES: readonly AccountVisibility[] = ['public', 'limited', 'private'];

/**
 * Checks the fields of an account.
 *
 * @throws ForgeError `invalid`; `bad_request` for an invalid password
 */
export function requireValidProfile(fields: NewAccount | Omit<NewAccount, 'email'> | AccountEdit): void {
  const { email } = fields as AccountEdit;
  if (email !== undefined) requireEmail(email);
  if (typeof fields.password === 'string') requirePassword(fields.password);
  for (const [name, text] of Object.entries(linesOf(fields))) requireLine(name, text);
  if ('description' in fields) requireLine('Description', fields.description?.replace(/\r?\n|\t/g, ' '));
  if ('website' in fields) requireWebsite(fields.website);
}

function linesOf(fields: object): Record<string, string | undefined> {
  const { fullName, location, pronouns, language, theme, diffViewStyle } = fields as AccountEdit;
  return {
    FullName: fullName,
    Location: location,
    Pronouns: pronouns,
    Language: language,
    Theme: theme,
    DiffViewStyle: diffViewStyle,
  };
}

function requireLine(name: string, text: string | undefined): void {
  if (text === undefined) return;
  if (text.length > ACCOUNT_LIMITS.profileFieldCharsMax) {
    throw invalid(`[${name}]: MaxSize(${ACCOUNT_LIMITS.profileFieldCharsMax})`);
  }
  if (!isPlainLine(text) || hasUnseen(text))
    throw invalid(`[${name}]: must be one line without control characters and invisible characters`);
}

/** @throws ForgeError `invalid` */
export function requireEmail(email: string): void {
  if (email.length > ACCOUNT_LIMITS.emailCharsMax || !EMAIL.test(email) || !isPlainLine(email)) {
    throw invalid('[Email]: Email');
  }
}

/**
 * Returns an address with its domain in ASCII and lower case, so that all spellings of an international domain are equal;
 * undefined if it has no domain.
 */
export function asciiAddress(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  const typed = email.slice(at + 1);
  // `domainToASCII` takes the start of an address of the web, too.
  const domain = /[/?#\\]/.test(typed) ? '' : domainToASCII(typed);
  return at < 1 || domain === '' ? undefined : `${email.slice(0, at)}@${domain}`;
}

/** @throws ForgeError `bad_request` */
export function requirePassword(password: string): void {
  const { passwordCharsMin, passwordCharsMax } = ACCOUNT_LIMITS;
  if (password.length < passwordCharsMin || password.length > passwordCharsMax)
    throw unusable(`a password must have ${passwordCharsMin} to ${passwordCharsMax} characters`);
  if (isCommonPassword(password))
    throw unusable('this password is one of the most common ones: choose another');
}

function unusable(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}

/** @throws ForgeError `invalid` unless the text is empty or an http(s) address */
function requireWebsite(website: string | undefined): void {
  if (website === undefined || website === '') return;
  const url = URL.canParse(website) ? new URL(website) : undefined;
  // Pages link to the website, so it must not be an address that a browser would run as code.
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isPlainLine(website)) {
    throw invalid('[Website]: Url');
  }
}

/**
 * Parses a visibility; '' counts as absent.
 *
 * @throws ForgeError `invalid` for any other word
 */
export function visibilityOf(word: string | undefined): AccountVisibility | undefined {
  if (word === undefined || word === '') return undefined;
  const visibility = VISIBILITIES.find((candidate) => candidate === word);
  if (visibility === undefined) throw invalid(`[Visibility]: In(${VISIBILITIES.join(',')})`);
  return visibility;
}
