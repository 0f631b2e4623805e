import { Secret, TOTP } from 'otpauth';
import { PageReader } from '../http/page-reader.ts';
import type { Person, TestForge } from './forge.ts';

const SECURITY = '/user/settings/security';

/** A person who signs in with one-time codes, and a browser in which the person has signed in. */
export interface WithCodes {
  readonly reader: PageReader;
  /** base32 */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Returns the one-time code of a secret, now or at another time. */
export function codeOf(secret: string, offsetMs = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + offsetMs });
}

/** Returns a code that is wrong at every time near now. */
export function wrongCodeOf(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2, 3].map((steps) => codeOf(secret, steps * 30_000)));
  const candidates = Array.from({ length: 10 }, (_, digit) => `${digit}`.repeat(6));
  return candidates.find((code) => !near.has(code)) ?? '';
}

/** Makes the server forget which one-time codes were used, so that a test need not wait for the next one. */
export async function forgetUsedCodes(forge: TestForge): Promise<void> {
  await forge.forge.running.engines.database.transaction((tx) =>
    tx.updateTable('one_time_codes').set({ last_step: 0, tried_count: 0 }).execute(),
  );
}

/** Signs a person in, and sets up one-time codes on the pages. */
export async function withCodes(forge: TestForge, person: Person): Promise<WithCodes> {
  const reader = new PageReader(forge);
  await reader.signIn(person);
  const secret = await beginCodes(reader);
  const done = await reader.post(`${SECURITY}/two_factor/enroll`, { code: codeOf(secret) });
  if (done.status !== 200) throw new Error(`cannot set up one-time codes: ${done.status} ${done.text}`);
  await forgetUsedCodes(forge);
  return { reader, secret, recoveryCodes: recoveryCodesIn(done.text) };
}

/** Begins to set up one-time codes. Returns the secret that the page shows. */
export async function beginCodes(reader: PageReader): Promise<string> {
  await reader.post(`${SECURITY}/two_factor/begin`, {});
  const { text } = await reader.get(`${SECURITY}/two_factor/enroll`);
  const [, secret] = /<code>([A-Z2-7]{32})<\/code>/.exec(text) ?? [];
  if (secret === undefined) throw new Error(`the page shows no secret: ${text}`);
  return secret;
}

export function recoveryCodesIn(page: string): readonly string[] {
  return page.match(/\b[a-z2-7]{4}(?:-[a-z2-7]{4}){3}\b/g) ?? [];
}
