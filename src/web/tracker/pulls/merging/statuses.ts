import { type Html, html } from '../../../../base/core/text/html.ts';
import type { CombinedStatus, CommitStatus, StatusState } from '../../../../code/statuses/model.ts';
import { type IconName, iconWithWords } from '../../../parts/icons.ts';
import { counted } from '../../../parts/numbers.ts';

const LOOKS: Readonly<Record<StatusState, { readonly icon: IconName; readonly look: string }>> = {
  success: { icon: 'check', look: 'open' },
  pending: { icon: 'clock', look: 'warning' },
  failure: { icon: 'cross', look: 'closed' },
  error: { icon: 'cross', look: 'closed' },
  warning: { icon: 'issue', look: 'warning' },
  skipped: { icon: 'closed', look: 'quiet' },
};

/** Returns the state of a check as a picture with its word. */
export function statusIcon(state: StatusState): Html {
  const { icon, look } = LOOKS[state];
  return iconWithWords(icon, state, look);
}

const SUMMARIES: Readonly<Record<string, string>> = {
  success: 'All checks have succeeded',
  pending: 'Some checks are not done yet',
  failure: 'Some checks have failed',
};

/** Returns rows of a box: what other tools report about the head. */
export function statusRows({ state, statuses, total }: CombinedStatus): readonly Html[] {
  if (state === null) return [];
  const left = total - statuses.length;
  const more = left > 0 ? html`<li class="quiet">and ${counted(left, 'more check')}</li>` : html``;
  return [
    html`<li>${statusIcon(state)}<details class="grow checks"${state === 'success' ? html`` : html` open`}><summary><strong>${SUMMARIES[state] ?? state}</strong> <span class="quiet">(${total})</span></summary>
<ul class="facts">
${statuses.map(statusItem)}${more}</ul></details></li>
`,
  ];
}

function statusItem({ state, context, description, targetUrl }: CommitStatus): Html {
  const name = /^https?:\/\//i.test(targetUrl)
    ? html`<a href="${targetUrl}" rel="nofollow noopener noreferrer">${context}</a>`
    : html`${context}`;
  return html`<li>${statusIcon(state)} <strong>${name}</strong> ${description}</li>
`;
}
