import { invalid } from '../../base/core/failure.ts';
import type { Signature } from './model.ts';

/** End of the year 9999, the latest date that all clients can show. */
const SECONDS_MAX = 253_402_300_799;
const ZONE = /^[+-](?:0\d|1[0-4])[0-5]\d$/;

/**
 * Encodes an author, committer or tagger as git stores it. Drops control characters and angle brackets from the name and
 * the address, because with them a name could end its line and forge another header.
 *
 * @throws ForgeError `invalid` without a name, or for a date or zone outside git's range
 */
export function encodeSignature(signature: Signature): string {
  const person = encodePerson(signature);
  const { seconds, zone } = signature;
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > SECONDS_MAX) {
    throw invalid('the date of a commit must lie between 1970 and 9999');
  }
  if (!ZONE.test(zone)) throw invalid('a time zone is written like +0200');
  return `${person} ${seconds} ${zone}`;
}

/**
 * Encodes a name and an address for a line of a commit: of its header, or a trailer of its message.
 *
 * @throws ForgeError `invalid` for a person without a name
 */
export function encodePerson(person: Pick<Signature, 'name' | 'email'>): string {
  const email = withoutCrud(person.email).replaceAll(' ', '');
  const name = withoutCrud(person.name) || email.split('@', 1)[0] || '';
  if (name === '') throw invalid('an author or committer needs a name');
  return `${name} <${email}>`;
}

function withoutCrud(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029<>]/g, '')
    .trim();
}

/** More than a date and a zone need. A longer search would try each digit of a long name. */
const DATE_CHARS_MAX = 64;

/** Parses a signature of real history. No part is required; missing ones become empty or zero. */
export function parseSignature(line: string): Signature {
  const open = line.indexOf('<');
  const end = line.trimEnd().length;
  const from = Math.max(line.lastIndexOf('>') + 1, end - DATE_CHARS_MAX);
  const when = /(-?\d{1,18})(?:\s+([+-]?\d{1,10}))?$/.exec(line.slice(from, end));
  const seconds = Number(when?.[1] ?? 0);
  return {
    ...readPerson(line.slice(0, when === null ? line.length : from + when.index), open),
    seconds: Number.isSafeInteger(seconds) ? seconds : 0,
    zone: when?.[2] ?? '+0000',
  };
}

function readPerson(text: string, open: number): { name: string; email: string } {
  if (open === -1) return { name: text.trim(), email: '' };
  const close = text.indexOf('>', open);
  const email = text.slice(open + 1, close === -1 ? text.length : close);
  return { name: text.slice(0, open).trim(), email: email.trim() };
}
