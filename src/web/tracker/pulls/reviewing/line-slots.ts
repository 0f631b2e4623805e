import { type Html, html } from '../../../../base/core/text/html.ts';
import type { ShownFile } from '../../../../code/commits/differences.ts';
import type { DiffLine, DiffSide } from '../../../../git/format/diffs/model.ts';
import { PULL_LIMITS } from '../../../../tracker/pulls/limits.ts';
import type { ReviewComment } from '../../../../tracker/pulls/reviews/model.ts';
import { fileAnchor } from '../../../parts/diff/file.ts';
import { lookPath } from '../../../parts/diff/look.ts';
import type { DiffLook, DiffPlace, DiffSlots } from '../../../parts/diff/model.ts';
import { counted } from '../../../parts/numbers.ts';
import { textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/view.ts';
import { FORM_NAME, type PullView, sentBy } from '../view.ts';
import {
  backField,
  hunkHtml,
  isCurrent,
  lineWords,
  reviewsPath,
  type ShownThreads,
  type Thread,
  threadHtml,
  threadsOf,
} from './threads.ts';

/** What a reader of the changed files has asked for. */
export interface AskedFiles {
  readonly look: DiffLook;
  /** name of the place of the line that a comment is about; '' for none */
  readonly comment: string;
  /** whether the comment begins with a suggestion */
  readonly suggests: boolean;
}

interface Commented {
  readonly asked: AskedFiles;
  readonly comments: readonly ReviewComment[];
  readonly threads: ShownThreads;
  /** whether the viewer has begun a review */
  readonly hasPending: boolean;
}

/** Returns what the page of files adds to the lines: comments, and the form for a new one. */
export function lineSlots(view: PullView, place: DiffPlace, commented: Commented): DiffSlots {
  const { comments, threads } = commented;
  const ofPath = Map.groupBy(threadsOf(comments), ([{ path }]) => path);
  const threadsOfFile = ({ path, previousPath }: ShownFile) => [
    ...(ofPath.get(path) ?? []),
    ...(previousPath === null ? [] : (ofPath.get(previousPath) ?? [])),
  ];
  const head = view.pull.state.head.sha;
  const byLine = new Map<ShownFile, ReadonlyMap<string, readonly Thread[]>>();
  const threadsAt = (file: ShownFile, { oldNumber, newNumber }: DiffLine): readonly Thread[] => {
    const known =
      byLine.get(file) ??
      Map.groupBy(
        threadsOfFile(file).filter((thread) => isCurrent(thread, head)),
        keyOf,
      );
    byLine.set(file, known);
    return [...(known.get(`old ${oldNumber}`) ?? []), ...(known.get(`new ${newNumber}`) ?? [])];
  };
  return {
    atNumber: view.rights.mayReview ? plusLinks(place) : undefined,
    belowTitle: (file) => {
      const lines = linesOf(file);
      const others = threadsOfFile(file).filter(
        (thread) => !isCurrent(thread, head) || !lines.has(keyOf(thread)),
      );
      return others.length === 0 ? undefined : outdatedHtml(view, others, threads);
    },
    belowLine: (file, line) => {
      const here = threadsAt(file, line);
      const form = formAt(view, file, line, commented);
      if (here.length === 0 && form === undefined) return undefined;
      return html`${here.map((thread) => html`<div class="review-thread">${threadHtml(view, thread, threads)}</div>`)}${form ?? html``}`;
    },
  };
}

/** Returns the side and the last line of a thread. */
function keyOf([{ side, currentLine, extraLines }]: Thread): string {
  return `${side} ${currentLine + extraLines}`;
}

function linesOf({ diff }: ShownFile): ReadonlySet<string> {
  if (diff.kind !== 'text') return new Set();
  return new Set(
    diff.hunks.flatMap(({ lines }) =>
      lines.flatMap(({ oldNumber, newNumber }) => [`old ${oldNumber}`, `new ${newNumber}`]),
    ),
  );
}

/** The side on which a comment on a line is: the new one, unless the line was removed. */
function sideOf({ kind }: DiffLine): DiffSide {
  return kind === 'removed' ? 'old' : 'new';
}

function anchorOf(file: ShownFile, line: DiffLine): string {
  const side = sideOf(line);
  return `${fileAnchor(file.path)}${side === 'old' ? 'L' : 'R'}${(side === 'old' ? line.oldNumber : line.newNumber) ?? 0}`;
}

/** Links beside the numbers of lines. A page has thousands of them, so they are short. */
function plusLinks(place: DiffPlace): DiffSlots['atNumber'] {
  const path = lookPath(place, {});
  const query = path.includes('?') ? `${path.slice(path.indexOf('?'))}&` : '?';
  let known: { readonly file: ShownFile; readonly anchor: string } | undefined;
  return (file, line, side) => {
    if (side !== sideOf(line)) return undefined;
    if (known?.file !== file) known = { file, anchor: fileAnchor(file.path) };
    const name = side === 'old' ? `L${line.oldNumber}` : `R${line.newNumber}`;
    return html`<a class="plus" href="${query}comment=${known.anchor}${name}#comment-form" aria-label="Comment on line ${name.slice(1)}">+</a>`;
  };
}

/** Comments on lines that the differences no longer have. */
function outdatedHtml(view: PullView, others: readonly Thread[], threads: ShownThreads): Html {
  const count = others.reduce((sum, thread) => sum + thread.length, 0);
  const boxes = others.map(
    (
      thread,
    ) => html`<div class="box review-thread"><div class="title"><span class="quiet small">${lineWords(thread[0])}</span><span class="badge">Outdated</span></div>
${hunkHtml(thread[0])}${threadHtml(view, thread, threads)}</div>
`,
  );
  return html`<details class="fold outdated"><summary>${counted(count, 'comment')} on lines that are not in these changes</summary><div class="stack content">
${boxes}</div></details>
`;
}

/** The name of the form for a comment on a line. */
export const LINE_FORM = 'line';

function formAt(
  view: PullView,
  file: ShownFile,
  line: DiffLine,
  { asked, threads, hasPending }: Commented,
): Html | undefined {
  if (asked.comment === '' || !view.rights.mayReview || anchorOf(file, line) !== asked.comment)
    return undefined;
  const side = sideOf(line);
  const number = (side === 'old' ? line.oldNumber : line.newNumber) ?? 0;
  const path = side === 'old' ? (file.previousPath ?? file.path) : file.path;
  const sent = sentBy(view, LINE_FORM);
  const suggestion = asked.suggests && side === 'new' ? `\`\`\`suggestion\n${line.text}\n\`\`\`\n` : '';
  const suggest =
    side === 'new' && !asked.suggests
      ? html`<a class="button" href="${suggestPath(threads.back, asked.comment)}" rel="nofollow">Suggest a change</a>`
      : html``;
  const single = hasPending ? html`` : html`<button name="single" value="true">Comment now</button>`;
  return html`<div class="line-form" id="comment-form">${postForm(view, {
    action: `${reviewsPath(view)}/comments`,
    look: 'form wide',
    content: html`${backField(threads.back)}<input type="hidden" name="${FORM_NAME}" value="${LINE_FORM}"><input type="hidden" name="place" value="${asked.comment}"><input type="hidden" name="side" value="${side}"><input type="hidden" name="line" value="${number}"><input type="hidden" name="path" value="${path}"><input type="hidden" name="head" value="${view.pull.state.head.sha}">
${textField({ name: 'content', label: `Comment on line ${number}`, text: sent?.get('content') ?? suggestion, isRequired: true })}
<label class="inline">Also on this many lines above <input type="number" name="before" min="0" max="${PULL_LIMITS.commentedLinesMax}" value="${sent?.get('before') ?? '0'}"></label>
<div class="row">${suggest}<a class="button" href="${threads.back}#${asked.comment}">Cancel</a><span class="end row">${single}<button class="primary">${hasPending ? 'Add to the review' : 'Start a review'}</button></span></div>`,
  })}</div>
`;
}

function suggestPath(back: string, place: string): string {
  return `${back}${back.includes('?') ? '&' : '?'}comment=${place}&suggest=1#comment-form`;
}
