import { html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { MAIL } from '../../tracker/mail/actions.ts';
import { MAIL_LEVELS, type MailLevel } from '../../tracker/mail/model.ts';
import type { MailPreferences } from '../../tracker/mail/service.ts';
import { formHtml, signedIn } from '../forms/form-parts.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { sendOwnSettings } from '../sign-in/own-settings.ts';

interface Dependencies {
  readonly mailPreferences: MailPreferences;
  readonly addresses: Addresses;
}

const PATH = '/user/settings/notifications';

const WORDS: Readonly<Record<MailLevel, string>> = {
  all: 'All notifications',
  own: 'What concerns me: I wrote it, it is assigned to me, it mentions me, or I review it',
  none: 'No mail',
};

/** Registers the page on which users choose which notifications they get by mail. */
export function mailSettingsPage(app: App, { mailPreferences, addresses }: Dependencies): void {
  app.get(PATH, { config: { action: MAIL.readSettings } }, async (request, reply) => {
    const { level, address, isOn } = await mailPreferences.get(signedIn(request));
    const choices = MAIL_LEVELS.map(
      (each) =>
        html`<label class="choice"><input type="radio" name="notifications" value="${each}"${each === level ? html` checked` : html``}> <span>${WORDS[each]}</span></label>
`,
    );
    const where = isOn
      ? html`<p>Mail goes to ${address === '' ? 'no address: your account has none' : html`<strong>${address}</strong>`}.</p>`
      : html`<p class="notice warning">This server sends no mail at present. Your choice has an effect when it does.</p>`;
    const form = formHtml(
      request,
      reply,
      { action: PATH, fields: html`<fieldset><legend>By mail</legend>${choices}</fieldset>`, button: 'Save' },
      addresses,
    );
    return sendOwnSettings(reply, {
      title: 'Notifications',
      current: PATH,
      body: settingsBox('Which notifications you get by mail', html`${where}${form}`),
    });
  });

  app.post(PATH, { config: { action: MAIL.changeSettings, isForm: true } }, async (request, reply) => {
    const level = MAIL_LEVELS.find((each) => each === fieldOf(request, 'notifications')) ?? 'none';
    await mailPreferences.set(signedIn(request), level);
    return reply.redirect(localAddress(PATH, addresses), 303);
  });
}
