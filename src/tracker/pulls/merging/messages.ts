import { encodePerson } from '../../../git/format/signature-line.ts';
import type { CommitPerson } from '../../../git/trees/commit-builder.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { MergeWish, PullState } from '../model.ts';

/** What messages of merges name. */
export interface MessageFacts {
  readonly number: number;
  readonly title: string;
  /** null: the repository of the head was deleted, or is hidden from who merges */
  readonly head: { readonly owner: string; readonly name: string } | null;
  readonly pull: Pick<PullState, 'baseBranch' | 'head' | 'repositoryId'>;
  /** with an external tracker, `!` marks the number of a pull request */
  readonly mark: '#' | '!';
}

/** What templates of messages can name. */
export interface TemplateFacts extends MessageFacts {
  readonly body: string;
  readonly posterName: string;
  readonly base: { readonly owner: string; readonly name: string };
  /** address of the pull request */
  readonly url: string;
  /** texts such as `close #3` */
  readonly closing: readonly string[];
  readonly approvers: readonly CommitPerson[];
}

/** The first line of a message, and the rest; '' for none. */
export interface Message {
  readonly title: string;
  readonly body: string;
}

/** Returns the message of a merge that the request does not state. */
export function defaultMessage(style: MergeWish['style'], facts: MessageFacts): Message {
  const { title, number, mark, pull, head } = facts;
  if (style === 'squash') return { title: `${title} (${mark}${number})`, body: '' };
  const isOwn = pull.head.repositoryId === pull.repositoryId;
  const from = isOwn || head === null ? pull.head.branch : `${head.owner}/${head.name}:${pull.head.branch}`;
  const line = `Merge pull request '${title}' (${mark}${number}) from ${from} into ${pull.baseBranch}`;
  return { title: line, body: '' };
}

const VARIABLE = /\$\{([A-Za-z]+)\}/g;

/**
 * Fills in a template of the repository: its first line is the title. An unknown variable becomes nothing.
 *
 * @returns undefined if the message would have more characters
 */
export function messageFrom(template: string, facts: TemplateFacts, charsMax: number): Message | undefined {
  const values = valuesOf(facts);
  // A template can name a long description many times, so count before filling in.
  let chars = template.length;
  for (const [variable, name = ''] of template.matchAll(VARIABLE))
    chars += (values.get(name)?.length ?? 0) - variable.length;
  if (chars > charsMax) return undefined;
  const text = template.replaceAll(VARIABLE, (_, name: string) => values.get(name) ?? '');
  const [title = '', ...rest] = text.split('\n');
  return { title: title.trim(), body: rest.join('\n').trim() };
}

function valuesOf(facts: TemplateFacts): ReadonlyMap<string, string> {
  const { base, head, pull, number, mark, closing, approvers } = facts;
  return new Map([
    ['BaseRepoOwnerName', base.owner],
    ['BaseRepoName', base.name],
    ['BaseBranch', pull.baseBranch],
    ['HeadRepoOwnerName', head?.owner ?? ''],
    ['HeadRepoName', head?.name ?? ''],
    ['HeadBranch', pull.head.branch],
    ['PullRequestTitle', facts.title],
    ['PullRequestDescription', facts.body],
    ['PullRequestPosterName', facts.posterName],
    ['PullRequestIndex', `${number}`],
    ['PullRequestReference', `${mark}${number}`],
    ['ClosingIssues', closing.join(', ')],
    ['ReviewedOn', `Reviewed-on: ${facts.url}`],
    ['ReviewedBy', approvers.map((person) => `Reviewed-by: ${encodePerson(person)}`).join('\n')],
  ]);
}

/** Returns the message as a commit has it, without trailers that would make it too long. */
export function messageText({ title, body }: Message, trailers: readonly string[] = []): string {
  let charsLeft = PULL_LIMITS.mergeMessageCharsMax - title.length - body.length;
  const fitting: string[] = [];
  for (const trailer of trailers) {
    if (trailer.length > charsLeft) continue;
    fitting.push(trailer);
    charsLeft -= trailer.length;
  }
  const parts = [title, body, fitting.join('\n')].map((part) => part.trim()).filter((part) => part !== '');
  return `${parts.join('\n\n')}\n`;
}

/**
 * Returns the trailers of a squash, which name everyone whose work is in it.
 *
 * @param people the author of the squash, its committer, and the authors of the commits
 */
export function squashTrailers({
  author,
  committer,
  authors,
}: {
  readonly author: CommitPerson;
  readonly committer: CommitPerson;
  readonly authors: readonly CommitPerson[];
}): readonly string[] {
  const own = encodePerson(author);
  // git can store an author without a name and an address, whom no trailer can name.
  const named = authors.filter(({ name, email }) => name !== '' || email !== '');
  const others = named.map(encodePerson).filter((each) => each !== own);
  const lines = others.map((each) => `Co-authored-by: ${each}`);
  if (encodePerson(committer) !== own) lines.push(`Co-authored-by: ${own}`, `Co-committed-by: ${own}`);
  return [...new Set(lines)];
}
