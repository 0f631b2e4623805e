import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { FORGOT_PASSWORD_PATH } from '../../http/pages/link-paths.ts';
import type { EmailChanges } from '../../people/email-changes/service.ts';
import { linkPage } from './link-parts.ts';

interface Dependencies {
  readonly emailChanges: EmailChanges;
  readonly addresses: Addresses;
}

/** Registers the pages that prove an address, and that take an account back to a former address. */
export function emailPages(app: App, { emailChanges, addresses }: Dependencies): void {
  const confirmation = {
    purpose: 'confirm-email',
    async show(token: string) {
      const { email } = await emailChanges.findConfirmation(token);
      return {
        title: 'Confirm your e-mail address',
        before: html`<p><strong>${email}</strong> was added to an account. Confirm it only if it is your account.</p>`,
        fields: html``,
        button: 'Confirm the address',
      };
    },
    async use(token: string) {
      await emailChanges.confirm(token);
      return { title: 'The address is confirmed', text: html`You can close this page.` };
    },
  } as const;
  const undo = {
    purpose: 'undo-email',
    async show(token: string) {
      const { email } = await emailChanges.findUndo(token);
      return {
        title: 'Take the account back',
        before: html`<p><strong>${email}</strong> becomes the primary e-mail address of the account again. All browsers are signed out, and the password and all access tokens stop working.</p>`,
        fields: html``,
        button: 'Take the account back',
      };
    },
    async use(token: string) {
      await emailChanges.undo(token);
      return {
        title: 'You have the account back',
        text: html`Now <a href="${addresses.baseUrl}${FORGOT_PASSWORD_PATH}">choose a new password</a>, and delete keys that are not yours.`,
      };
    },
  } as const;
  linkPage(app, confirmation, addresses);
  linkPage(app, undo, addresses);
}
