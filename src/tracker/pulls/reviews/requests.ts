import { reachesRank } from '../../../api/access/standing.ts';
import { NO_ID, type SignedIn } from '../../../api/access/viewer.ts';
import { invalid, notFound } from '../../../base/core/failure.ts';
import type { Tx } from '../../../base/database/database.ts';
import { insertEvents } from '../../../base/events/store.ts';
import { approverCheck } from '../../../code/protection/approvers.ts';
import type { Protections } from '../../../code/protection/service.ts';
import { findTeamsWithCode, findWithCode } from '../../../hosting/repositories/collaborators/code-users.ts';
import type { PublicAccount } from '../../../people/accounts/model.ts';
import type { Organizations } from '../../../people/organizations/service.ts';
import type { Team } from '../../../people/teams/model.ts';
import { type IssuePath, mayManage, type PermittedIssue } from '../../issues/access.ts';
import type { IssueState } from '../../issues/model.ts';
import type { EntryDetails, NewEntry } from '../../issues/models/entries.ts';
import { addEntriesOf } from '../../issues/server-changes.ts';
import { PULL_REVIEW_REQUESTED } from '../events.ts';
import { PULL_LIMITS } from '../limits.ts';
import { getPull } from '../store/pulls.ts';
import type { NamedReviewers, Review, Reviewer } from './model.ts';
import { requireCode, requireOpen } from './rules.ts';
import type { Reviews } from './service.ts';
import {
  countRequests,
  deleteRequests,
  findNamedTeams,
  findNamedUsers,
  findRequests,
  findTeamsOf,
} from './store/requests.ts';
import { clearOfficial, insertReviews } from './store/reviews.ts';
import { restoreVerdicts } from './submit.ts';

interface Dependencies {
  readonly organizations: Organizations;
  readonly protections: Protections;
  readonly reviews: Reviews;
}

/** Who changes requests of a pull request, in a transaction that has locked its repository. */
export interface Requesting {
  readonly tx: Tx;
  readonly issue: IssueState;
  /** null: the server */
  readonly actorId: number | null;
  readonly at: number;
}

/** Requests for reviews of pull requests. A request ends with the review. */
export class ReviewRequests {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Requests reviews.
   *
   * @returns the requests to all who are named, new or not
   * @throws ForgeError as `IssueAccess.change`; `not_found` for an unknown user or team; `forbidden` if the pull request is
   *   closed; `invalid` unless the viewer is its author or may write, for its author as a reviewer, and for reviewers who may
   *   not read the code
   */
  add(viewer: SignedIn, path: IssuePath, named: NamedReviewers): Promise<readonly Review[]> {
    return this.#change(viewer, path, named, async (requesting, issue, reviewers) => {
      const { tx } = requesting;
      requireMayRequest(viewer, issue);
      requireOpen(issue.state, 'no review can be requested');
      await this.#requireAble(tx, issue, reviewers);
      const countMax = PULL_LIMITS.reviewRequestsPerPullMax;
      if ((await countRequests(tx, issue.state.id)) + reviewers.length > countMax)
        throw invalid(`a pull request has at most ${countMax} requests for reviews`);
      const ids = await this.request(requesting, reviewers);
      return this.#use.reviews.readAll(tx, viewer, issue, ids);
    });
  }

  /**
   * Takes requests back. Does nothing for those who are named but were not asked.
   *
   * @throws ForgeError as `add`, but reviewers may refuse, too
   */
  async remove(viewer: SignedIn, path: IssuePath, named: NamedReviewers): Promise<void> {
    await this.#change(viewer, path, named, async (requesting, issue, reviewers) => {
      const { tx } = requesting;
      const { state } = issue;
      const own = await findTeamsOf(tx, viewer.accountId, teamsOf(reviewers));
      const isOwn = ({ accountId, teamId }: Reviewer) =>
        accountId === viewer.accountId || (teamId !== null && own.has(teamId));
      if (!reviewers.every(isOwn)) requireMayRequest(viewer, issue);
      const requestTo = await findRequests(tx, state.id);
      const removed = reviewers.filter((reviewer) => requestTo(reviewer) !== undefined);
      await deleteRequests(
        tx,
        removed.flatMap((reviewer) => requestTo(reviewer) ?? []),
      );
      await restoreVerdicts(tx, state, accountsOf(removed), this.#use.protections);
      const entries = removed.map((reviewer) => entryOf(reviewer, { isRemoved: true }));
      await addEntriesOf(tx, state, { authorId: viewer.accountId, at: requesting.at }, entries);
      await this.#use.reviews.changed.notify(tx, state.id);
      await announceAll(requesting, removed, { isRemoved: true });
    });
  }

  /**
   * Requests reviews, unless they are requested already. The caller has checked the reviewers.
   *
   * @returns the ids of all requests, in this order
   */
  async request(requesting: Requesting, reviewers: readonly Reviewer[]): Promise<readonly number[]> {
    const { tx, issue, actorId, at } = requesting;
    const requestTo = await findRequests(tx, issue.id);
    const added = reviewers.filter((reviewer) => requestTo(reviewer) === undefined);
    const official = await this.#findOfficial(requesting, added);
    // The review that is requested takes the place of an earlier one.
    await clearOfficial(tx, issue.id, accountsOf(official));
    const of = { issueId: issue.id, repositoryId: issue.repositoryId };
    const fixed = { ...of, state: 'requested', body: '', commit: '', isStale: false, at } as const;
    const rows = added.map((reviewer) => ({
      ...fixed,
      ...reviewer,
      isOfficial: official.includes(reviewer),
    }));
    const ids = await insertReviews(tx, rows);
    const fresh = new Map(added.map((reviewer, index) => [reviewer, ids[index] ?? NO_ID]));
    const entries = [...fresh].map(([reviewer, reviewId]) => entryOf(reviewer, { reviewId }));
    await addEntriesOf(tx, issue, { authorId: actorId, at }, entries);
    await announceAll(requesting, added, { isRemoved: false });
    return reviewers.flatMap((reviewer) => requestTo(reviewer) ?? fresh.get(reviewer) ?? []);
  }

  /** Filters reviewers: returns those whose approvals count for the base. */
  async #findOfficial(
    { tx, issue }: Requesting,
    reviewers: readonly Reviewer[],
  ): Promise<readonly Reviewer[]> {
    const { baseBranch: branch } = await getPull(tx, issue.id);
    const of = { repositoryId: issue.repositoryId, branch };
    return reviewers.filter(await approverCheck(this.#use.protections, tx, of, reviewers));
  }

  #change<T>(
    viewer: SignedIn,
    path: IssuePath,
    named: NamedReviewers,
    change: (requesting: Requesting, issue: PermittedIssue, reviewers: readonly Reviewer[]) => Promise<T>,
  ): Promise<T> {
    requireFew(named);
    return this.#use.reviews.change(viewer, path, async ({ tx, at }, issue) => {
      requireCode(viewer, issue.permitted);
      const reviewers = await this.#findNamed(tx, viewer, issue, named);
      return change({ tx, issue: issue.state, actorId: viewer.accountId, at }, issue, reviewers);
    });
  }

  /**
   * Finds the users and teams that a request names. Teams are unknown to people who are not in their organization.
   *
   * @throws ForgeError `not_found`
   */
  async #findNamed(
    tx: Tx,
    viewer: SignedIn,
    { permitted, state }: PermittedIssue,
    { users, teams }: NamedReviewers,
  ): Promise<readonly Reviewer[]> {
    const { owner } = permitted.repository;
    const lowerUsers = lowerCase(users);
    const foundUsers = await findNamedUsers(tx, viewer, { lowerNames: lowerUsers, issueId: state.id });
    const accounts = new Map(foundUsers.map(({ id, lowerName }) => [lowerName, id]));
    const lowerTeams = lowerCase(teams);
    const foundTeams = await this.#findTeams(tx, viewer, owner, lowerTeams);
    const teamIds = new Map(foundTeams.map(({ id, name }) => [name.toLowerCase(), id]));
    return [
      ...lowerUsers.map((name): Reviewer => {
        return { accountId: requireKnown(accounts.get(name), 'user', name), teamId: null };
      }),
      ...lowerTeams.map((name): Reviewer => {
        return { accountId: null, teamId: requireKnown(teamIds.get(name), 'team', name) };
      }),
    ];
  }

  async #findTeams(
    tx: Tx,
    viewer: SignedIn,
    owner: PublicAccount,
    lowerNames: readonly string[],
  ): Promise<readonly Team[]> {
    if (lowerNames.length === 0 || owner.kind !== 'organization') return [];
    const standing = await this.#use.organizations.readStanding(tx, viewer, owner.id);
    const isMember = standing !== undefined && reachesRank(standing, 'member');
    return isMember ? findNamedTeams(tx, owner.id, lowerNames) : [];
  }

  /** @throws ForgeError `invalid` for a reviewer who cannot review the pull request */
  async #requireAble(tx: Tx, { state }: PermittedIssue, reviewers: readonly Reviewer[]): Promise<void> {
    const accountIds = accountsOf(reviewers);
    const teamIds = teamsOf(reviewers);
    if (state.authorId !== null && accountIds.includes(state.authorId))
      throw invalid('the author of a pull request cannot review it');
    const readers = await findWithCode(tx, state.repositoryId, { level: 'read', accountIds });
    if (!accountIds.every((id) => readers.has(id)))
      throw invalid('a reviewer may not read the code of this repository');
    const teams = await findTeamsWithCode(tx, state.repositoryId, { level: 'read', teamIds });
    if (!teamIds.every((id) => teams.has(id)))
      throw invalid('a team may not read the code of this repository');
  }
}

/** @throws ForgeError `invalid` */
function requireFew({ users, teams }: NamedReviewers): void {
  const countMax = PULL_LIMITS.reviewersNamedMax;
  if (users.length + teams.length > countMax)
    throw invalid(`a request names at most ${countMax} users and teams`);
}

/** @throws ForgeError `invalid` */
function requireMayRequest(viewer: SignedIn, { permitted, state }: PermittedIssue): void {
  if (state.authorId !== viewer.accountId && !mayManage(permitted, state))
    throw invalid('only the author of a pull request, and people who may write, can request reviews');
}

/** No account or team has a name with NUL, and PostgreSQL rejects the character. */
function lowerCase(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.toLowerCase().replaceAll('\0', ' ').toWellFormed()))];
}

function requireKnown(id: number | undefined, what: 'user' | 'team', name: string): number {
  if (id === undefined) throw notFound(what, { say: `there is no ${what} ${name}` });
  return id;
}

function accountsOf(reviewers: readonly Reviewer[]): readonly number[] {
  return reviewers.flatMap(({ accountId }) => accountId ?? []);
}

function teamsOf(reviewers: readonly Reviewer[]): readonly number[] {
  return reviewers.flatMap(({ teamId }) => teamId ?? []);
}

function entryOf(
  { accountId, teamId }: Reviewer,
  more: Pick<EntryDetails, 'reviewId' | 'isRemoved'>,
): NewEntry {
  const asked = teamId === null ? { accountId } : { teamId };
  return { kind: 'review_request', details: { ...asked, ...more } };
}

async function announceAll(
  { tx, issue, actorId }: Requesting,
  reviewers: readonly Reviewer[],
  { isRemoved }: { readonly isRemoved: boolean },
): Promise<void> {
  if (reviewers.length === 0) return;
  const { id: issueId, repositoryId, number } = issue;
  const events = reviewers.map((reviewer) => {
    const payload = { issueId, number, ...reviewer, isRemoved };
    return { actorId, repositoryId, payload };
  });
  await insertEvents(tx, PULL_REVIEW_REQUESTED, events);
}
