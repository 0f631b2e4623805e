import { SYSTEM } from '../../../../api/access/viewer.ts';
import { undefinedIf } from '../../../../base/core/failure.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database, Tx } from '../../../../base/database/database.ts';
import { defineJob } from '../../../../base/jobs/model.ts';
import type { Jobs } from '../../../../base/jobs/service.ts';
import type { Oid } from '../../../../git/format/model.ts';
import { textOfPath } from '../../../../git/format/name-bytes.ts';
import { branchRef } from '../../../../git/format/ref-names.ts';
import type { ObjectReader } from '../../../../git/interface/snapshot.ts';
import type { GitStorage } from '../../../../git/interface/storage.ts';
import { readFileAt } from '../../../../git/trees/read-file.ts';
import {
  findTeamsWithCode,
  findWithCode,
} from '../../../../hosting/repositories/collaborators/code-users.ts';
import type { Repository } from '../../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import type { IssueState } from '../../../issues/model.ts';
import { isDraft } from '../../../issues/rules.ts';
import { findIssueById } from '../../../issues/server-changes.ts';
import { PULL } from '../../actions.ts';
import { rangeOf } from '../../diffs/range.ts';
import type { PullState } from '../../model.ts';
import { findPull } from '../../store/pulls.ts';
import type { NamedReviewers, Reviewer } from '../model.ts';
import type { ReviewRequests } from '../requests.ts';
import { findNamedTeams, findNamedUsers, findRequestedTeams, findReviewers } from '../store/requests.ts';
import { CODE_OWNER_LIMITS } from './limits.ts';
import { CODE_OWNER_PATHS, ownersOf, parseOwnerRules } from './rules.ts';

const REQUEST = defineJob<{ readonly issueId: number }>('pulls.request-owners');

/** For a repository or a commit that was deleted, or too many differences to compare. */
const ifUnknown = undefinedIf('not_found', 'invalid');

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly jobs: Jobs;
  readonly repositories: Repositories;
  readonly reviewRequests: ReviewRequests;
}

/**
 * Requests reviews of the owners of changed files, when a pull request opens that is not a draft, and when a draft becomes
 * ready. The base branch names the owners.
 */
export class CodeOwners {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const request = ({ issueId }: { issueId: number }) => this.#request(issueId).catch(ifUnknown);
    this.#use.jobs.register(REQUEST, request, { atOnceMax: 1 });
  }

  /** Requests reviews soon, unless the pull request is a draft by then. */
  enqueue(tx: Tx, issueId: number): Promise<void> {
    return this.#use.jobs.enqueue(tx, REQUEST, { key: `${issueId}`, payload: { issueId } });
  }

  async #request(issueId: number): Promise<void> {
    const { database, repositories } = this.#use;
    const pull = await this.#findReady(database.reader, issueId);
    if (pull === undefined) return;
    const found = await repositories.find(database.reader, SYSTEM, pull.repositoryId);
    if (found === undefined || !takesOwners(found.repository)) return;
    const named = await this.#findOwners(pull, found.repository);
    if (named.users.length + named.teams.length === 0) return;
    await database.transaction(async (tx) => {
      const { repository } = await repositories.lock(tx, SYSTEM, pull.repositoryId, PULL.read);
      const issue = await findIssueById(tx, issueId);
      if (issue === undefined || !takesOwners(repository)) return;
      if ((await this.#findReady(tx, issueId)) === undefined) return;
      const reviewers = await findNew(tx, { issue: issue.state, repository, named });
      const requesting = { tx, issue: issue.state, actorId: issue.state.authorId, at: currentTimeMs() };
      await this.#use.reviewRequests.request(requesting, reviewers);
    });
  }

  /** Finds a pull request, unless it is closed or a draft. */
  async #findReady(db: Database['reader'] | Tx, issueId: number): Promise<PullState | undefined> {
    const issue = await findIssueById(db, issueId);
    if (issue === undefined || issue.state.isClosed || isDraft(issue.state.title)) return undefined;
    return findPull(db, issueId);
  }

  async #findOwners(pull: PullState, { owner }: Repository): Promise<NamedReviewers> {
    const { refs, history } = this.#use.git;
    const snapshot = await refs.open(pull.repositoryId);
    const tip = snapshot.ref(branchRef(pull.baseBranch));
    const text = tip === undefined ? undefined : await readOwners(snapshot.objects, tip);
    const rules = text === undefined ? [] : parseOwnerRules(text);
    if (rules.length === 0) return { users: [], teams: [] };
    const { from, head } = await rangeOf(history, snapshot, pull);
    const { files } = await history.compareFiles(from, head, { whitespace: 'show-all' });
    const paths = files.flatMap(({ path, previousPath }) =>
      previousPath === null ? [path] : [path, previousPath],
    );
    return ownersOf(rules, paths.map(textOfPath), owner.name);
  }
}

/** A fork has a copy of the file, but its pull requests do not concern the owners of the parent. */
function takesOwners({ parentId, archivedAt, units }: Repository): boolean {
  return parentId === null && archivedAt === null && units.pulls !== null;
}

/** Reads the first file with code owners that is not too large; undefined if there is none. */
async function readOwners(objects: ObjectReader, commit: Oid): Promise<string | undefined> {
  const { tree } = await objects.readCommit(commit);
  for (const path of CODE_OWNER_PATHS) {
    const content = await readFileAt(objects, tree, path, CODE_OWNER_LIMITS.codeOwnersBytesMax);
    if (content !== undefined) return content.toString('utf8');
  }
  return undefined;
}

/** Finds owners who may read the code, and who are neither the author nor asked already. */
async function findNew(
  tx: Tx,
  {
    issue,
    repository,
    named,
  }: { readonly issue: IssueState; readonly repository: Repository; readonly named: NamedReviewers },
): Promise<readonly Reviewer[]> {
  const users = await findNamedUsers(tx, SYSTEM, { lowerNames: named.users, issueId: issue.id });
  const accountIds = users.map(({ id }) => id).filter((id) => id !== issue.authorId);
  const readers = await findWithCode(tx, repository.id, { level: 'read', accountIds });
  const known = await findReviewers(tx, issue.id, accountIds);
  const teams = await findNamedTeams(tx, repository.owner.id, named.teams);
  const teamIds = teams.map(({ id }) => id);
  const able = await findTeamsWithCode(tx, repository.id, { level: 'read', teamIds });
  const asked = await findRequestedTeams(tx, issue.id, teamIds);
  return [
    ...accountIds
      .filter((id) => readers.has(id) && !known.has(id))
      .map((accountId): Reviewer => ({ accountId, teamId: null })),
    ...teamIds
      .filter((id) => able.has(id) && !asked.has(id))
      .map((teamId): Reviewer => ({ accountId: null, teamId })),
  ];
}
