import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import type { Email } from 'postal-mime';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { type Mailbox, startMailbox } from '../../tracker/mail/mailbox.ts';

export interface AccountsByMail {
  readonly forge: TestForge;
  readonly mailbox: Mailbox;
  /** Sends what is to be sent, and returns the mails that have arrived since the last call. */
  mails(): Promise<readonly Email[]>;
  /** As `mails`, for exactly one mail: returns the path of its link. */
  link(): Promise<string>;
}

/** A forge that sends mail. */
export async function startAccounts(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<AccountsByMail> {
  const mailbox = await startMailbox(t);
  const forge = await startForge(t, { settings: { mail: mailbox.address, ...settings } });
  const mails = async () => {
    await forge.forge.running.services.jobs.runDue();
    return mailbox.take();
  };
  const link = async () => {
    const [mail, ...others] = await mails();
    if (mail === undefined || others.length > 0) throw new Error(`${others.length + 1} mails instead of one`);
    return pathIn(mail, forge);
  };
  return { forge, mailbox, mails, link };
}

/** Returns the path of the link in a mail. */
export function pathIn(mail: Email, forge: TestForge): string {
  const [url] = new RegExp(`${forge.url}/\\S+`).exec(mail.text ?? '') ?? [];
  if (url === undefined) throw new Error(`the mail has no link: ${mail.text}`);
  return url.slice(forge.url.length);
}

/** Moves all links into the past. */
export async function ageLinks(forge: TestForge, ms: number): Promise<void> {
  await forge.forge.running.engines.database.transaction((tx) =>
    sql`update account_links set created_at = created_at - ${ms}, ends_at = ends_at - ${ms}`.execute(tx),
  );
}
