import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { undefinedIf } from '../../base/core/failure.ts';
import { html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import { DEPLOY_KEY } from '../../code/keys/actions.ts';
import type { DeployKeys } from '../../code/keys/deploy-keys.ts';
import { KEY_LIMITS } from '../../code/keys/limits.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { checkbox, textArea, textField } from '../parts/fields.ts';
import { emptyHtml } from '../parts/lists.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { agoHtml, dayHtml } from '../parts/time.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { afterProof } from '../sign-in/proof-notice.ts';
import { sendRepositorySettings, settingsPath } from './repository-frame.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly deployKeys: DeployKeys;
  readonly addresses: Addresses;
}

const PATH = '/:owner/:repo/settings/keys';
const ALL = { page: 1, limit: KEY_LIMITS.deployKeysPerRepositoryMax };
const NO_FILTER = { keyId: undefined, fingerprint: undefined };
const schema = { params: Type.Object({ owner: Type.String(), repo: Type.String() }) };

/** Registers the page of the keys that give access to one repository. */
export function deployKeyPage(app: App, dependencies: Dependencies): void {
  const { deployKeys, addresses } = dependencies;
  app.get(PATH, { config: { action: DEPLOY_KEY.read }, schema }, async (request, reply) =>
    sendKeys(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: DEPLOY_KEY.change, isForm: true }, schema }, async (request, reply) => {
    const viewer = signedIn(request);
    const path = pathOf(request);
    try {
      if (fieldOf(request, 'change') === 'remove') {
        const id = parseId(fieldOf(request, 'id')) ?? 0;
        const { repository } = await dependencies.repositories.get(viewer, path, DEPLOY_KEY.change);
        await deployKeys.delete(viewer, path, id).catch(undefinedIf('not_found'));
        return reply.redirect(localAddress(settingsPath(repository, '/keys'), addresses), 303);
      }
      const { permitted } = await deployKeys.add(viewer, path, {
        title: fieldOf(request, 'title'),
        text: fieldOf(request, 'key').trim(),
        isReadOnly: !isChecked(request, 'writes'),
      });
      return reply.redirect(localAddress(settingsPath(permitted.repository, '/keys'), addresses), 303);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return sendKeys(request, reply, dependencies, problem);
    }
  });
}

function pathOf({ params }: FastifyRequest) {
  const { owner, repo: name } = params as { owner: string; repo: string };
  return { owner, name };
}

async function sendKeys(
  request: FastifyRequest,
  reply: FastifyReply,
  { repositories, deployKeys, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const permitted = await repositories.get(request.viewer, pathOf(request), DEPLOY_KEY.read);
  const action = settingsPath(permitted.repository, '/keys');
  const { items } = await deployKeys.list(request.viewer, pathOf(request), NO_FILTER, ALL);
  const rows = items.map(({ id, title, fingerprint, isReadOnly, createdAt, lastUsedAt }) => {
    const removal = buttonForm(
      request,
      reply,
      { action, fields: { change: 'remove', id }, button: 'Remove', look: 'small danger' },
      addresses,
    );
    const used = lastUsedAt === null ? html`never used` : html`last used ${agoHtml(lastUsedAt)}`;
    return html`<li><div class="grow"><strong>${title}</strong> <span class="badge">${isReadOnly ? 'reads' : 'reads and writes'}</span>
<p><code>${fingerprint}</code></p><p class="quiet small">added ${dayHtml(createdAt)}, ${used}</p></div>${removal}</li>
`;
  });
  const form = formHtml(
    request,
    reply,
    {
      action,
      fields: html`${textField({ name: 'title', label: 'Title', value: fieldOf(request, 'title'), isRequired: true, charsMax: KEY_LIMITS.keyTitleCharsMax })}${textArea({ name: 'key', label: 'Public key', value: fieldOf(request, 'key'), isRequired: true })}${checkbox({ name: 'writes', label: 'It may also push', isChecked: isChecked(request, 'writes') })}`,
      button: 'Add the key',
      isSecond: true,
    },
    addresses,
  );
  const none = emptyHtml('No deploy key');
  return sendRepositorySettings(reply, {
    permitted,
    title: 'Deploy keys',
    part: '/keys',
    body: html`<p>A deploy key is an SSH key of a machine. It opens this repository alone, and belongs to no user.</p>
${rows.length === 0 ? none : html`<ul class="rows box">${rows}</ul>`}${settingsBox('Add a deploy key', html`${problemHtml(problem)}${afterProof(request.viewer, action, form)}`)}`,
  });
}
