import type { SignedIn } from '../../../api/access/viewer.ts';
import { invalid } from '../../../base/core/failure.ts';
import { isStorableText } from '../../../base/core/text/text.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Oid, Signature } from '../../../git/format/model.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import { type CommitPerson, signatureAt } from '../../../git/trees/commit-builder.ts';
import { readFileAt } from '../../../git/trees/read-file.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import { repositoryAddresses } from '../../../hosting/repositories/present.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { CommitReferences } from '../../issues/discussion/references/commits.ts';
import type { IssueState } from '../../issues/model.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { MergeWish, Pull, PullState } from '../model.ts';
import { readReviewFacts } from '../reviews/store/review-facts.ts';
import {
  defaultMessage,
  type Message,
  type MessageFacts,
  messageFrom,
  messageText,
  squashTrailers,
  type TemplateFacts,
} from './messages.ts';

/** A merge whose message is asked for. */
export interface Composed {
  readonly viewer: SignedIn;
  readonly permitted: PermittedRepository;
  readonly issue: IssueState;
  readonly pull: PullState;
  readonly wish: MergeWish;
  /** tip of the base */
  readonly onto: Oid;
  readonly committer: Signature;
}

/** What the message of a merge depends on. */
interface Described extends Pick<Composed, 'viewer' | 'permitted' | 'issue' | 'pull'> {
  readonly wish: Pick<MergeWish, 'style' | 'title' | 'message'>;
}

/** The repository as its templates are read. */
type Templates = Pick<WriteSession, 'base' | 'objects'>;

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs'>;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly addresses: Addresses;
  readonly commitReferences: CommitReferences;
}

/** Whether a merge of a style makes a commit that has its message. */
const HAS_MESSAGE: Readonly<Record<MergeWish['style'], boolean>> = {
  merge: true,
  'rebase-merge': true,
  squash: true,
  rebase: false,
  'fast-forward-only': false,
  'manually-merged': false,
};

/** Composes the messages of merges, and finds who is the author of a squash. */
export class MergeMessages {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError `invalid` for a message of the request that is too long; `busy` */
  async compose(
    session: WriteSession,
    composed: Composed,
  ): Promise<{ readonly author: Signature; readonly message: string }> {
    const { wish, committer } = composed;
    requireMessage(`${wish.title}\n${wish.message}`);
    if (!HAS_MESSAGE[wish.style]) return { author: committer, message: '' };
    const message = await this.#messageOf(session, composed);
    if (wish.style !== 'squash') return { author: committer, message: messageText(message) };
    const { author, authors } = await this.#authorsOf(session, composed);
    const trailers = squashTrailers({ author, committer, authors });
    return { author, message: messageText(message, trailers) };
  }

  /**
   * Composes the message that a merge of a style has if the request states none.
   *
   * @returns null for a style whose commits have their own messages
   */
  async preview(viewer: SignedIn, pull: Pull, style: MergeWish['style']): Promise<Message | null> {
    if (!HAS_MESSAGE[style]) return null;
    const base = await this.#use.git.refs.open(pull.state.repositoryId);
    const { base: permitted, issue, state } = pull;
    const described = { viewer, permitted, issue, pull: state, wish: { style, title: '', message: '' } };
    return this.#messageOf({ base, objects: base.objects }, described);
  }

  async #messageOf(session: Templates, composed: Described): Promise<Message> {
    const { style, title, message: body } = composed.wish;
    if (title !== '' && body !== '') return { title, body };
    const template = await readTemplate(session, style);
    // The default message, which names the pull request, is whole. A cut template could lack its last lines, the trailers.
    const byDefault =
      (template === undefined ? undefined : await this.#messageFrom(template, composed)) ??
      defaultMessage(style, await this.#factsOf(composed));
    return { title: title === '' ? byDefault.title : title, body: body === '' ? byDefault.body : body };
  }

  /** @returns undefined if the message would be too long */
  async #messageFrom(template: string, composed: Described): Promise<Message | undefined> {
    const { title, message: body } = composed.wish;
    const charsMax = PULL_LIMITS.mergeMessageCharsMax - title.length - body.length;
    return messageFrom(template, await this.#templateFactsOf(composed), charsMax);
  }

  async #factsOf(composed: Described): Promise<MessageFacts> {
    const { permitted, issue, pull } = composed;
    const head = await this.#headOf(composed);
    return {
      number: issue.number,
      title: issue.title,
      head: head === undefined ? null : namesOf(head),
      pull,
      mark: permitted.repository.units.issues.kind === 'external' ? '!' : '#',
    };
  }

  async #headOf({ viewer, permitted, pull }: Described): Promise<PermittedRepository | undefined> {
    const { database, repositories } = this.#use;
    const { repositoryId: id } = pull.head;
    if (id === permitted.repository.id) return permitted;
    return id === null ? undefined : repositories.find(database.reader, viewer, id);
  }

  async #templateFactsOf(composed: Described): Promise<TemplateFacts> {
    const { viewer, permitted, issue } = composed;
    const { database, accounts, issues, addresses, commitReferences } = this.#use;
    const poster = issue.authorId === null ? issue.originalAuthor : await accounts.get(issue.authorId);
    const { verdicts } = await readReviewFacts(database.reader, issue.id);
    const approvers = verdicts.filter(({ isApproval }) => isApproval).map(({ accountId }) => accountId);
    const text = await issues.texts.issue(viewer, issue);
    const closing = await commitReferences.listClosing(viewer, permitted, text);
    return {
      ...(await this.#factsOf(composed)),
      body: issue.body,
      posterName: poster.name,
      base: namesOf(permitted),
      url: `${repositoryAddresses(permitted.repository, addresses).htmlUrl}/pulls/${issue.number}`,
      closing: closing.map((number) => `close #${number}`),
      approvers: await accounts.commitPeople(approvers),
    };
  }

  /** The author of a squash is the poster, as the commits name the poster if they do. */
  async #authorsOf(
    session: WriteSession,
    { viewer, issue, pull, onto, committer }: Composed,
  ): Promise<{ readonly author: Signature; readonly authors: readonly CommitPerson[] }> {
    const range = { tip: pull.head.sha, base: onto };
    const oids = await session.listCommitsSince(range, PULL_LIMITS.squashedCommitsReadMax);
    const commits = await Promise.all(oids.map((oid) => session.objects.readCommit(oid)));
    const authors = commits.map(({ author }) => author).toReversed();
    const posterId = issue.authorId;
    if (posterId === null) return { author: committer, authors };
    const accounts = await this.#use.accounts.findByCommitEmails(
      viewer,
      authors.map(({ email }) => email),
    );
    const own = authors.findLast(({ email }) => accounts.get(email.toLowerCase())?.id === posterId);
    const poster = own ?? (await this.#use.accounts.commitPerson(posterId));
    return { author: { ...signatureAt(poster, 0), ...when(committer) }, authors };
  }
}

function namesOf({ repository: { owner, name } }: PermittedRepository): {
  readonly owner: string;
  readonly name: string;
} {
  return { owner: owner.name, name };
}

function when({ seconds, zone }: Signature): Pick<Signature, 'seconds' | 'zone'> {
  return { seconds, zone };
}

/** @throws ForgeError `invalid` */
function requireMessage(text: string): void {
  const charsMax = PULL_LIMITS.mergeMessageCharsMax;
  if (text.length > charsMax || !isStorableText(text))
    throw invalid(`the message of a merge has at most ${charsMax} characters, and no NUL characters`);
}

const FOLDERS = ['.gitea', '.forgejo'];

/** Reads the template of a message on the default branch. @returns undefined if there is none that a commit can store */
async function readTemplate(
  { base, objects }: Templates,
  style: MergeWish['style'],
): Promise<string | undefined> {
  const tip = base.ref(base.head);
  if (tip === undefined) return undefined;
  const { tree } = await objects.readCommit(tip);
  for (const folder of FOLDERS) {
    const path = `${folder}/default_merge_message/${style.toUpperCase()}_TEMPLATE.md`;
    const text = (await readFileAt(objects, tree, path, PULL_LIMITS.mergeTemplateBytesMax))?.toString('utf8');
    if (text !== undefined && isStorableText(text)) return text;
  }
  return undefined;
}
