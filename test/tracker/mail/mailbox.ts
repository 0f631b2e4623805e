import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterTest } from '../../support/after-test.ts';
import type { Certificate } from '../../support/http/certificate.ts';

/** What the mail server answers to a recipient; undefined: it accepts the mail; `cut`: it ends the connection. */
type Answer = { readonly code: number; readonly text: string } | 'cut' | undefined;

/** A mail server on this machine. */
export interface Mailbox {
  /** for the setting `mail` */
  readonly address: string;
  readonly mails: readonly Email[];
  /** the mails with how each of them came */
  readonly arrivals: readonly Arrival[];
  /** number of attempts to sign in */
  readonly signIns: number;
  /** Decides about mails to a recipient from now on. */
  answer(decide: (recipient: string) => Answer): void;
  /** Decides about all mails from now on, by their sender. */
  answerSender(decide: () => Exclude<Answer, 'cut'>): void;
  /** Takes the mails that have come so far. */
  take(): readonly Email[];
  close(): Promise<void>;
}

/** How a mail came. */
export interface Arrival {
  readonly isEncrypted: boolean;
  /** undefined: without a sign-in */
  readonly user: string | undefined;
}

export interface MailboxForm {
  /** without it, nothing is encrypted */
  readonly certificate?: Certificate;
  /** Connections are encrypted from the start. */
  readonly isSmtps?: boolean;
  /** The server wants these credentials, and takes them also over a connection that is not encrypted. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /** 0: any */
  readonly port?: number;
}

export async function startMailbox(
  t: TestContext,
  { certificate, isSmtps = false, credentials, port: wantedPort = 0 }: MailboxForm = {},
): Promise<Mailbox> {
  const mails: Email[] = [];
  const arrivals: Arrival[] = [];
  let signIns = 0;
  let decide: (recipient: string) => Answer = () => undefined;
  let decideSender: () => Exclude<Answer, 'cut'> = () => undefined;
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    secure: isSmtps,
    ...(certificate && { key: certificate.key, cert: certificate.cert }),
    authOptional: credentials === undefined,
    allowInsecureAuth: true,
    disabledCommands: certificate === undefined ? ['STARTTLS'] : [],
    onAuth({ username, password }, _session, done) {
      signIns += 1;
      const { user, password: wanted } = credentials ?? {};
      if (username === user && password === wanted) return done(null, { user });
      return done(errorOf({ code: 535, text: 'unknown user or password' }));
    },
    onMailFrom(_address, _session, done) {
      const answer = decideSender();
      done(answer && errorOf(answer));
    },
    onRcptTo({ address }, { remotePort }, done) {
      const answer = decide(address);
      if (answer !== 'cut') return done(answer && errorOf(answer));
      for (const socket of sockets) if (socket.remotePort === remotePort) socket.destroy();
    },
    onData(stream, { secure: isEncrypted, user }, done) {
      buffer(stream)
        .then((bytes) => PostalMime.parse(bytes))
        .then((mail) => {
          mails.push(mail);
          arrivals.push({ isEncrypted, user: user as string | undefined });
          done();
        }, done);
    },
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  afterTest(t, close);
  const { port } = server.server.address() as AddressInfo;
  return {
    address: isSmtps ? `smtps://localhost:${port}` : `smtp://localhost:${port}`,
    mails,
    arrivals,
    get signIns() {
      return signIns;
    },
    close,
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
