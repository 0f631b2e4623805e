import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFailure, notFound } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SECURITY_PATH as PATH } from '../../http/errors/web.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { SECOND_FACTOR } from '../../people/second-factor/actions.ts';
import { SECOND_FACTOR_LIMITS } from '../../people/second-factor/limits.ts';
import type { CodeSetup, Passkey, PasskeyRequest } from '../../people/second-factor/model.ts';
import type { Passkeys } from '../../people/second-factor/passkeys.ts';
import type { SecondFactors } from '../../people/second-factor/service.ts';
import { sendFormPage, sendFormsPage, signedIn, timeHtml } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { buttonForm } from './button-form.ts';
import { sendOwnSettings } from './own-settings.ts';
import { CODE_FIELD, passkeyAnswerOf, passkeyFields, passkeyScriptHtml } from './passkey-parts.ts';
import { qrCodeHtml } from './qr-code.ts';

interface Dependencies {
  readonly secondFactors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly addresses: Addresses;
}

const ENROLL_PATH = `${PATH}/two_factor/enroll`;
const BEGIN_PATH = `${PATH}/two_factor/begin`;
const DISABLE_PATH = `${PATH}/two_factor/disable`;
const ADD_PASSKEY_PATH = `${PATH}/webauthn/register`;
const REMOVE_PASSKEY_PATH = `${PATH}/webauthn/delete`;
const RENEW_PATH = `${PATH}/two_factor/regenerate_scratch`;

/** Registers the pages on which users manage their second factors. */
export function securityPages(app: App, dependencies: Dependencies): void {
  overviewPage(app, dependencies);
  returnsToPage(app, dependencies);
  setUpPages(app, dependencies);
  changePages(app, dependencies);
  passkeyPages(app, dependencies);
}

function overviewPage(app: App, { secondFactors, passkeys, addresses }: Dependencies): void {
  app.get(PATH, { config: { action: SECOND_FACTOR.read } }, async (request, reply) => {
    const { accountId } = signedIn(request);
    const state = await secondFactors.state(accountId);
    const ofPasskeys = await passkeys.list(accountId);
    const form = (action: string, button: string) =>
      buttonForm(request, reply, { action, button }, addresses);
    const codes = state.hasCodes
      ? html`<p>On: to sign in, you also need a code from the app on your phone.</p>
${form(DISABLE_PATH, 'Turn one-time codes off')}`
      : html`<p>Off. With one-time codes, your password alone signs in nowhere.</p>
${form(BEGIN_PATH, 'Set up one-time codes')}`;
    const removal = ({ id }: Passkey) =>
      buttonForm(
        request,
        reply,
        { action: REMOVE_PASSKEY_PATH, fields: { id }, button: 'Remove' },
        addresses,
      );
    const adding = passkeys.areUsable
      ? html`<p><a class="button small" href="${ADD_PASSKEY_PATH}">Add a passkey</a></p>`
      : html`<p>This server has no passkeys: they need an address with https and a name.</p>`;
    const recovery =
      state.hasCodes || ofPasskeys.length > 0
        ? settingsBox(
            'Recovery codes',
            html`<p>You have ${state.recoveryCodes} recovery codes left, for the day on which you have lost your phone. New ones replace all of them.</p>
${form(RENEW_PATH, 'Make new recovery codes')}`,
          )
        : html``;
    const ofKeys = html`<p>A passkey is in your phone, your computer or a security key. It is a second factor, and can sign you in alone.</p>
${ofPasskeys.length === 0 ? html`` : passkeyList(ofPasskeys, removal)}
${adding}`;
    return sendOwnSettings(reply, {
      title: 'Security',
      current: PATH,
      body: html`${settingsBox('One-time codes', codes)}${settingsBox('Passkeys', ofKeys)}${recovery}<p><a href="/user/settings/sessions">Browsers in which you are signed in</a></p>`,
    });
  });
}

/** Where a browser is after its user has proved who they are, for a form without a page of its own. */
function returnsToPage(app: App, { addresses }: Dependencies): void {
  for (const path of [BEGIN_PATH, DISABLE_PATH, RENEW_PATH, REMOVE_PASSKEY_PATH])
    app.get(path, { config: { action: SECOND_FACTOR.read } }, async (_request, reply) =>
      reply.header('cache-control', 'no-store').redirect(localAddress(PATH, addresses), 303),
    );
}

function setUpPages(app: App, { secondFactors, addresses }: Dependencies): void {
  const config = { action: SECOND_FACTOR.change, isForm: true } as const;

  app.post(BEGIN_PATH, { config }, async (request, reply) => {
    await secondFactors.beginCodes(signedIn(request));
    return reply.redirect(localAddress(ENROLL_PATH, addresses), 303);
  });

  app.get(ENROLL_PATH, { config }, async (request, reply) => {
    const setup = await secondFactors.pendingCodes(signedIn(request));
    if (setup === undefined) return reply.redirect(localAddress(PATH, addresses), 303);
    return sendSetUp(request, reply, { setup }, addresses);
  });

  app.post(ENROLL_PATH, { config }, async (request, reply) => {
    const viewer = signedIn(request);
    try {
      const codes = await secondFactors.confirmCodes(viewer, fieldOf(request, 'code'));
      return sendRecoveryCodes(reply, codes, addresses);
    } catch (error) {
      const setup = isFailure(error, 'invalid') ? await secondFactors.pendingCodes(viewer) : undefined;
      const problem = setup && problemOf(error, reply);
      if (setup === undefined || problem === undefined) throw error;
      return sendSetUp(request, reply, { setup, problem }, addresses);
    }
  });
}

function changePages(app: App, { secondFactors, addresses }: Dependencies): void {
  const config = { action: SECOND_FACTOR.change, isForm: true } as const;

  app.post(DISABLE_PATH, { config }, async (request, reply) => {
    await secondFactors.removeCodes(signedIn(request));
    return reply.redirect(localAddress(PATH, addresses), 303);
  });

  app.post(RENEW_PATH, { config }, async (request, reply) =>
    sendRecoveryCodes(reply, await secondFactors.renewRecoveryCodes(signedIn(request)), addresses),
  );
}

function passkeyPages(app: App, { passkeys, addresses }: Dependencies): void {
  const config = { action: SECOND_FACTOR.change, isForm: true } as const;

  app.get(ADD_PASSKEY_PATH, { config }, async (request, reply) =>
    sendNewPasskey(
      request,
      reply,
      { asked: await passkeys.requestNew(signedIn(request)), name: '' },
      addresses,
    ),
  );

  app.post(ADD_PASSKEY_PATH, { config }, async (request, reply) => {
    const viewer = signedIn(request);
    const name = fieldOf(request, 'name').trim();
    const answer = passkeyAnswerOf(request) ?? { challenge: '', credential: '' };
    try {
      return sendRecoveryCodes(reply, await passkeys.add(viewer, name, answer), addresses);
    } catch (error) {
      const problem = problemOf(error, reply);
      if (problem === undefined) throw error;
      const asked = await passkeys.requestNew(viewer);
      return sendNewPasskey(request, reply, { asked, name, problem }, addresses);
    }
  });

  app.post(REMOVE_PASSKEY_PATH, { config }, async (request, reply) => {
    const id = parseId(fieldOf(request, 'id'));
    if (id === undefined) throw notFound('passkey');
    await passkeys.remove(signedIn(request), id);
    return reply.redirect(localAddress(PATH, addresses), 303);
  });
}

function passkeyList(passkeys: readonly Passkey[], removal: (passkey: Passkey) => Html): Html {
  const rows = passkeys.map((passkey) => {
    const { name, createdAt, lastUsedAt } = passkey;
    const used = lastUsedAt === null ? html`never used` : html`last used ${timeHtml(lastUsedAt)}`;
    return html`<li><span class="grow">${name}
<span class="quiet small">added ${timeHtml(createdAt)}, ${used}</span></span>
${removal(passkey)}</li>
`;
  });
  return html`<ul class="rows box">
${rows}</ul>`;
}

function sendNewPasskey(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    asked,
    name,
    problem,
  }: { readonly asked: PasskeyRequest; readonly name: string; readonly problem?: string },
  addresses: Addresses,
): FastifyReply {
  return sendFormPage(
    request,
    reply,
    {
      title: 'Add a passkey',
      problem,
      before: html`<p>Give it a name, by which you know it in the list of your passkeys.</p>`,
      action: ADD_PASSKEY_PATH,
      fields: html`<label>Name <input name="name" value="${name}" autocomplete="off" maxlength="${SECOND_FACTOR_LIMITS.passkeyNameCharsMax}" autofocus required></label>
${passkeyFields(asked, { kind: 'create', button: 'Add the passkey' })}`,
      script: passkeyScriptHtml(),
    },
    addresses,
  );
}

function sendSetUp(
  request: FastifyRequest,
  reply: FastifyReply,
  { setup, problem }: { readonly setup: CodeSetup; readonly problem?: string },
  addresses: Addresses,
): FastifyReply {
  return sendFormPage(
    request,
    reply,
    {
      title: 'Set up one-time codes',
      problem,
      before: html`<p>Scan this picture with an app that makes one-time codes, or <a href="${setup.address}">open it on this device</a>, or type the secret into the app:</p>
${qrCodeHtml(setup.address)}
<p><code>${setup.secret}</code></p>
<p>Then type the code that the app shows.</p>`,
      action: ENROLL_PATH,
      fields: CODE_FIELD,
      button: 'Turn one-time codes on',
      isSecret: true,
    },
    addresses,
  );
}

function sendRecoveryCodes(
  reply: FastifyReply,
  codes: readonly string[],
  addresses: Addresses,
): FastifyReply {
  const list: Html =
    codes.length === 0
      ? html`<p>Your recovery codes stay as they are.</p>`
      : html`<p>Write these recovery codes down: they are not shown again. Each one signs you in once, in place of a code of your phone.</p>
<pre>${codes.join('\n')}</pre>`;
  return sendFormsPage(reply, {
    title: 'Your second factor is on',
    isSecret: true,
    body: html`${list}
<p><a href="${addresses.baseUrl}${PATH}">Continue</a></p>`,
  });
}
