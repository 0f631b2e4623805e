import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterTest } from '../../support/after-test.ts';

/** What the mail server answers to a recipient; undefined: it accepts the mail; `cut`: it ends the connection. */
type Answer = { readonly code: number; readonly text: string } | 'cut' | undefined;

/** A mail server on this machine. */
export interface Mailbox {
  /** for the setting `mail` */
  readonly address: string;
  readonly mails: readonly Email[];
  /** Decides about mails to a recipient from now on. */
  answer(decide: (recipient: string) => Answer): void;
  /** Decides about all mails from now on, by their sender. */
  answerSender(decide: () => Exclude<Answer, 'cut'>): void;
  /** Takes the mails that have come so far. */
  take(): readonly Email[];
}

export async function startMailbox(t: TestContext): Promise<Mailbox> {
  const mails: Email[] = [];
  let decide: (recipient: string) => Answer = () => undefined;
  let decideSender: () => Exclude<Answer, 'cut'> = () => undefined;
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom(_address, _session, done) {
      const answer = decideSender();
      done(answer && errorOf(answer));
    },
    onRcptTo({ address }, { remotePort }, done) {
      const answer = decide(address);
      if (answer !== 'cut') return done(answer && errorOf(answer));
      for (const socket of sockets) if (socket.remotePort === remotePort) socket.destroy();
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
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    address: `smtp://127.0.0.1:${port}`,
    mails,
    answer: (next) => {
      decide = next;
    },
    answerSender: (next) => {
      decideSender = next;
    },
    take: () => mails.splice(0),
  };
}

function errorOf({ code, text }: Exclude<Answer, 'cut' | undefined>): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** Returns the value of a header. */
export function headerOf({ headers }: Email, name: string): string | undefined {
  return headers.find(({ key }) => key === name.toLowerCase())?.value;
}
