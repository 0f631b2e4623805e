import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Email } from 'postal-mime';
import { NOTIFIED_KINDS } from '../../../src/tracker/notifications/notices.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { type Mailbox, type MailboxForm, startMailbox } from './mailbox.ts';

export const ENGINE = '/api/v1/repos/ada/engine';
export const ISSUES = `${ENGINE}/issues`;
/** Longer than the time for which the server gathers what happens. */
const AHEAD_MS = 60_000;

export interface Mailing {
  readonly forge: TestForge;
  readonly mailbox: Mailbox;
  readonly ada: Person;
  readonly ben: Person;
  /** Sends what is to be sent, and returns what has arrived, in the order of the subjects. */
  sent(): Promise<readonly Email[]>;
}

/** A forge that sends mail, with a public repository `ada/engine`, which Ben watches. */
export async function startMailing(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
  form: MailboxForm = {},
): Promise<Mailing> {
  const mailbox = await startMailbox(t, form);
  const forge = await startForge(t, { settings: { mail: mailbox.address, ...settings } });
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine');
  assert.equal((await ben.put(`${ENGINE}/subscription`)).status, 200);
  const sent = async () => {
    await handled(forge);
    await forge.forge.running.services.jobs.runDue({ aheadMs: AHEAD_MS });
    return mailbox.take().toSorted((one, other) => (one.subject ?? '').localeCompare(other.subject ?? ''));
  };
  return { forge, mailbox, ada, ben, sent };
}

/** Chooses which notifications a user gets by mail. */
export async function choose(who: Person, notifications: string): Promise<void> {
  const { status, text } = await who.patch('/api/v1/user/mail', { notifications });
  assert.equal(status, 200, text);
}

/** Waits until all events so far have become notifications. */
async function handled({ forge }: TestForge): Promise<void> {
  const { reader } = forge.running.engines.database;
  const kinds = NOTIFIED_KINDS.map(({ name }) => name);
  await until(async () => {
    const last = await reader
      .selectFrom('events')
      .select((of) => of.fn.max('position').as('position'))
      .where('kind', 'in', kinds)
      .executeTakeFirst();
    const read = await reader
      .selectFrom('event_readers')
      .select('position')
      .where('name', '=', 'notifications')
      .executeTakeFirst();
    return (read?.position ?? 0) >= (last?.position ?? 0);
  });
}
