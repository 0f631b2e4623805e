import { type Html, html } from '../../../base/core/text/html.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { REACTIONS, type ReactionCount } from '../../../tracker/issues/models/reactions.ts';
import { icon } from '../../parts/icons.ts';
import { counted } from '../../parts/numbers.ts';
import { issueFormPath, postForm, type TrackerView } from './view.ts';

const SIGNS: ReadonlyMap<string, readonly [sign: string, words: string]> = new Map([
  ['+1', ['👍', 'thumbs up']],
  ['-1', ['👎', 'thumbs down']],
  ['laugh', ['😄', 'laugh']],
  ['confused', ['😕', 'confused']],
  ['heart', ['❤️', 'heart']],
  ['hooray', ['🎉', 'hooray']],
  ['rocket', ['🚀', 'rocket']],
  ['eyes', ['👀', 'eyes']],
]);

interface Reacted {
  readonly issue: Issue;
  /** id of a comment; null: the issue itself */
  readonly commentId: number | null;
  readonly counts: readonly ReactionCount[];
  /** whether the viewer may react */
  readonly mayReact: boolean;
}

/** Returns the reactions to an issue or a comment, and the form to add one or to take one back. */
export function reactionsHtml(view: TrackerView, { issue, commentId, counts, mayReact }: Reacted): Html {
  if (!mayReact) {
    if (counts.length === 0) return html``;
    return html`<div class="reactions">${counts.map((count) => html`<span class="reaction" title="${titleOf(count)}">${signOf(count)}</span>`)}</div>
`;
  }
  const given = counts.map(
    (count) =>
      html`<button class="reaction" name="${count.isOwn ? 'undo' : 'content'}" value="${count.content}" title="${titleOf(count)}" aria-pressed="${count.isOwn ? 'true' : 'false'}">${signOf(count)}</button>`,
  );
  const known = new Set(counts.map(({ content }) => content));
  // Each comment of a page has these buttons, so they are short: screen readers say the names of the signs.
  const others = REACTIONS.filter((content) => !known.has(content)).map(
    (content) =>
      html`<button class="reaction" name="content" value="${content}">${SIGNS.get(content)?.[0] ?? content}</button>`,
  );
  const more =
    others.length === 0
      ? html``
      : html`<details class="menu start"><summary class="reaction" title="Add a reaction" aria-label="Add a reaction">${icon('smile')}</summary><div class="reactions">${others}</div></details>`;
  const comment = html`<input type="hidden" name="comment" value="${commentId ?? ''}">`;
  return postForm(view, {
    action: `${issueFormPath(issue)}/reactions`,
    look: 'reactions',
    content: [comment, ...given, more],
  });
}

function signOf({ content, count }: ReactionCount): Html {
  return html`<span aria-hidden="true">${SIGNS.get(content)?.[0] ?? content}</span> <span class="number">${count}</span>`;
}

function titleOf({ content, count, isOwn }: ReactionCount): string {
  const people = counted(count, 'person reacted', 'people reacted');
  return `${people} with ${wordsOf(content)}${isOwn ? ', also you: press to take it back' : ''}`;
}

function wordsOf(content: string): string {
  return SIGNS.get(content)?.[1] ?? content;
}
