import { type Html, html } from '../../../base/core/text/html.ts';
import { anchorOf } from '../../../tracker/issues/discussion/comments/present.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import type { ReactionCount } from '../../../tracker/issues/models/reactions.ts';
import type { TimelineEntry } from '../../../tracker/issues/models/timeline.ts';
import { commentBox } from './comment-box.ts';
import { eventHtml } from './event-words.ts';
import { reactionsHtml } from './reactions.ts';
import type { ThreadRights } from './rights.ts';
import { issueFormPath, type TrackerView } from './view.ts';

/** What the entries of a timeline need to be shown. */
export interface ShownThread {
  readonly issue: Issue;
  readonly rights: ThreadRights;
  /** rendered texts by the ids of entries */
  readonly texts: ReadonlyMap<number, Html>;
  /** by the ids of comments; 0: the issue itself */
  readonly reactions: ReadonlyMap<number, readonly ReactionCount[]>;
  /** Shows an entry in the way of the page, such as a review; undefined for all others. */
  readonly special?: (entry: TimelineEntry) => Html | undefined;
}

/** Returns the entries of a page of a timeline: comments in boxes, changes in sentences. */
export function timelineHtml(
  view: TrackerView,
  entries: readonly TimelineEntry[],
  thread: ShownThread,
): Html {
  if (entries.length === 0) return html``;
  const { repository } = thread.issue;
  const items = grouped(entries).map((group) => {
    const [entry] = group;
    const special = thread.special?.(entry);
    if (special !== undefined) return html`<li>${special}</li>\n`;
    return entry.kind === 'comment' || entry.kind === 'review'
      ? html`<li>${entryBox(view, entry, thread)}</li>\n`
      : eventHtml(group, repository);
  });
  return html`<ol class="timeline">
${items}</ol>
`;
}

type Group = [TimelineEntry, ...TimelineEntry[]];

/** Labels that one person changes within this time are one sentence. */
const TOGETHER_MS = 60_000;

function grouped(entries: readonly TimelineEntry[]): readonly Group[] {
  const groups: Group[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last !== undefined && belongs(last[0], entry)) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

function belongs(first: TimelineEntry, entry: TimelineEntry): boolean {
  return (
    first.kind === 'label' &&
    entry.kind === 'label' &&
    first.author?.id === entry.author?.id &&
    first.originalAuthor.name === entry.originalAuthor.name &&
    entry.createdAt - first.createdAt < TOGETHER_MS
  );
}

/** Returns a comment of a thread with its links and forms. */
export function entryBox(view: TrackerView, entry: TimelineEntry, thread: ShownThread): Html {
  const { issue, rights, texts, reactions } = thread;
  const { id, author } = entry;
  const isOwn = author !== null && author.id === view.viewer.accountId;
  const isComment = entry.kind === 'comment';
  const actions =
    isComment && (isOwn ? rights.mayEditOwn : rights.mayManage)
      ? html`<a class="quiet" href="${issueFormPath(issue)}/comments/${id}/edit">Edit</a>`
      : html``;
  return commentBox(
    {
      ...entry,
      anchor: anchorOf(id),
      verb: isComment ? 'commented' : 'reviewed',
      badges: author !== null && author.id === issue.authorId ? ['Author'] : [],
      content: texts.get(id) ?? html``,
      actions,
      reactions: isComment
        ? reactionsHtml(view, {
            issue,
            commentId: id,
            counts: reactions.get(id) ?? [],
            mayReact: rights.mayComment,
          })
        : html``,
    },
    view.addresses,
  );
}
