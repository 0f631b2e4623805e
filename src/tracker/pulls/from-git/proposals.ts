import { reaches } from '../../../api/access/levels.ts';
import { isSignedIn, type SignedIn, type Viewer } from '../../../api/access/viewer.ts';
import { conflict, type ForgeError, forbidden, invalid } from '../../../base/core/failure.ts';
import { withoutControls } from '../../../base/core/text/text.ts';
import type { Database, Tx } from '../../../base/database/database.ts';
import type { AcceptedProposal, Proposals, ProposedPush } from '../../../code/transport/proposals.ts';
import { branchRef, pullHeadRef } from '../../../git/format/ref-names.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { FollowingRef } from '../../../git/interface/writes.ts';
import { isGranted } from '../../../hosting/repositories/authorize.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import { type Pushes, WHY_REJECTED } from '../../../hosting/repositories/refs/pushes.ts';
import { showsUnit } from '../../../hosting/repositories/tracker.ts';
import type { UserRename } from '../../../people/accounts/changes.ts';
import { ISSUE_LIMITS } from '../../issues/limits.ts';
import { validBody, validTitle } from '../../issues/rules.ts';
import { findIssueById } from '../../issues/server-changes.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL } from '../actions.ts';
import type { HeadFollower } from '../heads/follow.ts';
import type { PullFields, PullState } from '../model.ts';
import { type PullOpener, requireReadable } from '../opening.ts';
import { renameProposals } from '../store/moves.ts';
import { type Ends, findOpenBetween } from '../store/pulls.ts';
import { headPrefix, proposalHead, readProposedRef } from './proposed-ref.ts';
import { type ProposalOptions, proposalOptionsOf } from './push-options.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly pushes: Pushes;
  readonly issues: Issues;
  readonly headFollower: HeadFollower;
  readonly opener: PullOpener;
}

interface Proposal extends ProposedPush {
  readonly pusher: SignedIn;
  readonly ends: Ends;
  readonly topic: string;
  readonly wanted: ProposalOptions;
}

/**
 * Pull requests without a branch: a push to `refs/for/BRANCH/TOPIC` opens one, or moves its head if the pusher has an
 * open one with this topic.
 *
 * @see https://git-repo.info/en/2020/03/agit-flow-and-git-repo/
 */
export class PullProposals implements Proposals {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  mayPropose(viewer: Viewer, permitted: PermittedRepository): boolean {
    return denialOf(viewer, permitted) === undefined;
  }

  /**
   * @throws ForgeError `forbidden`; `archived`; as `readProposedRef`; `conflict` if the pull request belongs to another
   *   user, or has changed meanwhile; `invalid` if it has the commit, or its head would not move forward, or the base has
   *   the commit; as `PullOpener.insert` and `Pushes.moveOwnRefs`
   */
  async accept(push: ProposedPush): Promise<AcceptedProposal> {
    const { pusher, permitted } = push;
    const denial = denialOf(pusher, permitted);
    if (denial !== undefined) throw denial;
    if (!isSignedIn(pusher)) throw notAUser();
    const { id } = permitted.repository;
    const wanted = proposalOptionsOf(push.options);
    // The push may have moved branches, too.
    const snapshot = await this.#use.git.refs.open(id);
    const { base, topic } = readProposedRef(push.ref, wanted.topic, snapshot);
    const headBranch = proposalHead(pusher.name, topic);
    const ends = { repositoryId: id, baseBranch: base, headRepositoryId: id, headBranch };
    const proposal = { ...push, pusher, ends, topic, wanted };
    const open = await findOpenBetween(this.#use.database.reader, ends, 'agit');
    if (open !== undefined) return this.#update(proposal, open);
    await requireNew(proposal, snapshot.ref(branchRef(base)));
    return this.#open(proposal);
  }

  /** Renames the heads of the proposals of a user with the user. */
  async afterRename(tx: Tx, { accountId, from, to }: UserRename): Promise<void> {
    const prefixes = { from: headPrefix(from), to: headPrefix(to) };
    if (prefixes.from !== prefixes.to) await renameProposals(tx, accountId, prefixes);
  }

  async #open(proposal: Proposal): Promise<AcceptedProposal> {
    const { pusher, ends, commit: sha } = proposal;
    const { opener, issues } = this.#use;
    const fields = await fieldsOf(proposal);
    const text = await issues.texts.issue(pusher, fields);
    const ref = await this.#move(proposal, async (tx) => {
      if ((await findOpenBetween(tx, ends, 'agit')) !== undefined) throw stale();
      const opening = { viewer: pusher, flow: 'agit', ends, sha, fields: { ...fields, text } } as const;
      return (await opener.insert(tx, opening)).head;
    });
    return { moved: { ref, old: null, new: sha }, isForced: false };
  }

  async #update(proposal: Proposal, open: PullState): Promise<AcceptedProposal> {
    const { pusher, session, ends, commit: after, wanted } = proposal;
    const { issueId, repositoryId, number, head } = open;
    const before = head.sha;
    if (before === after) throw invalid(`the pull request #${number} has this commit already`);
    const isForced = !(await session.isReached({ ancestor: before, descendant: after }));
    if (isForced && !wanted.isForced)
      throw invalid(`not a fast-forward of ${pullHeadRef(number)}: add -o force-push to replace its commits`);
    const { issues, headFollower } = this.#use;
    const ref = await this.#move(proposal, async (tx) => {
      requireReadable(await issues.access.lock(tx, pusher, repositoryId, PULL.create));
      const now = await findOpenBetween(tx, ends, 'agit');
      if (now?.issueId !== issueId || now.head.sha !== before) throw stale();
      const issue = await findIssueById(tx, issueId);
      if (issue?.state.authorId !== pusher.accountId)
        throw conflict('a pull request of another user has this topic: use another one');
      const moving = { issueId, repositoryId, number, branch: head.branch, sha: before };
      const [moved] = await headFollower.move(tx, moving, after, {
        pusherId: pusher.accountId,
        isFetched: false,
      });
      if (moved === undefined) throw stale();
      return moved;
    });
    return { moved: { ref, old: before, new: after }, isForced };
  }

  /** Moves a ref of the server to the proposed commit. @returns its name */
  async #move(
    { pusher, permitted, session, ref, commit }: Proposal,
    decide: (tx: Tx) => Promise<FollowingRef>,
  ): Promise<string> {
    let name = '';
    await this.#use.pushes.moveOwnRefs(session, {
      repository: permitted.repository,
      pusher,
      tips: [commit],
      examined: [{ ref, old: null, new: commit }],
      decide: async (tx) => {
        const following = await decide(tx);
        name = following.ref;
        return [following];
      },
    });
    return name;
  }
}

/** Returns why the viewer may not propose commits; undefined if the viewer may. */
function denialOf(viewer: Viewer, permitted: PermittedRepository): ForgeError | undefined {
  if (!isSignedIn(viewer)) return notAUser();
  if (permitted.repository.units.pulls === null)
    return forbidden('pull requests are switched off in this repository');
  const mayRead = reaches(permitted.units.code, 'read') && showsUnit(permitted, 'pulls');
  if (mayRead && isGranted(viewer, permitted, PULL.create)) return undefined;
  return forbidden('you may not open pull requests in this repository');
}

function notAUser(): ForgeError {
  return forbidden('only a user can open pull requests: a key of a repository cannot');
}

function stale(): ForgeError {
  return conflict(WHY_REJECTED.stale);
}

/** @throws ForgeError `invalid` if the base has the commit */
async function requireNew({ session, commit, ends }: Proposal, baseTip: string | undefined): Promise<void> {
  // A commit that only the session has is not in the history of a branch.
  const isKnown = (await session.base.objects.info(commit)) !== undefined;
  if (!isKnown || baseTip === undefined) return;
  if (await session.isReached({ ancestor: commit, descendant: baseTip }))
    throw invalid(`the branch ${ends.baseBranch} has this commit already`);
}

/**
 * Returns the title and the text: those that the options state, or else the message of the commit. Checks them before the
 * objects of the push enter the repository.
 *
 * @throws ForgeError `invalid`
 */
async function fieldsOf({ session, commit, topic, wanted }: Proposal): Promise<PullFields> {
  const { message } = await session.objects.readCommit(commit);
  const [subject = '', ...rest] = message.toWellFormed().trim().split('\n');
  const title = wanted.title === '' ? titleOf(subject) : wanted.title;
  const body = rest.join('\n').replaceAll('\0', '').trim().slice(0, ISSUE_LIMITS.issueBodyCharsMax);
  return {
    title: validTitle(title === '' ? topic : title),
    body: validBody(wanted.description === '' ? body.toWellFormed() : wanted.description),
    labels: [],
    assignees: [],
    milestone: null,
    dueAt: null,
  };
}

/** Shortens the subject of a commit to the title of an issue. */
function titleOf(subject: string): string {
  const charsMax = ISSUE_LIMITS.issueTitleCharsMax;
  const line = withoutControls(subject).trim();
  return line.length <= charsMax
    ? line
    : `${line
        .slice(0, charsMax - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
