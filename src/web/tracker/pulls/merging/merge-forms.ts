import { type Html, html } from '../../../../base/core/text/html.ts';
import type { MergeOutlook, OfferedStyle } from '../../../../tracker/pulls/merging/outlook.ts';
import type { MergeWish } from '../../../../tracker/pulls/model.ts';
import { flag } from '../../parts/fields.ts';
import { postForm } from '../../parts/view.ts';
import { FORM_NAME, type PullView, pullPath, sentBy } from '../view.ts';
import { mergeCommands } from './merge-commands.ts';
import { isMergeable, row } from './merge-row.ts';

/** How people read the styles of merges. */
export const MERGE_STYLES: Readonly<
  Record<MergeWish['style'], { readonly words: string; readonly hint: string; readonly button: string }>
> = {
  merge: {
    words: 'Create a merge commit',
    hint: 'All commits come into the branch with one more that merges them.',
    button: 'Merge',
  },
  rebase: {
    words: 'Rebase',
    hint: 'The commits are put on top of the branch, without a merge commit.',
    button: 'Rebase and merge',
  },
  'rebase-merge': {
    words: 'Rebase, then create a merge commit',
    hint: 'The commits are put on top of the branch, and a merge commit groups them.',
    button: 'Rebase and merge',
  },
  squash: { words: 'Squash', hint: 'All changes become one commit.', button: 'Squash and merge' },
  'fast-forward-only': {
    words: 'Fast-forward only',
    hint: 'The branch moves to the head. Nothing else changes.',
    button: 'Fast-forward',
  },
  'manually-merged': {
    words: 'Mark as merged by hand',
    hint: 'The branch already has the changes.',
    button: 'Mark as merged',
  },
};

const MERGE_FORM = 'merge';

/** Returns the forms of the merge, one for each style, as rows of the merge box. */
export function formRows(view: PullView, outlook: MergeOutlook): readonly Html[] {
  const { token, pull } = view;
  const sent = sentBy(view, MERGE_FORM);
  const commands = html`<li>${mergeCommands(pull, view.addresses)}</li>
`;
  if (token === undefined) return [commands];
  if (outlook.denial !== undefined)
    return [
      row('lock', 'quiet', html`<span class="quiet">You cannot merge this: ${outlook.denial}.</span>`),
      commands,
    ];
  const isPossible = isMergeable(outlook);
  const mustWait = outlook.isDraft || outlook.isBlockedByIssues;
  const styles = outlook.styles.filter(({ style }) => style === 'manually-merged' || isPossible);
  if (outlook.styles.length === 0)
    return [row('lock', 'quiet', html`This repository allows no style of merge.`), commands];
  if (mustWait || styles.length === 0) return [commands];
  const chosen = sent?.get('do') ?? styles[0]?.style;
  const forms = styles.map((offered) =>
    styleForm(view, outlook, {
      offered,
      sent: offered.style === chosen ? sent : undefined,
      isChosen: offered.style === chosen,
    }),
  );
  return [html`<li class="styles">${forms}</li>\n`, commands];
}

interface StyleForm {
  readonly offered: OfferedStyle;
  readonly sent: URLSearchParams | undefined;
  readonly isChosen: boolean;
}

function styleForm(view: PullView, outlook: MergeOutlook, { offered, sent, isChosen }: StyleForm): Html {
  const { style } = offered;
  const { words, hint } = MERGE_STYLES[style];
  return html`<details class="fold" name="merge-style"${isChosen ? html` open` : html``}><summary><strong>${words}</strong> <span class="quiet small">${hint}</span></summary>
${postForm(view, {
  action: `${pullPath(view.pull)}/merge`,
  look: 'form wide',
  content: html`<input type="hidden" name="${FORM_NAME}" value="${MERGE_FORM}"><input type="hidden" name="do" value="${style}"><input type="hidden" name="head_commit_id" value="${view.pull.state.head.sha}">
${style === 'manually-merged' ? commitField(sent) : messageFields(offered, sent)}${branchField(view, sent)}
${buttons(outlook, style)}`,
})}</details>
`;
}

function commitField(sent: URLSearchParams | undefined): Html {
  return html`<label>Id of the commit that has the changes <input name="merge_commit_id" value="${sent?.get('merge_commit_id') ?? ''}" required spellcheck="false" autocapitalize="none"></label>
`;
}

function messageFields({ message }: OfferedStyle, sent: URLSearchParams | undefined): Html {
  if (message === null) return html``;
  const title = sent?.get('merge_title_field') ?? message.title;
  const body = sent?.get('merge_message_field') ?? message.body;
  return html`<label>Title of the commit <input name="merge_title_field" value="${title}"></label>
<label>Message <textarea name="merge_message_field" rows="4">
${body}</textarea></label>
`;
}

function branchField({ pull }: PullView, sent: URLSearchParams | undefined): Html {
  const { head, flow } = pull.state;
  if (flow !== 'branch' || !head.hasBranch || pull.headRepository === null) return html``;
  const byDefault = pull.base.repository.units.pulls?.deletesBranchAfterMerge === true;
  const isChecked = sent === undefined ? byDefault : sent.has('delete_branch_after_merge');
  return html`<label class="choice"><input type="checkbox" name="delete_branch_after_merge" value="true"${flag('checked', isChecked)}> <span>Delete the branch <code>${head.branch}</code> afterwards</span></label>`;
}

function buttons({ requirement, maySkip, waiting }: MergeOutlook, style: MergeWish['style']): Html {
  const { button } = MERGE_STYLES[style];
  if (requirement === undefined) return html`<button class="primary">${button}</button>`;
  const wait =
    style === 'manually-merged' || waiting !== null
      ? html``
      : html`<button class="primary" name="merge_when_checks_succeed" value="true" title="A push cancels the merge">${button} when nothing blocks it</button>`;
  const force = maySkip
    ? html`<button class="danger" name="force_merge" value="true">${button} now, without what the protection requires</button>`
    : html``;
  return html`<div class="row">${wait}${force}</div>`;
}
