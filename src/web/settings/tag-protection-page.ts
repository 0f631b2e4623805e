import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { undefinedIf } from '../../base/core/failure.ts';
import { type PageQuery, pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import { PROTECTION } from '../../code/protection/actions.ts';
import { newTagProtectionOf } from '../../code/protection/options.ts';
import type { App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { PagingQuery } from '../../http/paging.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { textField } from '../parts/fields.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { settingsBox } from '../parts/side-nav.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { namesIn } from './protection-form.ts';
import { type ProtectionTools, repositoryIn } from './protection-pages.ts';
import { sendRepositorySettings, settingsPath } from './repository-frame.ts';

const PATH = '/:owner/:repo/settings/tags';
const Params = Type.Object({ owner: Type.String(), repo: Type.String() });
/** A form has no version of what it changes: the last one wins. */
const ANY_VERSION = () => {};

/** Registers the page of the protections of tags. */
export function tagProtectionPage(app: App, dependencies: ProtectionTools): void {
  const { repositories, protections, addresses } = dependencies;
  app.get(
    PATH,
    {
      config: { action: PROTECTION.read },
      schema: { params: Params, querystring: Type.Object(PagingQuery) },
    },
    async (request, reply) => sendTags(request, reply, dependencies),
  );

  app.post(
    PATH,
    { config: { action: PROTECTION.change, isForm: true }, schema: { params: Params } },
    async (request, reply) => {
      const viewer = signedIn(request);
      const path = repositoryIn(request);
      const { repository } = await repositories.get(viewer, path, PROTECTION.change);
      try {
        if (fieldOf(request, 'change') === 'delete') {
          const key = { kind: 'tag', id: parseId(fieldOf(request, 'id')) ?? 0 } as const;
          await protections.delete(viewer, path, key, ANY_VERSION).catch(undefinedIf('not_found'));
        } else {
          const wanted = newTagProtectionOf({
            name_pattern: fieldOf(request, 'name_pattern'),
            whitelist_usernames: namesIn(fieldOf(request, 'users')),
            whitelist_teams: namesIn(fieldOf(request, 'teams')),
          });
          await protections.create(viewer, path, 'tag', wanted);
        }
        return reply.redirect(localAddress(settingsPath(repository, '/tags'), addresses), 303);
      } catch (error) {
        const problem = fieldProblemOf(error, reply);
        if (problem === undefined) throw error;
        return sendTags(request, reply, dependencies, problem);
      }
    },
  );
}

async function sendTags(
  request: FastifyRequest,
  reply: FastifyReply,
  { repositories, protections, addresses }: ProtectionTools,
  problem?: string,
): Promise<FastifyReply> {
  const path = repositoryIn(request);
  const permitted = await repositories.get(request.viewer, path, PROTECTION.read);
  const action = settingsPath(permitted.repository, '/tags');
  const paging = pagingOf(request.query as PageQuery);
  const list = await protections.list(request.viewer, path, 'tag', paging);
  const rows = list.items.map(({ id, pattern, lists: { push } }) => {
    const deletion = buttonForm(
      request,
      reply,
      { action, fields: { change: 'delete', id }, button: 'Delete', look: 'small danger' },
      addresses,
    );
    return html`<li><div class="grow"><code>${pattern}</code> <span class="quiet small">${[...push.accounts, ...push.teams].join(', ')}</span></div>${deletion}</li>
`;
  });
  const form = formHtml(
    request,
    reply,
    {
      action,
      fields: html`${textField({ name: 'name_pattern', label: 'Tags', value: fieldOf(request, 'name_pattern'), isRequired: true, hint: 'A name, or a pattern such as v*' })}${textField({ name: 'users', label: 'Users who may change them', value: fieldOf(request, 'users') })}${textField({ name: 'teams', label: 'Teams that may change them', value: fieldOf(request, 'teams') })}`,
      button: 'Protect the tags',
    },
    addresses,
  );
  const none = emptyHtml('No tag is protected');
  return sendRepositorySettings(reply, {
    permitted,
    title: 'Protected tags',
    part: '/tags',
    body: html`${rows.length === 0 ? none : html`<ul class="rows box">${rows}</ul>`}
${pagerHtml(action, { page: paging.page, hasNext: paging.page * paging.limit < list.total })}${settingsBox('New rule', html`${problemHtml(problem)}${form}`)}`,
  });
}
