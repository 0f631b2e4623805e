import { withVisibleCharacters } from '../../../base/core/text/text.ts';
import type { EventName } from '../event-names.ts';
import { WEBHOOK_LIMITS } from '../limits.ts';

/** A piece of a message. A link has an address of this server, or one that a caller has written. */
export type Part = string | { readonly text: string; readonly url: string };

/** What a chat shows for a delivery. All texts are plain: each chat escapes them for its own markup. */
export interface Message {
  readonly headline: readonly Part[];
  readonly lines: readonly (readonly Part[])[];
  /** what someone wrote; '' for none */
  readonly text: string;
  /** page of what the message is about */
  readonly url: string;
  readonly mood: 'good' | 'bad' | 'new' | 'plain';
  readonly sender: { readonly name: string; readonly url: string; readonly picture: string };
}

/** Colors of messages, as six hexadecimal digits. */
export const COLORS = {
  good: '2da44e',
  bad: 'cf222e',
  new: '0969da',
  plain: '8250df',
} as const satisfies Record<Message['mood'], string>;

type Json = unknown;

function at(value: Json, ...path: readonly string[]): Json {
  return path.reduce<Json>(
    (each, name) =>
      typeof each === 'object' && each !== null ? (each as Readonly<Record<string, Json>>)[name] : undefined,
    value,
  );
}

function textAt(value: Json, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? `${found}` : '';
}

type MessageBody = Pick<Message, 'headline' | 'url'> & Partial<Message>;
type Maker = (payload: Json) => MessageBody;

/** @param payload the JSON object that a webhook for programs sends */
export function messageOf(name: EventName, payload: Json): Message {
  const sender = {
    name: textAt(payload, 'sender', 'login'),
    url: textAt(payload, 'sender', 'html_url'),
    picture: textAt(payload, 'sender', 'avatar_url'),
  };
  const made = MAKERS[name](payload);
  return {
    lines: [],
    mood: 'plain',
    sender,
    ...made,
    text: clip(made.text ?? '', WEBHOOK_LIMITS.messageTextCharsMax),
  };
}

export function plainText(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}

/** Cuts a text off between two characters. */
export function clip(text: string, charsMax: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= charsMax) return trimmed;
  return `${trimmed
    .slice(0, charsMax - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`;
}

function titleOf(text: string): string {
  return withVisibleCharacters(clip(text.replace(/[\r\n]+/g, ' '), WEBHOOK_LIMITS.messageTitleCharsMax));
}

function repositoryOf(payload: Json): Part {
  return { text: textAt(payload, 'repository', 'full_name'), url: textAt(payload, 'repository', 'html_url') };
}

function by(payload: Json): string {
  return ` by ${textAt(payload, 'sender', 'login')}`;
}

function push(payload: Json): MessageBody {
  const ref = textAt(payload, 'ref').replace(/^refs\/(?:heads|tags)\//, '');
  const [before, after] = [textAt(payload, 'before'), textAt(payload, 'after')];
  const page = textAt(payload, 'repository', 'html_url');
  const kind = textAt(payload, 'ref').startsWith('refs/tags/') ? 'tag' : 'branch';
  const named: Part = { text: ref, url: `${page}/src/${kind}/${encodeURIComponent(ref)}` };
  const begin: readonly Part[] = [repositoryOf(payload), ': '];
  if (/^0+$/.test(after))
    return { headline: [...begin, `${kind} ${ref} was deleted${by(payload)}`], url: page, mood: 'bad' };
  const commits = at(payload, 'commits');
  const listed = Array.isArray(commits) ? commits.slice(0, WEBHOOK_LIMITS.messageCommitsMax) : [];
  const total = Number(textAt(payload, 'total_commits'));
  const compare = textAt(payload, 'compare_url');
  const isNew = /^0+$/.test(before);
  const what = total === 0 ? `${kind} moved` : `${total} new ${total === 1 ? 'commit' : 'commits'}`;
  const news: Part = compare === '' ? what : { text: what, url: compare };
  return {
    headline: [...begin, news, isNew ? ` on new ${kind} ` : ' on ', named, by(payload)],
    lines: listed.map((commit: Json) => [
      { text: textAt(commit, 'id').slice(0, 10), url: textAt(commit, 'url') },
      ` ${titleOf(textAt(commit, 'message').split('\n')[0] ?? '')} (${textAt(commit, 'author', 'name')})`,
    ]),
    url: compare === '' ? named.url : compare,
    mood: 'new',
  };
}

function refOf(what: 'created' | 'deleted'): Maker {
  return (payload) => {
    const [ref, kind] = [textAt(payload, 'ref'), textAt(payload, 'ref_type')];
    const page = textAt(payload, 'repository', 'html_url');
    return {
      headline: [repositoryOf(payload), `: ${kind} ${ref} was ${what}${by(payload)}`],
      url: what === 'created' ? `${page}/src/${kind}/${encodeURIComponent(ref)}` : page,
      mood: what === 'created' ? 'good' : 'bad',
    };
  };
}

function fork(payload: Json): MessageBody {
  const url = textAt(payload, 'forkee', 'html_url');
  const forkee = { text: textAt(payload, 'forkee', 'full_name'), url };
  return { headline: [repositoryOf(payload), ' was forked to ', forkee, by(payload)], url, mood: 'good' };
}

function repository(payload: Json): MessageBody {
  const action = textAt(payload, 'action');
  return {
    headline: ['repository ', repositoryOf(payload), ` was ${action}${by(payload)}`],
    url: textAt(payload, 'repository', 'html_url'),
    mood: action === 'created' ? 'good' : 'bad',
  };
}

const MOODS: Readonly<Record<string, Message['mood']>> = {
  opened: 'good',
  reopened: 'good',
  closed: 'bad',
  deleted: 'bad',
  created: 'new',
  published: 'good',
};

function subjectOf(key: 'issue' | 'pull_request', noun: string): Maker {
  return (payload) => {
    const action = textAt(payload, 'action');
    const isMerged = at(payload, key, 'merged') === true && action === 'closed';
    const shown = isMerged ? 'merged' : action.replaceAll('_', ' ');
    const url = textAt(payload, key, 'html_url');
    const title = `#${textAt(payload, key, 'number')} ${titleOf(textAt(payload, key, 'title'))}`;
    return {
      headline: [repositoryOf(payload), `: ${noun} ${shown}: `, { text: title, url }, by(payload)],
      text: action === 'opened' ? textAt(payload, key, 'body') : '',
      url,
      mood: isMerged ? 'good' : (MOODS[action] ?? 'plain'),
    };
  };
}

const issue = subjectOf('issue', 'issue');
const pull = subjectOf('pull_request', 'pull request');

function comment(payload: Json): MessageBody {
  const action = textAt(payload, 'action');
  const url = textAt(payload, 'comment', 'html_url');
  const noun = at(payload, 'is_pull') === true ? 'pull request' : 'issue';
  const title = `#${textAt(payload, 'issue', 'number')} ${titleOf(textAt(payload, 'issue', 'title'))}`;
  return {
    headline: [repositoryOf(payload), `: comment ${action} on ${noun} `, { text: title, url }, by(payload)],
    text: textAt(payload, 'comment', 'body'),
    url,
    mood: MOODS[action] ?? 'plain',
  };
}

function reviewed(verdict: string, mood: Message['mood']): Maker {
  return (payload) => {
    const { url, headline } = pull(payload);
    const [place = '', , subject = ''] = headline;
    return {
      headline: [place, `: pull request ${verdict}: `, subject, by(payload)],
      text: textAt(payload, 'review', 'content'),
      url,
      mood,
    };
  };
}

function status(payload: Json): MessageBody {
  const state = textAt(payload, 'state');
  const url = textAt(payload, 'target_url') || textAt(payload, 'commit', 'url');
  const check = textAt(payload, 'context') || 'check';
  const commit = { text: textAt(payload, 'sha').slice(0, 10), url: textAt(payload, 'commit', 'url') };
  return {
    headline: [repositoryOf(payload), ': ', { text: titleOf(check), url }, ` is ${state} on `, commit],
    text: textAt(payload, 'description'),
    url,
    mood: state === 'success' ? 'good' : state === 'failure' || state === 'error' ? 'bad' : 'plain',
  };
}

function release(payload: Json): MessageBody {
  const action = textAt(payload, 'action');
  const url = textAt(payload, 'release', 'html_url');
  const title = titleOf(textAt(payload, 'release', 'name') || textAt(payload, 'release', 'tag_name'));
  return {
    headline: [repositoryOf(payload), `: release ${action}: `, { text: title, url }, by(payload)],
    text: textAt(payload, 'release', 'body'),
    url,
    mood: MOODS[action] ?? 'plain',
  };
}

function wiki(payload: Json): MessageBody {
  const url = `${textAt(payload, 'repository', 'html_url')}/wiki`;
  const page = { text: titleOf(textAt(payload, 'page')), url };
  return {
    headline: [repositoryOf(payload), `: wiki page ${textAt(payload, 'action')}: `, page, by(payload)],
    text: textAt(payload, 'comment'),
    url,
  };
}

/** For events without a message of their own. */
function other(payload: Json): MessageBody {
  const url = textAt(payload, 'repository', 'html_url');
  return { headline: [repositoryOf(payload), `: ${textAt(payload, 'action')}${by(payload)}`], url };
}

const MAKERS: Readonly<Record<EventName, Maker>> = {
  push,
  create: refOf('created'),
  delete: refOf('deleted'),
  fork,
  issues: issue,
  issue_assign: issue,
  issue_label: issue,
  issue_milestone: issue,
  issue_comment: comment,
  pull_request: pull,
  pull_request_assign: pull,
  pull_request_label: pull,
  pull_request_milestone: pull,
  pull_request_comment: comment,
  pull_request_review_approved: reviewed('approved', 'good'),
  pull_request_review_rejected: reviewed('rejected: changes requested', 'bad'),
  pull_request_review_comment: reviewed('reviewed', 'plain'),
  pull_request_sync: pull,
  pull_request_review_request: pull,
  wiki,
  repository,
  release,
  package: other,
  status,
  workflow_run: other,
  workflow_job: other,
};
