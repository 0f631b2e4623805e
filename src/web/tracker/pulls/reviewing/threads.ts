import { type Html, html } from '../../../../base/core/text/html.ts';
import type { DiffLine, Hunk } from '../../../../git/format/diffs/model.ts';
import { parseHunks } from '../../../../git/format/diffs/parse-hunks.ts';
import type { ReviewComment } from '../../../../tracker/pulls/reviews/model.ts';
import { splitSuggestions } from '../../../../tracker/pulls/reviews/suggestions/blocks.ts';
import { WEB_LIMITS } from '../../../limits.ts';
import { lineText } from '../../../parts/diff/lines.ts';
import { icon } from '../../../parts/icons.ts';
import { counted } from '../../../parts/numbers.ts';
import { avatarHtml, personHtml } from '../../../parts/people.ts';
import { agoHtml } from '../../../parts/time.ts';
import { textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/view.ts';
import { FORM_NAME, type PullView, pullPath, sentBy } from '../view.ts';

/** Comments about the same lines, the oldest first. */
export type Thread = readonly [ReviewComment, ...ReviewComment[]];

/** What the threads of a page need to be shown. */
export interface ShownThreads {
  /** rendered texts by the ids of comments */
  readonly texts: ReadonlyMap<number, Html>;
  /** path and query of the page, to which its forms lead back */
  readonly back: string;
  /** whether the viewer may write the branch of the head */
  readonly mayApply: boolean;
  /** ids of reviews that are not submitted yet */
  readonly pendingIds: ReadonlySet<number>;
}

/** Groups comments by the lines that they are about. */
export function threadsOf(comments: readonly ReviewComment[]): readonly Thread[] {
  const groups = Map.groupBy(
    comments,
    ({ path, side, line, extraLines, original }) => `${side} ${line} ${extraLines} ${original} ${path}`,
  );
  return [...groups.values()] as unknown as readonly Thread[];
}

/** Returns the name of the place of a comment, to which its record links. */
export function commentAnchor(id: number): string {
  return `review-comment-${id}`;
}

/** Whether the lines of a thread are in the present head. */
export function isCurrent([first]: Thread, head: string): boolean {
  return first.currentLine > 0 && first.commit === head;
}

/** Returns the path of the page of files at the lines of a thread. */
export function lineWords({ side, line, extraLines }: ReviewComment): string {
  const old = side === 'old' ? ' (before)' : '';
  return extraLines === 0 ? `line ${line}${old}` : `lines ${line} to ${line + extraLines}${old}`;
}

/** Returns a thread; a resolved one is folded. */
export function threadHtml(view: PullView, thread: Thread, shown: ShownThreads): Html {
  const [first] = thread;
  const { resolver, resolverId } = first;
  const comments = thread.map((comment) => commentHtml(view, comment, shown));
  const content = html`<div class="thread">${comments}${threadForms(view, thread, shown)}</div>`;
  if (resolverId === null) return content;
  return html`<details class="fold resolved"><summary>${icon('check', 'open')} <strong>Resolved</strong> by ${personHtml(resolver)} <span class="quiet">· ${counted(thread.length, 'comment')}</span></summary>
${content}</details>`;
}

function commentHtml(view: PullView, comment: ReviewComment, shown: ShownThreads): Html {
  const { id, author, createdAt, body, reviewId } = comment;
  const isOwn = author !== null && author.id === view.viewer.accountId;
  const picture = author === null ? icon('person') : avatarHtml(author, 20, view.addresses);
  const pending = shown.pendingIds.has(reviewId) ? html` <span class="badge">Pending</span>` : html``;
  const isAuthor = author !== null && author.id === view.pull.issue.authorId;
  const remove =
    isOwn && view.token !== undefined
      ? postForm(view, {
          action: `${reviewsPath(view)}/delete`,
          content: html`${backField(shown.back)}<input type="hidden" name="review" value="${reviewId}"><input type="hidden" name="comment" value="${id}"><button class="link">Delete</button>`,
        })
      : html``;
  return html`<article class="line-comment" id="${commentAnchor(id)}">
<div class="row">${picture}<span><strong>${personHtml(author)}</strong> <a class="quiet" href="#${commentAnchor(id)}">${agoHtml(createdAt)}</a></span>${isAuthor ? html`<span class="badge">Author</span>` : html``}${pending}<span class="end small">${remove}</span></div>
${shown.texts.get(id) ?? html``}${suggestionHtml(view, comment, splitSuggestions(body).suggestions, shown)}</article>
`;
}

/** A suggestion as the lines that it removes and adds. */
function suggestionHtml(
  view: PullView,
  comment: ReviewComment,
  suggestions: readonly (readonly string[])[],
  shown: ShownThreads,
): Html {
  if (suggestions.length === 0) return html``;
  const { id, side, currentLine, commit, resolverId } = comment;
  const { issue, state } = view.pull;
  const isApplicable =
    shown.mayApply &&
    suggestions.length === 1 &&
    side === 'new' &&
    currentLine > 0 &&
    commit === state.head.sha &&
    resolverId === null &&
    !issue.isClosed;
  const apply = isApplicable
    ? postForm(view, {
        action: `${reviewsPath(view)}/suggestions`,
        content: html`${backField(shown.back)}<input type="hidden" name="comment" value="${id}"><button class="small">Apply the suggestion</button>`,
      })
    : html``;
  const removed = commentedLines(comment).map((line) => suggestedRow('del', '-', line));
  const blocks = suggestions.slice(0, WEB_LIMITS.suggestionsShownMax).map(
    (lines) => html`<div class="code diff"><table><tbody>
${removed}${lines.map((line) => suggestedRow('add', '+', line))}</tbody></table></div>
`,
  );
  return html`<div class="box suggestion"><div class="title"><strong>Suggested change</strong><span class="end">${apply}</span></div>
${blocks}</div>`;
}

function suggestedRow(look: string, sign: string, text: string): Html {
  return html`<tr class="${look}"><td class="sign">${sign}</td><td class="c">${lineText(text)}</td></tr>\n`;
}

/** The lines that a comment is about, as they were when it was written. */
function commentedLines({ hunk, side, extraLines }: ReviewComment): readonly string[] {
  const lines = parsedHunk(hunk)?.lines ?? [];
  const onSide = lines.filter((line) => (side === 'old' ? line.oldNumber : line.newNumber) !== null);
  return onSide.slice(-1 - extraLines).map(({ text }) => text);
}

function parsedHunk(hunk: string): Hunk | undefined {
  // A comment that was imported may have a hunk in another form.
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(hunk) ? parseHunks(hunk)[0] : undefined;
}

/** Returns the end of the part of the differences that a comment is about. */
export function hunkHtml({ hunk, extraLines }: ReviewComment): Html {
  const parsed = parsedHunk(hunk);
  if (parsed === undefined) return html``;
  const shown = parsed.lines.slice(-WEB_LIMITS.threadHunkLinesMax - extraLines);
  return html`<div class="code diff unified"><table><tbody>
${shown.map(hunkRow)}</tbody></table></div>
`;
}

const LOOKS = { context: '', added: 'add', removed: 'del' } as const;
const SIGNS = { context: '', added: '+', removed: '-' } as const;

function hunkRow({ kind, oldNumber, newNumber, text }: DiffLine): Html {
  return html`<tr class="${LOOKS[kind]}"><td class="n">${oldNumber ?? ''}</td><td class="n">${newNumber ?? ''}</td><td class="sign">${SIGNS[kind]}</td><td class="c">${lineText(text)}</td></tr>
`;
}

function threadForms(view: PullView, [first]: Thread, shown: ShownThreads): Html {
  if (!view.rights.mayReview) return html``;
  const { id, reviewId, resolverId } = first;
  const comment = html`${backField(shown.back)}<input type="hidden" name="comment" value="${id}">`;
  const form = `reply-${id}`;
  const sent = sentBy(view, form);
  const reply = postForm(view, {
    action: `${reviewsPath(view)}/comments`,
    look: 'form wide',
    content: html`${comment}<input type="hidden" name="${FORM_NAME}" value="${form}">
${textField({ name: 'content', label: 'Reply', text: sent?.get('content') ?? '', isRequired: true })}<button class="primary">Reply</button>`,
  });
  const [action, words] = resolverId === null ? ['resolve', 'Resolve'] : ['unresolve', 'Unresolve'];
  const resolve =
    shown.pendingIds.has(reviewId) || !view.rights.mayResolve
      ? html``
      : postForm(view, {
          action: `${reviewsPath(view)}/resolve`,
          content: html`${comment}<button class="small" name="action" value="${action}">${words}</button>`,
        });
  return html`<div class="thread-forms"><details${sent === undefined ? html`` : html` open`}><summary class="button small">Reply</summary>${reply}</details>${resolve}</div>`;
}

/** Returns the path below which the forms of reviews send changes. */
export function reviewsPath({ pull }: Pick<PullView, 'pull'>): string {
  return `${pullPath(pull)}/files/reviews`;
}

/** Returns the field that leads back to the page of a form. */
export function backField(back: string): Html {
  return html`<input type="hidden" name="back" value="${back}">`;
}
