import type { RecordedEvent } from '../../base/events/model.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Subject } from '../notifications/model.ts';

/**
 * Which notifications a user gets by mail. `own`: of issues and pull requests that they have written, that are assigned to
 * them, that mention them or that they review.
 */
export const MAIL_LEVELS = ['all', 'own', 'none'] as const;
export type MailLevel = (typeof MAIL_LEVELS)[number];

/** What a user has chosen, and whether it has an effect. */
export interface MailPreference {
  readonly level: MailLevel;
  /** where mail goes; '' if the account has no address */
  readonly address: string;
  /** whether this server sends mail */
  readonly isOn: boolean;
}

/** An event of an issue that is to be mailed to a user. */
export interface MailNotice {
  readonly id: number;
  readonly issueId: number;
  readonly position: number;
  /** ms */
  readonly at: number;
}

/** A user who gets mail. */
export interface Reader {
  readonly id: number;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isRestricted: boolean;
  readonly address: string;
  readonly failures: number;
  /** mails in the current hour, and when that hour ends, ms */
  readonly sentInHour: number;
  readonly hourEndsAt: number;
}

/** What has happened, as its reader may see it now. */
export interface News {
  readonly noticeId: number;
  readonly issueId: number;
  readonly event: RecordedEvent;
  /** null: the server, or an account that is hidden or deleted */
  readonly actor: string | null;
  readonly repository: PermittedRepository['repository'];
  readonly subject: Subject;
  /** for example `commented` */
  readonly what: string;
  /** Markdown; '' for none */
  readonly text: string;
  /** address of the page */
  readonly url: string;
}
