import { type Html, html } from '../../base/core/text/html.ts';
import type { Mail } from '../../base/mail/model.ts';
import type { LinkPurpose, Notice } from './model.ts';

/** Name of the sender. */
const SERVER_NAME = 'Quire';

/** What a mail says. */
export interface MailText {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** absent: the mail has no link */
  readonly link?: { readonly url: string; readonly label: string };
  readonly after?: string;
}

/** What a text may name. */
interface Subject {
  /** name of the account; '' if it has none yet */
  readonly name: string;
  /** host of this server */
  readonly host: string;
  readonly url: string;
  /** when the link ends, as people read it */
  readonly ends: string;
}

const NOT_YOU = 'If this was not you, delete this mail: nothing changes.';

export const LINK_TEXTS: Readonly<Record<LinkPurpose, (subject: Subject) => MailText>> = {
  'sign-up': ({ host, url, ends, name }) => ({
    subject: `Confirm your account at ${host}`,
    paragraphs: [`Someone, probably you, wants to be ${name} at ${host} with this e-mail address.`],
    link: { url, label: 'Create the account' },
    after: `The link works once, until ${ends}. ${NOT_YOU}`,
  }),
  invitation: ({ host, url, ends }) => ({
    subject: `You are invited to ${host}`,
    paragraphs: [`An administrator of ${host} invites you to have an account there.`],
    link: { url, label: 'Choose your name and password' },
    after: `The link works once, until ${ends}. If you do not want an account, delete this mail.`,
  }),
  recover: ({ host, url, ends, name }) => ({
    subject: `A new password for ${name} at ${host}`,
    paragraphs: [`Someone, probably you, has forgotten the password of ${name} at ${host}.`],
    link: { url, label: 'Choose a new password' },
    after: `The link works once, until ${ends}. ${NOT_YOU} Your password stays as it is.`,
  }),
  'confirm-email': ({ host, url, ends, name }) => ({
    subject: `Confirm your e-mail address at ${host}`,
    paragraphs: [`${name} has added this e-mail address to an account at ${host}.`],
    link: { url, label: 'Confirm the address' },
    after: `The link works once, until ${ends}. ${NOT_YOU}`,
  }),
  'undo-email': ({ host, url, ends, name }) => ({
    subject: `The e-mail address of ${name} at ${host} has changed`,
    paragraphs: [
      `The account ${name} at ${host} has another primary e-mail address now. If this was you, delete this mail.`,
      'If it was not you, someone else uses your account. Take it back: this address becomes the primary one again, all browsers are signed out, the password and all access tokens stop working, and you choose a new password.',
    ],
    link: { url, label: 'Take the account back' },
    after: `The link works once, until ${ends}.`,
  }),
};

export const NOTICE_TEXTS: Readonly<Record<Notice, (subject: Omit<Subject, 'ends'>) => MailText>> = {
  'password-changed': ({ host, name, url }) => ({
    subject: `The password of ${name} at ${host} has changed`,
    paragraphs: [
      `The account ${name} at ${host} has a new password. All browsers that were signed in are signed out.`,
      'If this was not you, choose a new password, or ask an administrator.',
    ],
    link: { url, label: 'I have not changed it' },
  }),
  'account-restored': ({ host, name, url }) => ({
    subject: `You have ${name} at ${host} back`,
    paragraphs: [
      'This is the primary e-mail address of the account again. All browsers are signed out, and the former password and all access tokens no longer work.',
      'Choose a new one. Then look at the keys of the account, and delete what is not yours.',
    ],
    link: { url, label: 'Choose a new password' },
  }),
};

/** Says to the owner of an address that someone has tried to sign up with it. The sign-up page reveals nothing. */
export function takenText({ host, name, url }: Omit<Subject, 'ends'>): MailText {
  return {
    subject: `You already have an account at ${host}`,
    paragraphs: [
      `Someone, probably you, has tried to create an account at ${host} with this e-mail address. It belongs to the account ${name}.`,
    ],
    link: { url, label: 'Choose a new password for it, if you have forgotten it' },
    after: NOT_YOU,
  };
}

/** Writes a mail as plain text and as HTML. @param messageId the same for each attempt */
export function accountMail(
  { subject, paragraphs, link, after = '' }: MailText,
  { to, host, messageId }: { readonly to: string; readonly host: string; readonly messageId: string },
): Mail {
  const why = `This mail is about an account at ${host}. Replies are not read.`;
  const address = link === undefined ? '' : `${link.label}:\n${link.url}`;
  return {
    to,
    fromName: SERVER_NAME,
    subject,
    text: [...paragraphs, address, after, `-- \n${why}`].filter((part) => part !== '').join('\n\n'),
    html: documentOf(
      html`${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}${
        link === undefined ? html`` : html`<p><a href="${link.url}">${link.label}</a></p>`
      }
<p>${after}</p>`,
      why,
    ),
    messageId,
    conversation: null,
    list: null,
    unsubscribeUrl: null,
  };
}

function documentOf(body: Html, why: string): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"></head>
<body style="font-family: sans-serif; line-height: 1.5">
${body}
<hr>
<p style="font-size: small">${why}</p>
</body>
</html>
`.html;
}
