import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../base/core/text/html.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import type { Webhook } from '../../tracker/webhooks/model.ts';
import { checkbox, selectField, textField } from '../parts/fields.ts';

/** Groups of events that a webhook can be for. */
const EVENTS = [
  ['push', 'Pushes'],
  ['create', 'New branches and tags'],
  ['delete', 'Deleted branches and tags'],
  ['fork', 'Forks'],
  ['issues', 'Issues'],
  ['issue_comment', 'Comments of issues'],
  ['pull_request', 'Pull requests'],
  ['pull_request_comment', 'Comments of pull requests'],
  ['pull_request_review', 'Reviews'],
  ['wiki', 'Changes of the wiki'],
  ['repository', 'Repositories'],
  ['release', 'Releases'],
  ['status', 'Statuses of commits'],
] as const;

/**
 * Returns a form as the body of the API.
 *
 * @param stored events of a webhook that exists; those that the form does not offer stay
 */
export function hookBodyOf(request: FastifyRequest, stored: readonly string[] = []) {
  const chosen = EVENTS.map(([name]) => name).filter((name) => isChecked(request, `event-${name}`));
  const offered: ReadonlySet<string> = new Set([...EVENTS.map(([name]) => name), '*', 'send_everything']);
  const kept = stored.filter((name) => !offered.has(name));
  return {
    config: {
      url: fieldOf(request, 'url').trim(),
      content_type: fieldOf(request, 'content_type'),
      secret: fieldOf(request, 'secret'),
    },
    events: fieldOf(request, 'which') === 'all' ? ['*'] : [...chosen, ...kept],
    branch_filter: fieldOf(request, 'branch_filter').trim(),
    authorization_header: fieldOf(request, 'authorization_header').trim(),
    active: isChecked(request, 'active'),
  };
}

/** Returns the fields of a webhook: what was typed, or else what it has. */
export function hookFields(request: FastifyRequest, hook: Webhook | undefined): Html {
  const isSent = request.method === 'POST' && fieldOf(request, 'url') !== '';
  const value = (name: string, stored: string) => (isSent ? fieldOf(request, name) : stored);
  const events = hook?.events ?? ['push'];
  const isAll = isSent
    ? fieldOf(request, 'which') === 'all'
    : events.includes('*') || events.includes('send_everything');
  const has = (name: string) => (isSent ? isChecked(request, `event-${name}`) : events.includes(name));
  const radio = (which: string, words: string, isOn: boolean) =>
    html`<label class="choice"><input type="radio" name="which" value="${which}"${isOn ? html` checked` : html``}> <span>${words}</span></label>
`;
  const secretHint = hook?.hasSecret === true ? 'One is stored. Empty: it stays.' : 'It signs what is sent.';
  const headerHint =
    hook?.hasAuthorization === true
      ? 'One is stored. Empty: it stays.'
      : 'For a receiver that needs a token, such as "Bearer …".';
  return html`${textField({ name: 'url', label: 'Address', type: 'url', value: value('url', hook?.url ?? ''), isRequired: true, placeholder: 'https://' })}${selectField(
    {
      name: 'content_type',
      label: 'Form of the content',
      value: value('content_type', hook?.contentType ?? 'json'),
      options: [
        ['json', 'application/json'],
        ['form', 'application/x-www-form-urlencoded'],
      ],
    },
  )}${textField({ name: 'secret', label: 'Secret', type: 'password', autocomplete: 'new-password', hint: secretHint })}${textField({ name: 'authorization_header', label: 'Header Authorization', type: 'password', autocomplete: 'new-password', hint: headerHint })}
<fieldset><legend>When</legend>${radio('all', 'Whenever something happens', isAll)}${radio('some', 'For these events:', !isAll)}${EVENTS.map(([name, label]) => checkbox({ name: `event-${name}`, label, isChecked: has(name) }))}</fieldset>
${textField({ name: 'branch_filter', label: 'Only branches that match', value: value('branch_filter', hook?.branchFilter ?? ''), hint: 'A pattern such as {main,release/*}. Empty: all branches.' })}${checkbox({ name: 'active', label: 'On', isChecked: isSent ? isChecked(request, 'active') : (hook?.isActive ?? true) })}`;
}
