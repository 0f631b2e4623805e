import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { SITE } from '../../people/accounts/actions.ts';
import { ACCOUNT_LIMITS } from '../../people/accounts/limits.ts';
import type { Account, AccountEdit } from '../../people/accounts/model.ts';
import { seesEmails } from '../../people/accounts/present.ts';
import { visibilityOf } from '../../people/accounts/profile.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { HandedOverLink, Recovery } from '../../people/recovery/service.ts';
import { accountPath } from '../addresses.ts';
import { formHtml, problemHtml, signedIn, timeHtml } from '../forms/form-parts.ts';
import { checkbox, selectField, textField } from '../parts/fields.ts';
import { dangerBox, settingsBox } from '../parts/side-nav.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { sendAdmin } from './admin-frame.ts';
import { adminUserPath, stateBadgesOf, USERS_PATH } from './user-pages.ts';

interface Dependencies {
  readonly accounts: Accounts;
  readonly recovery: Recovery;
  readonly addresses: Addresses;
}

const PATH = `${USERS_PATH}/:username/edit`;
const DELETE_PATH = `${USERS_PATH}/:username/delete`;
const schema = { params: Type.Object({ username: Type.String() }) };

/** What the page says besides the settings of the user. */
interface Said {
  readonly problem?: string;
  /** a new link that gives the user a password */
  readonly link?: HandedOverLink;
}

/** Registers the page on which an administrator changes a user. */
export function adminUserPage(app: App, dependencies: Dependencies): void {
  const { accounts, recovery, addresses } = dependencies;
  app.get(PATH, { config: { action: SITE.listAccounts }, schema }, async (request, reply) =>
    sendUser(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: SITE.editAccount, isForm: true }, schema }, async (request, reply) =>
    withProblem(request, reply, dependencies, async (name) => {
      const viewer = signedIn(request);
      switch (fieldOf(request, 'change')) {
        case 'link':
          return sendUser(request, reply, dependencies, { link: await recovery.linkFor(viewer, name) });
        case 'rename': {
          const to = fieldOf(request, 'username').trim();
          await accounts.renameUser(viewer, name, to);
          return reply.redirect(localAddress(adminUserPath(to), addresses), 303);
        }
        case 'suspend':
          await accounts.editUser(viewer, name, { isLoginProhibited: fieldOf(request, 'on') === 'true' });
          break;
        default:
          await accounts.editUser(viewer, name, editOf(request));
      }
      return reply.redirect(localAddress(adminUserPath(name), addresses), 303);
    }),
  );

  app.post(
    DELETE_PATH,
    { config: { action: SITE.deleteAccount, isForm: true }, schema },
    async (request, reply) =>
      withProblem(request, reply, dependencies, async (name) => {
        if (fieldOf(request, 'confirm').trim().toLowerCase() !== name.toLowerCase())
          throw invalid('type the name of the user to confirm');
        await accounts.deleteUser(signedIn(request), name, { purge: isChecked(request, 'purge') });
        return reply.redirect(localAddress(USERS_PATH, addresses), 303);
      }),
  );

  // Where a browser is after its user has proved who they are.
  app.get(DELETE_PATH, { config: { action: SITE.listAccounts }, schema }, async (request, reply) =>
    sendUser(request, reply, dependencies),
  );
}

function editOf(request: FastifyRequest): AccountEdit {
  const password = fieldOf(request, 'password');
  return {
    fullName: fieldOf(request, 'full_name').trim(),
    email: fieldOf(request, 'email').trim(),
    visibility: visibilityOf(fieldOf(request, 'visibility')),
    isAdmin: isChecked(request, 'admin'),
    isActive: isChecked(request, 'active'),
    isRestricted: isChecked(request, 'restricted'),
    mayCreateOrganizations: isChecked(request, 'allow_create_organization'),
    ...(password === '' ? {} : { password, mustChangePassword: isChecked(request, 'must_change_password') }),
  };
}

async function withProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  work: (name: string) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work((request.params as { username: string }).username);
  } catch (error) {
    const problem = fieldProblemOf(error, reply);
    if (problem === undefined) throw error;
    return sendUser(request, reply, dependencies, { problem });
  }
}

async function sendUser(
  request: FastifyRequest,
  reply: FastifyReply,
  { accounts, addresses }: Dependencies,
  { problem, link }: Said = {},
): Promise<FastifyReply> {
  const { username } = request.params as { username: string };
  const account = await accounts.getByName(request.viewer, username);
  const { name, isLoginProhibited } = account;
  const shown = seesEmails(request.viewer) ? account : { ...account, email: '' };
  const action = adminUserPath(name);
  const form = (to: string, fields: Html, button: string, isSecond = true) =>
    formHtml(request, reply, { action: to, fields, button, isSecond }, addresses);
  const button = (fields: Record<string, string>, words: string, look: 'small' | 'danger') =>
    buttonForm(request, reply, { action, fields, button: words, look }, addresses);
  const made = link === undefined ? html`` : linkHtml(link);
  const rename = form(
    action,
    html`<input type="hidden" name="change" value="rename">
${textField({ name: 'username', label: 'New name', value: name, isRequired: true, charsMax: ACCOUNT_LIMITS.nameCharsMax })}`,
    'Rename',
  );
  const deletion = form(
    `${USERS_PATH}/${encodeURIComponent(name)}/delete`,
    html`${checkbox({ name: 'purge', label: 'Also delete what the user owns: repositories, and organizations without other owners', isChecked: false })}${textField({ name: 'confirm', label: `Type "${name}" to confirm`, isRequired: true })}`,
    'Delete the user',
  );
  return sendAdmin(reply, {
    title: name,
    current: USERS_PATH,
    isSecret: link !== undefined,
    body: html`<p><a href="${accountPath(name)}">Profile</a> ${stateBadgesOf(account)}</p>
${problemHtml(problem)}${made}${settingsBox('Account', form(action, fieldsOf(shown), 'Save', false))}${settingsBox('Password link', html`<p>Makes a link that lets the user choose a new password. Hand it over yourself.</p>${button({ change: 'link' }, 'Make a link', 'small')}`)}${settingsBox('Name', rename)}${dangerBox(
  'Suspend',
  html`<p>${isLoginProhibited ? 'The user may not sign in.' : 'The user can sign in no more, and all sessions end. What the user has made stays.'}</p>${button({ change: 'suspend', on: `${!isLoginProhibited}` }, isLoginProhibited ? 'Let the user sign in again' : 'Suspend the user', 'danger')}`,
)}${dangerBox('Delete', deletion)}`,
  });
}

function linkHtml({ url, endsAt }: HandedOverLink): Html {
  return html`<div class="notice"><p><strong>Hand this link over now.</strong> No other page shows it. It works once, until ${timeHtml(endsAt)}.</p><pre>${url}</pre></div>
`;
}

function fieldsOf(account: Account): Html {
  return html`${textField({ name: 'full_name', label: 'Full name', value: account.fullName })}${textField({ name: 'email', label: 'E-mail address', type: 'email', value: account.email })}${selectField(
    {
      name: 'visibility',
      label: 'Visible to',
      value: account.visibility,
      options: [
        ['public', 'Everyone'],
        ['limited', 'Users who are signed in'],
        ['private', 'Members of the same organizations'],
      ],
    },
  )}${textField({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: 'Empty: it stays.' })}${checkbox({ name: 'must_change_password', label: 'The user must choose another one at the next sign-in', isChecked: true })}${checkbox({ name: 'admin', label: 'Administrator', isChecked: account.isAdmin })}${checkbox({ name: 'active', label: 'Activated', isChecked: account.isActive })}${checkbox({ name: 'restricted', label: 'Restricted: sees only what was given to the user by name', isChecked: account.isRestricted })}${checkbox({ name: 'allow_create_organization', label: 'May create organizations', isChecked: account.mayCreateOrganizations })}`;
}
