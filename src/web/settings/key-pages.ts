import type { FastifyReply, FastifyRequest } from 'fastify';
import { undefinedIf } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import { KEY } from '../../code/keys/actions.ts';
import { KEY_LIMITS } from '../../code/keys/limits.ts';
import type { OpenPgpKey, SshKey } from '../../code/keys/model.ts';
import type { OpenPgpKeys } from '../../code/keys/openpgp-keys.ts';
import type { SshKeys } from '../../code/keys/ssh-keys.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { textArea, textField } from '../parts/fields.ts';
import { emptyHtml } from '../parts/lists.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { agoHtml, dayHtml } from '../parts/time.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { sendOwnSettings } from '../sign-in/own-settings.ts';
import { afterProof } from '../sign-in/proof-notice.ts';

interface Dependencies {
  readonly sshKeys: SshKeys;
  readonly openPgpKeys: OpenPgpKeys;
  readonly addresses: Addresses;
}

const PATH = '/user/settings/keys';
const ALL_SSH = { page: 1, limit: KEY_LIMITS.sshKeysPerAccountMax };
const ALL_OPENPGP = { page: 1, limit: KEY_LIMITS.openPgpKeysPerAccountMax };

/** Registers the page on which users add, prove and remove keys. */
export function keySettingsPage(app: App, dependencies: Dependencies): void {
  app.get(PATH, { config: { action: KEY.read } }, async (request, reply) =>
    sendKeys(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: KEY.change, isForm: true } }, async (request, reply) => {
    try {
      await change(request, dependencies);
      return reply.redirect(localAddress(PATH, dependencies.addresses), 303);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return sendKeys(request, reply, dependencies, problem);
    }
  });
}

async function change(request: FastifyRequest, { sshKeys, openPgpKeys }: Dependencies): Promise<void> {
  const viewer = signedIn(request);
  const field = (name: string) => fieldOf(request, name);
  const id = parseId(field('id')) ?? 0;
  switch (field('change')) {
    case 'add-ssh':
      await sshKeys.addOwn(viewer, field('key').trim(), field('title'), field('signature'));
      return;
    case 'remove-ssh':
      await sshKeys.deleteOwn(viewer, id).catch(undefinedIf('not_found'));
      return;
    case 'add-openpgp':
      await openPgpKeys.add(viewer, withLineFeeds(field('key')), withLineFeeds(field('signature')));
      return;
    case 'prove-openpgp':
      await openPgpKeys.prove(viewer, field('key_id'), withLineFeeds(field('signature')));
      return;
    default:
      await openPgpKeys.delete(viewer, id).catch(undefinedIf('not_found'));
  }
}

/** A browser sends the lines of a field with carriage returns. */
function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

async function sendKeys(
  request: FastifyRequest,
  reply: FastifyReply,
  { sshKeys, openPgpKeys, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const viewer = signedIn(request);
  const ofSsh = await sshKeys.listOwn(viewer, undefined, ALL_SSH);
  const ofOpenPgp = await openPgpKeys.listOwn(viewer, ALL_OPENPGP);
  const token = await openPgpKeys.token(viewer);
  const changed = fieldOf(request, 'change');
  const typed = (name: string, of: string) => (changed === of ? fieldOf(request, name) : '');
  const problemIn = (of: string) => (changed === of ? problemHtml(problem) : html``);
  const button = (fields: Record<string, string | number>, words: string) =>
    buttonForm(request, reply, { action: PATH, fields, button: words, look: 'small danger' }, addresses);
  const form = (kind: string, fields: Html, words: string) =>
    formHtml(
      request,
      reply,
      {
        action: PATH,
        fields: html`<input type="hidden" name="change" value="${kind}">
${fields}`,
        button: words,
        isSecond: true,
      },
      addresses,
    );
  const proof = (of: string) =>
    html`<details><summary>Prove that the key is yours</summary><div class="stack tight">${howToProve(of, token)}${textArea({ name: 'signature', label: 'Signature of the token', value: typed('signature', of) })}</div></details>`;
  const sshForm = form(
    'add-ssh',
    html`${textField({ name: 'title', label: 'Title', value: typed('title', 'add-ssh'), isRequired: true, charsMax: KEY_LIMITS.keyTitleCharsMax })}${textArea({ name: 'key', label: 'Public key', value: typed('key', 'add-ssh'), isRequired: true, hint: 'The line of a file such as ~/.ssh/id_ed25519.pub' })}${proof('add-ssh')}`,
    'Add the SSH key',
  );
  const openPgpForm = form(
    'add-openpgp',
    html`${textArea({ name: 'key', label: 'Public key', value: typed('key', 'add-openpgp'), isRequired: true, hint: 'What gpg --armor --export prints. It needs an e-mail address of yours, or a proof.' })}${proof('add-openpgp')}`,
    'Add the OpenPGP key',
  );
  const proving = (key: OpenPgpKey) =>
    key.isProved
      ? html``
      : html`<details><summary class="small">Prove that it is yours</summary>${form('prove-openpgp', html`${howToProve('add-openpgp', token)}<input type="hidden" name="key_id" value="${key.keyId}">${textArea({ name: 'signature', label: 'Signature of the token', isRequired: true })}`, 'Prove')}</details>`;
  const sshRows = ofSsh.items.map((key) =>
    sshRow(key, button({ change: 'remove-ssh', id: key.id }, 'Remove')),
  );
  const openPgpRows = ofOpenPgp.items.map((key) =>
    openPgpRow(key, button({ change: 'remove-openpgp', id: key.id }, 'Remove'), proving(key)),
  );
  const listOr = (rows: readonly Html[], none: Html) =>
    rows.length === 0 ? none : html`<ul class="rows box">${rows}</ul>`;
  return sendOwnSettings(reply, {
    title: 'SSH and OpenPGP keys',
    current: PATH,
    body: html`${problemIn('prove-openpgp')}${settingsBox('SSH keys', html`<p>git over SSH signs you in with them, and they verify signatures of your commits.</p>${listOr(sshRows, emptyHtml('You have no SSH key'))}${problemIn('add-ssh')}${afterProof(viewer, PATH, sshForm)}`)}${settingsBox('OpenPGP keys', html`<p>They verify signatures of your commits and tags.</p>${listOr(openPgpRows, emptyHtml('You have no OpenPGP key'))}${problemIn('add-openpgp')}${afterProof(viewer, PATH, openPgpForm)}`)}`,
  });
}

function howToProve(of: string, token: string): Html {
  const command =
    of === 'add-ssh'
      ? `echo -n '${token}' | ssh-keygen -Y sign -n quire -f ~/.ssh/id_ed25519`
      : `echo '${token}' | gpg --armor --detach-sign`;
  return html`<p class="small">Run this command within ten minutes, and paste what it prints:</p><pre>${command}</pre>`;
}

function sshRow({ title, fingerprint, isProved, createdAt, lastUsedAt }: SshKey, removal: Html): Html {
  const used = lastUsedAt === null ? html`never used` : html`last used ${agoHtml(lastUsedAt)}`;
  return html`<li><div class="grow"><strong>${title}</strong> ${provedBadge(isProved)}
<p><code>${fingerprint}</code></p><p class="quiet small">added ${dayHtml(createdAt)}, ${used}</p></div>${removal}</li>
`;
}

function openPgpRow(key: OpenPgpKey, removal: Html, proving: Html): Html {
  const { keyId, emails, isProved, createdAt, expiresAt } = key;
  const end = expiresAt === null ? html`` : html`, expires ${dayHtml(expiresAt)}`;
  return html`<li><div class="grow"><strong><code>${keyId}</code></strong> ${provedBadge(isProved)}
<p>${emails.join(', ')}</p><p class="quiet small">created ${dayHtml(createdAt)}${end}</p>${proving}</div>${removal}</li>
`;
}

function provedBadge(isProved: boolean): Html {
  return html`<span class="badge">${isProved ? 'proved' : 'not proved'}</span>`;
}
