import type { Viewer } from '../../../api/access/viewer.ts';
import { invalid } from '../../../base/core/failure.ts';
import { isStorableText } from '../../../base/core/text/text.ts';
import type { Database } from '../../../base/database/database.ts';
import type { Oid, Signature } from '../../../git/format/model.ts';
import type { WriteSession } from '../../../git/interface/writes.ts';
import { type CommitPerson, signatureAt } from '../../../git/trees/commit-builder.ts';
import { findEntry } from '../../../git/trees/find-entry.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import { repositoryAddresses } from '../../../hosting/repositories/present.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { IssueState } from '../../issues/model.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL_LIMITS } from '../limits.ts';
import type { BuildStyle, MergeWish, PullState } from '../model.ts';
import { readReviewFacts } from '../reviews/store/review-facts.ts';
import {
  defaultMessage,
  type Message,
  type MessageFacts,
  messageFrom,
  messageText,
  squashTrailers,
} from './messages.ts';

/** A merge whose message is asked for. */
export interface Composed {
  readonly viewer: Viewer;
  readonly permitted: PermittedRepository;
  readonly issue: IssueState;
  readonly pull: PullState;
  readonly wish: MergeWish;
  /** tip of the base */
  readonly onto: Oid;
  readonly committer: Signature;
}

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly addresses: Addresses;
}

/** Composes the messages of merges, and finds who is the author of a squash. */
export class MergeMessages {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError `invalid` for a message that is too long; `busy` */
  async compose(
    session: WriteSession,
    composed: Composed,
  ): Promise<{ readonly author: Signature; readonly message: string }> {
    const { wish, committer } = composed;
    const message = await this.#messageOf(session, composed);
    if (wish.style !== 'squash') return { author: committer, message: messageText(message) };
    const { author, authors } = await this.#authorsOf(session, composed);
    const trailers = squashTrailers({ author, committer, authors });
    return { author, message: messageText(message, trailers) };
  }

  async #messageOf(session: WriteSession, composed: Composed): Promise<Message> {
    const { wish } = composed;
    const { title, message: body } = wish;
    requireMessage(`${title}\n${body}`);
    if (title !== '' && body !== '') return { title, body };
    const facts = await this.#factsOf(composed);
    const template = await readTemplate(session, wish.style);
    const byDefault =
      template === undefined ? defaultMessage(wish.style, facts) : messageFrom(template, facts);
    return { title: title === '' ? byDefault.title : title, body: body === '' ? byDefault.body : body };
  }

  async #factsOf({ viewer, permitted, issue, pull }: Composed): Promise<MessageFacts> {
    const { database, repositories, accounts, issues, addresses } = this.#use;
    const { repository } = permitted;
    const { repositoryId } = pull.head;
    const head =
      repositoryId === null ? undefined : await repositories.find(database.reader, viewer, repositoryId);
    const poster = issue.authorId === null ? undefined : await accounts.findSignInById(issue.authorId);
    const { verdicts } = await readReviewFacts(database.reader, issue.id);
    const approvers = verdicts.filter(({ isApproval }) => isApproval).map(({ accountId }) => accountId);
    const people: CommitPerson[] = [];
    for (const id of approvers) people.push(await accounts.commitPerson(id));
    const { issues: named } = await issues.texts.markdown(viewer, `${issue.title}\n\n${issue.body}`);
    const closing = named.flatMap(({ keyword, number, repositoryId: id }) =>
      keyword === 'closes' && id === null ? [`close #${number}`] : [],
    );
    return {
      number: issue.number,
      title: issue.title,
      body: issue.body,
      posterName: poster?.name ?? issue.originalAuthor.name,
      base: { owner: repository.owner.name, name: repository.name },
      head: head === undefined ? null : { owner: head.repository.owner.name, name: head.repository.name },
      pull,
      mark: repository.units.issues.kind === 'external' ? '!' : '#',
      url: `${repositoryAddresses(repository, addresses).htmlUrl}/pulls/${issue.number}`,
      closing,
      approvers: people,
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

/** Reads the template of a message on the default branch. @returns undefined if there is none, or it is too large */
async function readTemplate(
  { base, objects }: WriteSession,
  style: BuildStyle | 'manually-merged',
): Promise<string | undefined> {
  const tip = base.ref(base.head);
  if (tip === undefined) return undefined;
  const { tree } = await objects.readCommit(tip);
  for (const folder of FOLDERS) {
    const path = `${folder}/default_merge_message/${style.toUpperCase()}_TEMPLATE.md`;
    const entry = await findEntry(objects, tree, path);
    if (entry?.mode !== '100644' && entry?.mode !== '100755') continue;
    const { sizeBytes = 0 } = (await objects.info(entry.oid)) ?? {};
    const bytesMax = PULL_LIMITS.mergeTemplateBytesMax;
    if (sizeBytes > bytesMax) continue;
    return Buffer.from(await objects.readBlob(entry.oid, { blobBytesMax: bytesMax })).toString('utf8');
  }
  return undefined;
}
