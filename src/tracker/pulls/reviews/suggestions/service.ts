import type { SignedIn } from '../../../../api/access/viewer.ts';
import { conflict, invalid, notFound } from '../../../../base/core/failure.ts';
import { isStorableText } from '../../../../base/core/text/text.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../../base/database/database.ts';
import { insertEvents } from '../../../../base/events/store.ts';
import { isBinaryContent } from '../../../../git/format/diffs/binary-content.ts';
import type { Oid } from '../../../../git/format/model.ts';
import { encodePerson } from '../../../../git/format/signature-line.ts';
import type { WriteSession } from '../../../../git/interface/writes.ts';
import { buildCommit, type CommitEdit, signatureAt } from '../../../../git/trees/commit-builder.ts';
import { treeOn } from '../../../../git/trees/write-tree.ts';
import { parseLfsPointer } from '../../../../hosting/lfs/pointer.ts';
import type { Repository } from '../../../../hosting/repositories/model.ts';
import { requireNotArchived } from '../../../../hosting/repositories/refs/push-rules.ts';
import type { BranchWriter } from '../../../../hosting/repositories/refs/write-branch.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import type { Accounts } from '../../../../people/accounts/service.ts';
import type { IssuePath, PermittedIssue } from '../../../issues/access.ts';
import type { Issues } from '../../../issues/service.ts';
import { PULL } from '../../actions.ts';
import { PULL_COMMENT_RESOLVED } from '../../events.ts';
import { requireHeadWriter } from '../../heads/writing.ts';
import { PULL_LIMITS } from '../../limits.ts';
import { getPull } from '../../store/pulls.ts';
import type { ReviewCommentRow } from '../model.ts';
import { requireCode } from '../rules.ts';
import { findComments, setResolver } from '../store/comments.ts';
import { type Replacement, suggestionsIn, withReplacements } from './blocks.ts';

/** What a request applies. */
export interface WantedSuggestions {
  /** of comments with one suggestion each */
  readonly commentIds: readonly number[];
  /** '' for the default */
  readonly message: string;
}

/** The commit that suggestions became. */
export interface AppliedSuggestions {
  readonly sha: Oid;
  readonly branch: string;
  /** of the head */
  readonly repository: Repository;
}

/** A comment whose suggestion can be applied to the head. */
interface Suggestion extends Replacement {
  readonly path: string;
}

const DEFAULT_MESSAGE = 'Apply suggestions of a review';

interface Dependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly branches: BranchWriter;
  readonly issues: Issues;
}

/** Makes a commit of what comments suggest. A suggestion replaces the lines that its comment is about. */
export class Suggestions {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Applies suggestions to the branch of the head, and resolves their comments.
   *
   * @throws ForgeError as `IssueAccess.get` and `BranchWriter.write`; `not_found` for a missing comment; `forbidden` unless
   *   the viewer may write the head; `conflict` if the lines have changed; `invalid`
   */
  async apply(
    viewer: SignedIn,
    path: IssuePath,
    { commentIds, message }: WantedSuggestions,
  ): Promise<AppliedSuggestions> {
    const { database, issues, branches } = this.#use;
    const issue = await issues.access.get(viewer, path, PULL.review, { kind: 'pull' });
    requireCode(viewer, issue.permitted);
    requireNotArchived(issue.permitted.repository);
    const pull = await getPull(database.reader, issue.state.id);
    if (!pull.isOpen) throw invalid('the pull request is closed: no suggestion can be applied');
    const { repository, origin } = await requireHeadWriter(this.#use, viewer, pull);
    const comments = await this.#comments(viewer, issue, commentIds);
    const suggestions = comments.map(suggestionOf);
    const unresolved = comments.filter(({ resolverId }) => resolverId === null).map(({ id }) => id);
    const facts = await this.#facts(viewer, comments, message);
    const { branch } = pull.head;
    const sha = await branches.write({
      repository,
      origin,
      branch,
      pusher: viewer,
      build: async (session, tip) => {
        if (tip === null) throw notFound('branch');
        if (!comments.every(({ commit, currentLine }) => commit === tip && currentLine > 0))
          throw conflict('the lines of a comment have changed: read the comments again');
        const edits = await editsOf(session, tip, suggestions);
        const { oid } = await buildCommit(session, { ...facts, parents: [tip], edits });
        return {
          commit: oid,
          result: oid,
          alsoInTransaction: (tx) => setResolver(tx, unresolved, viewer.accountId),
          afterRules: (tx) => announceAll(tx, viewer, issue, unresolved),
        };
      },
    });
    return { sha, branch, repository };
  }

  /** @throws ForgeError `not_found`, `invalid` */
  async #comments(
    viewer: SignedIn,
    { state }: PermittedIssue,
    commentIds: readonly number[],
  ): Promise<readonly ReviewCommentRow[]> {
    const ids = [...new Set(commentIds)];
    const countMax = PULL_LIMITS.reviewCommentsAtOnceMax;
    if (ids.length === 0 || ids.length > countMax)
      throw invalid(`name 1 to ${countMax} comments with suggestions`);
    const found = await findComments(this.#use.database.reader, viewer, { ids, issueId: state.id });
    if (found.length < ids.length) throw notFound('comment');
    return found;
  }

  async #facts(viewer: SignedIn, comments: readonly ReviewCommentRow[], message: string) {
    const { accounts } = this.#use;
    const charsMax = PULL_LIMITS.suggestionMessageCharsMax;
    if (message.length > charsMax || !isStorableText(message))
      throw invalid(`a message has at most ${charsMax} characters, and no NUL characters`);
    const own = signatureAt(await accounts.commitPerson(viewer.accountId), currentTimeMs());
    const authors = new Set(comments.flatMap(({ accountId }) => accountId ?? []));
    authors.delete(viewer.accountId);
    const people = await accounts.commitPeople([...authors]);
    const trailers = people.map((person) => `Co-authored-by: ${encodePerson(person)}`);
    const text = message.trim() === '' ? DEFAULT_MESSAGE : message.trim();
    const paragraphs = trailers.length === 0 ? [text] : [text, trailers.join('\n')];
    return { author: own, committer: own, message: `${paragraphs.join('\n\n')}\n` };
  }
}

/** @throws ForgeError `invalid` unless the comment has one suggestion for lines of the new side */
function suggestionOf({ id, side, path, body, currentLine, extraLines }: ReviewCommentRow): Suggestion {
  const [lines, ...others] = suggestionsIn(body);
  if (lines === undefined || others.length > 0)
    throw invalid(`the comment ${id} does not have exactly one block of the kind suggestion`);
  if (side === 'old') throw invalid(`the comment ${id} is about the old side, which no commit can change`);
  return { path, line: currentLine, extraLines, lines };
}

/** @throws ForgeError `conflict` for a file that is gone; `invalid` for one whose lines cannot be replaced */
async function editsOf(
  session: WriteSession,
  tip: Oid,
  suggestions: readonly Suggestion[],
): Promise<readonly CommitEdit[]> {
  const tree = await treeOn(session, tip);
  const edits: CommitEdit[] = [];
  for (const [path, replacements] of Map.groupBy(suggestions, (each) => each.path)) {
    const entry = await tree.at(path);
    if (entry === undefined) throw conflict(`the file ${path} is gone`);
    const { mode, oid } = entry;
    if (mode !== '100644' && mode !== '100755') throw invalid(`${path} is not a file with lines`);
    const blobBytesMax = PULL_LIMITS.suggestionFileBytesMax;
    const before = await session.objects.readBlob(oid, { blobBytesMax });
    if (isBinaryContent(before) || parseLfsPointer(before) !== undefined)
      throw invalid(`the file ${path} is binary, or stored by git-lfs`);
    const content = withReplacements(before, replacements);
    if (content === undefined)
      throw invalid(`the suggestions for ${path} are about the same lines, or about lines that it lacks`);
    if (!content.equals(before)) edits.push({ kind: 'put', path, mode, content });
  }
  if (edits.length === 0) throw invalid('the suggestions change nothing');
  return edits;
}

async function announceAll(
  tx: Tx,
  viewer: SignedIn,
  { state }: PermittedIssue,
  resolvedIds: readonly number[],
): Promise<void> {
  const { id: issueId, repositoryId, number } = state;
  const events = resolvedIds.map((commentId) => {
    const payload = { issueId, number, commentId, isResolved: true };
    return { actorId: viewer.accountId, repositoryId, payload };
  });
  if (events.length > 0) await insertEvents(tx, PULL_COMMENT_RESOLVED, events);
}
