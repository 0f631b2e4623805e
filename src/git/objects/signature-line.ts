import { invalid } from '../../core/failure.ts';
import type { Signature } from '../model.ts';

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
  const email = withoutCrud(signature.email).replaceAll(' ', '');
  const name = withoutCrud(signature.name) || email.split('@', 1)[0] || '';
  if (name === '') throw invalid('an author or committer needs a name');
  const { seconds, zone } = signature;
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > SECONDS_MAX) {
    throw invalid('the date of a commit must lie between 1970 and 9999');
  }
  if (!ZONE.test(zone)) throw invalid('a time zone is written like +0200');
  return `${name} <${email}> ${seconds} ${zone}`;
}

function withoutCrud(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029<>]/g, '')
    .trim();
}

/** Parses a signature of real history. No part is required; missing ones become empty or zero. */
export function parseSignature(line: string): Signature {
  const date = /(-?\d{1,18})(?:\s+([+-]?\d{1,10}))?\s*$/.exec(line);
  const open = line.indexOf('<');
  const lastClose = line.lastIndexOf('>');
  const when = date !== null && date.index > lastClose ? date : null;
  const seconds = Number(when?.[1] ?? 0);
  return {
    ...readPerson(line.slice(0, when?.index ?? line.length), open),
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
