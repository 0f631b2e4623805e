import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { acceptForms, type FileForm, FORM, formOptions, readFormFile } from '../../http/bodies/forms.ts';
import { HTTP_LIMITS } from '../../http/limits.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { ACCOUNT } from '../../people/accounts/actions.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import type { Account } from '../../people/accounts/model.ts';
import { settingsEditOf } from '../../people/accounts/options.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { AVATAR } from '../../people/avatars/actions.ts';
import { AVATAR_LIMITS } from '../../people/avatars/limits.ts';
import type { Avatars } from '../../people/avatars/service.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { checkbox, textArea, textField } from '../parts/fields.ts';
import { avatarHtml } from '../parts/people.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { sendOwnSettings } from '../sign-in/own-settings.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly avatars: Avatars;
  readonly addresses: Addresses;
}

const PATH = '/user/settings';
const AVATAR_PATH = `${PATH}/avatar`;
const AVATAR_PX = 96;
const UPLOAD: FileForm = { field: 'avatar', bytesMax: AVATAR_LIMITS.avatarBytesMax };
const TEXTS = ['full_name', 'pronouns', 'description', 'location', 'website'] as const;
const FLAGS = ['hide_email', 'hide_pronouns', 'hide_activity'] as const;

/** Registers the page on which users change what others see of them. */
export function profileSettingsPage(app: App, dependencies: Dependencies): void {
  const { accounts, addresses } = dependencies;
  app.get(PATH, { config: { action: ACCOUNT.readSelf } }, async (request, reply) =>
    sendProfile(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: ACCOUNT.changeSelf, isForm: true } }, async (request, reply) => {
    const texts = Object.fromEntries(TEXTS.map((name) => [name, fieldOf(request, name).trim()]));
    const flags = Object.fromEntries(FLAGS.map((name) => [name, isChecked(request, name)]));
    const edit = settingsEditOf({ ...texts, ...flags });
    try {
      await accounts.editSelf(signedIn(request), edit);
      return reply.redirect(localAddress(PATH, addresses), 303);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return sendProfile(request, reply, dependencies, { problem, typed: edit as Partial<Account> });
    }
  });

  // Other pages take such forms in another way.
  app.register(async (scope) => {
    scope.removeContentTypeParser(FORM);
    acceptForms(scope as App);
    avatarForms(scope as App, dependencies);
  });
}

function avatarForms(app: App, dependencies: Dependencies): void {
  const { avatars, addresses } = dependencies;
  const done = (reply: FastifyReply) => reply.redirect(localAddress(PATH, addresses), 303);

  app.post(
    AVATAR_PATH,
    {
      config: {
        action: AVATAR.change,
        isForm: true,
        acceptsForm: UPLOAD,
        bodyBytesInMemory: HTTP_LIMITS.objectBodyBytesInMemory,
      },
      ...formOptions(UPLOAD),
    },
    async (request, reply) => {
      try {
        const image = await readFormFile(request, UPLOAD, async ({ bytes }) => {
          const chunks: Buffer[] = [];
          for await (const chunk of bytes) chunks.push(chunk);
          return Buffer.concat(chunks).toString('base64');
        });
        await avatars.setOwn(signedIn(request), image);
        return done(reply);
      } catch (error) {
        const problem = fieldProblemOf(error, reply);
        if (problem === undefined) throw error;
        return sendProfile(request, reply, dependencies, { pictureProblem: problem });
      }
    },
  );

  app.post(
    `${AVATAR_PATH}/delete`,
    { config: { action: AVATAR.change, isForm: true } },
    async (request, reply) => {
      await avatars.removeOwn(signedIn(request));
      return done(reply);
    },
  );
}

interface State {
  readonly problem?: string;
  readonly pictureProblem?: string;
  /** what was typed into a form that could not be done */
  readonly typed?: Partial<Account>;
}

async function sendProfile(
  request: FastifyRequest,
  reply: FastifyReply,
  { accounts, addresses }: Dependencies,
  { problem, pictureProblem, typed = {} }: State = {},
): Promise<FastifyReply> {
  const account = await accounts.getOwnUser(signedIn(request));
  const profile = formHtml(
    request,
    reply,
    { action: PATH, fields: fieldsHtml({ ...account, ...typed }), button: 'Save' },
    addresses,
  );
  const remove = buttonForm(
    request,
    reply,
    { action: `${AVATAR_PATH}/delete`, button: 'Remove the picture' },
    addresses,
  );
  const picture = html`${problemHtml(pictureProblem)}<div class="row">${avatarHtml(account, AVATAR_PX, addresses)}
<form class="form" method="post" action="${AVATAR_PATH}" enctype="${FORM}">
<label>New picture <input type="file" name="avatar" accept="image/png,image/jpeg,image/gif,image/webp" required><span class="hint">At most ${AVATAR_LIMITS.avatarBytesMax / 1024 / 1024} MiB. It becomes a square.</span></label>
<button>Upload</button></form></div>
${account.avatar === '' ? html`` : remove}`;
  return sendOwnSettings(reply, {
    title: 'Profile',
    current: PATH,
    body: html`${settingsBox('What others see of you', html`${problemHtml(problem)}${profile}`)}${settingsBox('Picture', picture)}`,
  });
}

function fieldsHtml(account: Account): Html {
  const charsMax = ACCOUNT_LIMITS.profileFieldCharsMax;
  return html`${textField({ name: 'full_name', label: 'Full name', value: account.fullName, autocomplete: 'name', charsMax })}${textField({ name: 'pronouns', label: 'Pronouns', value: account.pronouns, charsMax })}${textArea({ name: 'description', label: 'About you', value: account.description, charsMax })}${textField({ name: 'location', label: 'Location', value: account.location, charsMax })}${textField({ name: 'website', label: 'Website', value: account.website, type: 'url', autocomplete: 'url', charsMax })}${checkbox({ name: 'hide_email', label: 'Hide my e-mail address', hint: 'Commits that you make in the browser have an address of this server instead.', isChecked: account.keepsEmailPrivate })}${checkbox({ name: 'hide_pronouns', label: 'Show my pronouns only to users who are signed in', isChecked: account.hidesPronouns })}${checkbox({ name: 'hide_activity', label: 'Hide my activity, and what I have starred', isChecked: account.hidesActivity })}`;
}
