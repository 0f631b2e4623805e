import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { SendMailOptions, Transporter } from 'nodemailer';
import { FILE_MODE, FOLDER_MODE, writeDurably } from '../core/files/durable-files.ts';
import { currentTimeMs } from '../core/time/clock.ts';
import { MAIL_TRANSPORT_LIMITS } from './limits.ts';
import { type Mail, MailError, type MailProblem, type MailSetting, type MailSettings } from './model.ts';

type Smtp = Extract<MailSetting, { kind: 'smtp' }>;
/** Sends a mail, in the form that nodemailer takes. */
type Send = (message: SendMailOptions) => Promise<void>;

/** Sends mail as the settings say. */
export class Mailer {
  readonly #settings: MailSettings;
  #send: Promise<Send> | undefined;
  #close = () => {};
  #users = 0;

  constructor(settings: MailSettings) {
    this.#settings = settings;
  }

  /** Without it, nothing is sent, and nothing must be recorded to be sent. */
  get isOn(): boolean {
    return this.#settings.transport.kind !== 'none';
  }

  /** of the address in `From`, for ids of mails */
  get host(): string {
    return this.#settings.from.slice(this.#settings.from.lastIndexOf('@') + 1);
  }

  /** @throws MailError; any error of the file system */
  async send(mail: Mail): Promise<void> {
    this.#send ??= this.#open();
    const send = await this.#send;
    await send(messageOf(mail, this.#settings.from, this.host));
  }

  /** Does work that sends mail. The connections to the mail server close when no such work is left. */
  async during(work: () => Promise<void>): Promise<void> {
    this.#users += 1;
    try {
      await work();
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.close();
    }
  }

  /** Closes the connections to the mail server. The next mail opens new ones. */
  close(): void {
    this.#close();
    this.#send = undefined;
  }

  /** The package is loaded when the first mail is sent, because most servers send none. */
  async #open(): Promise<Send> {
    const { transport } = this.#settings;
    if (transport.kind === 'none') throw new Error('this server sends no mail');
    const { createTransport } = (await import('nodemailer')).default;
    if (transport.kind === 'folder') {
      const writer = createTransport({ streamTransport: true, buffer: true });
      return (message) => writeMail(writer, message, transport.path);
    }
    const connections = createTransport(connectionsOf(transport));
    this.#close = () => connections.close();
    return async (message) => {
      await connections.sendMail(message).catch(rethrow);
    };
  }
}

function connectionsOf({ host, port, isEncrypted, credentials }: Smtp) {
  const { mailConnectionsMax, mailsPerConnectionMax, mailConnectMs, mailIdleMs } = MAIL_TRANSPORT_LIMITS;
  return {
    pool: true as const,
    maxConnections: mailConnectionsMax,
    maxMessages: mailsPerConnectionMax,
    host,
    port,
    secure: isEncrypted,
    // A password is never sent in plain text to another machine.
    requireTLS: credentials !== null && !isThisMachine(host),
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: mailConnectMs,
    greetingTimeout: mailConnectMs,
    socketTimeout: mailIdleMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

async function writeMail(
  writer: Transporter<{ message: unknown }>,
  message: SendMailOptions,
  folder: string,
): Promise<void> {
  const { message: bytes } = await writer.sendMail(message);
  if (!Buffer.isBuffer(bytes)) throw new Error('the mail was not made in memory');
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  await writeDurably(path.join(folder, `${currentTimeMs()}-${randomUUID()}.eml`), bytes, { mode: FILE_MODE });
}

function messageOf(mail: Mail, from: string, host: string): SendMailOptions {
  const { to, fromName, subject, text, html, messageId, conversation, list, unsubscribeUrl } = mail;
  const isFirst = conversation === messageId;
  return {
    from: { name: fromName, address: from },
    // Replies reach nothing, so their address says so.
    replyTo: { name: 'Do not reply', address: from },
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${messageId}@${host}>`,
    ...(conversation !== null &&
      !isFirst && { inReplyTo: `<${conversation}@${host}>`, references: `<${conversation}@${host}>` }),
    list: {
      ...(unsubscribeUrl !== null && { unsubscribe: { url: unsubscribeUrl } }),
      ...(list && { id: { url: list.id, comment: list.name } }),
    },
    headers: {
      ...(unsubscribeUrl !== null && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      // RFC 3834, and what the reply programs of Exchange read: nothing answers these mails by itself.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      Precedence: 'bulk',
    },
  };
}

/** A code that begins with 5 is for good (RFC 5321, section 4.2.1). */
const FOR_GOOD = 500;

function rethrow(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  throw new MailError(problemOf(error), error.message, { cause: error });
}

function problemOf(error: Error): MailProblem {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return 'unreachable';
  // The sender is refused, and with it every mail, until an operator has mended the settings.
  if (command === 'MAIL FROM' && code === 'EENVELOPE') return 'later';
  // Without a response, the address itself cannot be used.
  return responseCode === undefined || responseCode >= FOR_GOOD ? 'refused' : 'later';
}
