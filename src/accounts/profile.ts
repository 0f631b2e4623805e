import { ForgeError, invalid } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import { isPlainLine } from '../core/text.ts';
import type { AccountEdit, AccountVisibility, NewAccount } from './model.ts';

/** One `@`, something on both sides, and nothing that has a meaning in a mail header or a commit. */
const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/;
const VISIBILITIES: readonly AccountVisibility[] = ['public', 'limited', 'private'];

/** @throws ForgeError `invalid`, `bad_request` for a password that cannot be one */
export function requireValidProfile(fields: NewAccount | AccountEdit): void {
  if (fields.email !== undefined) requireEmail(fields.email);
  if (typeof fields.password === 'string') requirePassword(fields.password);
  for (const [name, text] of Object.entries(linesOf(fields))) requireLine(name, text);
  if ('description' in fields) requireLine('Description', fields.description?.replace(/\r?\n|\t/g, ' '));
  if ('website' in fields) requireWebsite(fields.website);
}

function linesOf(fields: NewAccount | AccountEdit): Record<string, string | undefined> {
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
  if (text.length > LIMITS.profileFieldCharsMax) {
    throw invalid(`[${name}]: MaxSize(${LIMITS.profileFieldCharsMax})`);
  }
  if (!isPlainLine(text)) throw invalid(`[${name}]: must be one line without control characters`);
}

/** @throws ForgeError `invalid` */
export function requireEmail(email: string): void {
  if (email.length > LIMITS.emailCharsMax || !EMAIL.test(email) || !isPlainLine(email)) {
    throw invalid('[Email]: Email');
  }
}

function requirePassword(password: string): void {
  const { passwordCharsMin, passwordCharsMax } = LIMITS;
  if (password.length >= passwordCharsMin && password.length <= passwordCharsMax) return;
  const what = `a password has ${passwordCharsMin} to ${passwordCharsMax} characters`;
  throw new ForgeError({ kind: 'bad_request', what });
}

/** @throws ForgeError `invalid` for what is neither empty nor an address of the web */
function requireWebsite(website: string | undefined): void {
  if (website === undefined || website === '') return;
  const url = URL.canParse(website) ? new URL(website) : undefined;
  // Pages link to it, so nothing that a browser would run.
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isPlainLine(website)) {
    throw invalid('[Website]: Url');
  }
}

/** @throws ForgeError `invalid` for a word that is none; '' is the same as absent */
export function visibilityOf(word: string | undefined): AccountVisibility | undefined {
  if (word === undefined || word === '') return undefined;
  const visibility = VISIBILITIES.find((candidate) => candidate === word);
  if (visibility === undefined) throw invalid(`[Visibility]: In(${VISIBILITIES.join(',')})`);
  return visibility;
}
