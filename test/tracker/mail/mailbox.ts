import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterTest } from '../../support/after-test.ts';

/** What the mail server answers to a recipient; undefined: it accepts the mail. */
type Answer = { readonly code: number; readonly text: string } | undefined;

/** A mail server on this machine. */
export interface Mailbox {
  /** for the setting `mail` */
  readonly address: string;
  readonly mails: readonly Email[];
  /** Decides about mails to a recipient from now on. */
  answer(decide: (recipient: string) => Answer): void;
  /** Takes the mails that have come so far. */
  take(): readonly Email[];
}

export async function startMailbox(t: TestContext): Promise<Mailbox> {
  const mails: Email[] = [];
  let decide: (recipient: string) => Answer = () => undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const answer = decide(address);
      if (answer === undefined) return done();
      done(Object.assign(new Error(answer.text), { responseCode: answer.code }));
    },
    onData(stream, _session, done) {
      buffer(stream)
        .then((bytes) => PostalMime.parse(bytes))
        .then((mail) => {
          mails.push(mail);
          done();
        }, done);
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    address: `smtp://127.0.0.1:${port}`,
    mails,
    answer: (next) => {
      decide = next;
    },
    take: () => mails.splice(0),
  };
}

/** Returns the value of a header. */
export function headerOf({ headers }: Email, name: string): string | undefined {
  return headers.find(({ key }) => key === name.toLowerCase())?.value;
}
