import { type Html, html } from '../../../../base/core/text/html.ts';
import type { CombinedStatus } from '../../../../code/statuses/model.ts';
import type { BranchAfterwards, MergeOutlook } from '../../../../tracker/pulls/merging/outlook.ts';
import type { Review } from '../../../../tracker/pulls/reviews/model.ts';
import { shortIdHtml } from '../../../parts/commits.ts';
import { counted } from '../../../parts/numbers.ts';
import { personHtml } from '../../../parts/people.ts';
import { agoHtml } from '../../../parts/time.ts';
import { postForm } from '../../parts/view.ts';
import { baseHtml, headHtml, type PullView, pullPath } from '../view.ts';
import { formRows, MERGE_STYLES } from './merge-forms.ts';
import { isMergeable, row } from './merge-row.ts';
import { statusRows } from './statuses.ts';

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
  const look =
    merge !== null ? ' merged' : pull.issue.isClosed ? ' closed' : isBlocked(box.outlook) ? ' blocked' : '';
  return html`<section class="box merge-box${look}" id="merge" aria-label="Merge">
<ul class="rows">
${rows}</ul>
</section>
`;
}

/** Whether something must happen before a merge. */
function isBlocked(outlook: MergeOutlook | undefined): boolean {
  if (outlook === undefined) return false;
  const { isDraft, isBlockedByIssues, requirement } = outlook;
  return isDraft || isBlockedByIssues || requirement !== undefined || !isMergeable(outlook);
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

function mergeabilityRow(view: PullView, { mergeability }: MergeOutlook): Html {
  const { pull } = view;
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
      return row('cross', 'closed', html`<strong>Conflicts with ${base}</strong> in ${conflictsHtml(view)}`);
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

function conflictsHtml({ pull, rights }: PullView): Html {
  const conflicts = pull.state.check?.conflicts ?? [];
  if (!rights.mayReadCode) return html`${counted(conflicts.length, 'file')}.`;
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
      html`<strong>${personHtml(waiting.by)} has scheduled the merge</strong> (${MERGE_STYLES[waiting.style].words.toLowerCase()}). It happens as soon as nothing blocks it.`,
      end,
    ),
  ];
}
