/** How the server sends mail. */
export type MailSetting =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'smtp';
      readonly host: string;
      readonly port: number;
      /** Encryption from the first byte. Otherwise the server starts it if the other side offers it. */
      readonly isEncrypted: boolean;
      readonly credentials: { readonly user: string; readonly password: string } | null;
    }
  /** Each mail becomes a file NAME.eml (RFC 5322). */
  | { readonly kind: 'folder'; readonly path: string };

export interface MailSettings {
  readonly transport: MailSetting;
  /** address in `From` */
  readonly from: string;
}

/** A mail to one person. */
export interface Mail {
  readonly to: string;
  /** name of the sender beside the address of the server */
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** without angle brackets; the same for each attempt, so that receivers recognize a mail that was sent twice */
  readonly messageId: string;
  /** id of the first mail of a conversation; null: none */
  readonly conversation: string | null;
  /** name and id of the list, by which readers sort their mail (RFC 2919); null: none */
  readonly list: { readonly id: string; readonly name: string } | null;
  /** at which a POST ends these mails (RFC 8058); null: the mail is about something that only its reader can do */
  readonly unsubscribeUrl: string | null;
}

/** Why a mail was not sent: `refused`: for good; `later`: not now; `unreachable`: nothing can be sent now. */
export type MailProblem = 'refused' | 'later' | 'unreachable';

export class MailError extends Error {
  override readonly name = 'MailError';
  readonly problem: MailProblem;

  constructor(problem: MailProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
