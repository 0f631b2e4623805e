import { type Html, html } from '../../../base/core/text/html.ts';
import type { CombinedStatus } from '../../../code/statuses/model.ts';
import type { BranchAfterwards, MergeOutlook, OfferedStyle } from '../../../tracker/pulls/merging/outlook.ts';
import type { MergeWish, Pull } from '../../../tracker/pulls/model.ts';
import type { Review } from '../../../tracker/pulls/reviews/model.ts';
import { shortIdHtml } from '../../parts/commits.ts';
import { type IconName, icon } from '../../parts/icons.ts';
import { counted } from '../../parts/numbers.ts';
import { personHtml } from '../../parts/people.ts';
import { agoHtml } from '../../parts/time.ts';
import { flag } from '../parts/fields.ts';
import { postForm } from '../parts/view.ts';
import { mergeCommands } from './merge-commands.ts';
import { statusRows } from './statuses.ts';
import { baseHtml, FORM_NAME, headHtml, type PullView, pullPath, sentBy } from './view.ts';

/** What the box below the thread shows. */
export interface MergeBox {
  /** undefined: the pull request is merged or closed */
  readonly outlook: MergeOutlook | undefined;
  readonly afterwards: BranchAfterwards;
  /** of the head; undefined: the viewer may not read them */
  readonly statuses: CombinedStatus | undefined;
  /** the last verdicts of reviewers, and requests */
  readonly standing: readonly Review[];
}

/** Returns the box that says whether a pull request can be merged, and the forms to do it. */
export function mergeBox(view: PullView, box: MergeBox): Html {
  const { pull } = view;
  const { merge } = pull.state;
  const rows =
    box.outlook === undefined
      ? doneRows(view, box)
      : [...openRows(view, box.outlook, box), ...formRows(view, box.outlook)];
  const look = merge !== null ? ' merged' : pull.issue.isClosed ? ' closed' : '';
  return html`<section class="box merge-box${look}" id="merge" aria-label="Merge">
<ul class="rows">
${rows}</ul>
</section>
`;
}

function row(
  name: IconName,
  look: '' | 'open' | 'closed' | 'merged' | 'warning' | 'quiet',
  content: Html,
  end = html``,
): Html {
  return html`<li>${icon(name, look)}<div class="grow">${content}</div>${end}</li>
`;
}

/** A pull request that is merged or closed. */
function doneRows(view: PullView, { afterwards, statuses }: MergeBox): readonly Html[] {
  const { pull } = view;
  const { merge } = pull.state;
  const path = pullPath(pull);
  const form = (action: string, words: string) =>
    postForm(view, { action: `${path}/${action}`, content: html`<button>${words}</button>` });
  const end =
    afterwards === 'deletable'
      ? form('cleanup', 'Delete the branch')
      : afterwards === 'restorable'
        ? form('restore', 'Restore the branch')
        : html``;
  const what =
    merge === null
      ? html`<strong>This pull request is closed.</strong> It was not merged.`
      : html`<strong>${personHtml(pull.mergedBy)} merged this</strong> into ${baseHtml(pull)} as ${shortIdHtml(pull.base.repository, merge.sha)} ${agoHtml(merge.at)}.`;
  const branch =
    afterwards === 'deletable'
      ? html`<div class="quiet small">The branch ${headHtml(pull)} is not needed any more.</div>`
      : afterwards === 'restorable'
        ? html`<div class="quiet small">The branch <code>${pull.state.head.branch}</code> is deleted.</div>`
        : html``;
  const main =
    merge === null
      ? row('pull', 'closed', html`${what}${branch}`, end)
      : row('merged', 'merged', html`${what}${branch}`, end);
  return [main, ...(statuses === undefined ? [] : statusRows(statuses))];
}

/** Everything that matters for the merge of an open pull request. */
function openRows(view: PullView, outlook: MergeOutlook, { standing, statuses }: MergeBox): readonly Html[] {
  return [
    ...(statuses === undefined ? [] : statusRows(statuses)),
    ...reviewRows(standing),
    ...(outlook.isDraft ? [draftRow(view)] : []),
    ...(outlook.isBlockedByIssues
      ? [
          row(
            'link',
            'closed',
            html`<strong>Blocked by open issues.</strong> Close them first, or remove the dependencies.`,
          ),
        ]
      : []),
    ...(outlook.requirement === undefined
      ? []
      : [
          row(
            'lock',
            'warning',
            html`<strong>Blocked by the protection of the branch:</strong> ${outlook.requirement}.`,
          ),
        ]),
    mergeabilityRow(view, outlook),
    ...updateRows(view, outlook),
    ...waitingRows(view, outlook),
  ];
}

function reviewRows(standing: readonly Review[]): readonly Html[] {
  const counting = standing.filter(({ isDismissed }) => !isDismissed);
  const approvals = counting.filter(({ state }) => state === 'approved').length;
  const rejections = counting.filter(({ state }) => state === 'rejected').length;
  const requested = counting.filter(({ state }) => state === 'requested').length;
  const rows: Html[] = [];
  if (rejections > 0)
    rows.push(
      row(
        'cross',
        'closed',
        html`<strong>Changes are requested</strong> by ${counted(rejections, 'reviewer')}.`,
      ),
    );
  if (approvals > 0)
    rows.push(row('check', 'open', html`<strong>Approved</strong> by ${counted(approvals, 'reviewer')}.`));
  if (requested > 0)
    rows.push(
      row(
        'person',
        'quiet',
        html`${counted(requested, 'requested review is', 'requested reviews are')} missing.`,
      ),
    );
  return rows;
}

function draftRow(view: PullView): Html {
  const { pull } = view;
  const end = postForm(view, {
    action: `${pullPath(pull)}/draft`,
    content: html`<input type="hidden" name="draft" value="ready"><button>Ready for review</button>`,
  });
  return row(
    'pencil',
    'quiet',
    html`<strong>This is a draft.</strong> It cannot be merged until it is marked as ready.`,
    end,
  );
}

function mergeabilityRow({ pull }: PullView, { mergeability }: MergeOutlook): Html {
  const base = baseHtml(pull);
  switch (mergeability) {
    case 'clean':
      return row('check', 'open', html`<strong>No conflicts</strong> with ${base}.`);
    case 'contained':
      return row('check', 'open', html`<strong>${base} already has all of these commits.</strong>`);
    case 'unknown':
      return row(
        'clock',
        'quiet',
        html`<strong>Looking for conflicts.</strong> This takes a moment: <a href="${pullPath(pull)}#merge">load the page again</a>.`,
      );
    case 'conflict':
      return row('cross', 'closed', html`<strong>Conflicts with ${base}</strong> in ${conflictsHtml(pull)}`);
    case 'unrelated':
      return row('cross', 'closed', html`<strong>The branches have no commit in common.</strong>`);
    case 'failed':
      return row(
        'cross',
        'closed',
        html`<strong>The merge takes too much time or memory</strong> to be tried here.`,
      );
    case 'no-base':
      return row(
        'cross',
        'closed',
        html`<strong>The branch <code>${pull.state.baseBranch}</code> is gone.</strong>`,
      );
  }
}

const CONFLICTS_SHOWN_MAX = 20;

function conflictsHtml({ state }: Pull): Html {
  const conflicts = state.check?.conflicts ?? [];
  const names = conflicts.slice(0, CONFLICTS_SHOWN_MAX).map((path) => html`<li><code>${path}</code></li>\n`);
  const left = conflicts.length - names.length;
  return html`${counted(conflicts.length, 'file')}:<ul>
${names}${left > 0 ? html`<li>and ${left} more</li>` : html``}</ul>`;
}

const UPDATES = { merge: 'Update by merge', rebase: 'Update by rebase' } as const;

function updateRows(view: PullView, { isBehind, updates, mergeability }: MergeOutlook): readonly Html[] {
  if (!isBehind || mergeability === 'unrelated' || mergeability === 'no-base') return [];
  const { pull } = view;
  const buttons = updates.map(
    (style) => html`<button name="style" value="${style}">${UPDATES[style]}</button>`,
  );
  const end =
    buttons.length === 0
      ? html``
      : postForm(view, { action: `${pullPath(pull)}/update`, look: 'row', content: buttons });
  return [row('history', 'quiet', html`This branch lacks commits of ${baseHtml(pull)}.`, end)];
}

function waitingRows(view: PullView, { waiting }: MergeOutlook): readonly Html[] {
  if (waiting === null) return [];
  const end = waiting.mayCancel
    ? postForm(view, {
        action: `${pullPath(view.pull)}/cancel_auto_merge`,
        content: html`<button>Cancel the merge</button>`,
      })
    : html``;
  return [
    row(
      'clock',
      'open',
      html`<strong>${personHtml(waiting.by)} has scheduled the merge</strong> (${STYLES[waiting.style].words.toLowerCase()}). It happens as soon as nothing blocks it.`,
      end,
    ),
  ];
}

const STYLES: Readonly<
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

/** The forms of the merge, one for each style. */
function formRows(view: PullView, outlook: MergeOutlook): readonly Html[] {
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
  const isPossible =
    outlook.mergeability === 'clean' ||
    outlook.mergeability === 'contained' ||
    outlook.mergeability === 'unknown';
  const isBlocked = outlook.isDraft || outlook.isBlockedByIssues;
  const styles = outlook.styles.filter(({ style }) => style === 'manually-merged' || isPossible);
  if (outlook.styles.length === 0)
    return [row('lock', 'quiet', html`This repository allows no style of merge.`), commands];
  if (isBlocked || styles.length === 0) return [commands];
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
  const { words, hint } = STYLES[style];
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
  const { button } = STYLES[style];
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
