import { overridesRights, type SignedIn, type Viewer } from '../../../../api/access/viewer.ts';
import { forbidden, notFound, undefinedIf } from '../../../../base/core/failure.ts';
import type { Page, Paging } from '../../../../base/core/paging.ts';
import { currentTimeMs } from '../../../../base/core/time/clock.ts';
import type { Database } from '../../../../base/database/database.ts';
import { rethrowGone } from '../../../../base/database/gone.ts';
import { insertEvent } from '../../../../base/events/store.ts';
import { lockUser } from '../../../../people/accounts/locks.ts';
import type { ShownAccount } from '../../../../people/accounts/model.ts';
import type { Accounts } from '../../../../people/accounts/service.ts';
import type { IssueAccess, IssuePath, PermittedIssue } from '../../access.ts';
import { ISSUE } from '../../actions.ts';
import { ISSUE_SUBSCRIBED, ISSUE_UNSUBSCRIBED } from '../../models/events.ts';
import { about, announce } from '../../record.ts';
import { ISSUE_SUBSCRIPTION } from './actions.ts';
import { findNumbered, findSubscription, isInvolved, listSubscribers, setSubscription } from './store.ts';

/** Whether a user gets the notifications of an issue. */
export interface SubscriptionState {
  readonly issue: PermittedIssue;
  readonly isSubscribed: boolean;
}

interface Dependencies {
  readonly database: Database;
  readonly access: IssueAccess;
  readonly accounts: Accounts;
}

/**
 * Explicit choices of users to get the notifications of an issue, or not to get them. A user who has not chosen gets
 * them if the user watches the repository or takes part in the issue.
 */
export class Subscriptions {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Lists the users who have subscribed explicitly. @throws ForgeError as `IssueAccess.get` */
  async list(viewer: Viewer, path: IssuePath, paging: Paging): Promise<Page<ShownAccount>> {
    const { state } = await this.#use.access.get(viewer, path, ISSUE.read);
    return listSubscribers(this.#use.database.reader, viewer, state, paging);
  }

  /** @throws ForgeError as `IssueAccess.get` */
  async check(viewer: SignedIn, path: IssuePath): Promise<SubscriptionState> {
    const issue = await this.#use.access.get(viewer, path, ISSUE_SUBSCRIPTION.read);
    const db = this.#use.database.reader;
    const chosen = await findSubscription(db, issue.state.id, viewer.accountId);
    return { issue, isSubscribed: chosen ?? (await isInvolved(db, issue.state, viewer.accountId)) };
  }

  /**
   * Unsubscribes a user who need not be able to read the issue any more. Does nothing if the issue or the user is gone.
   */
  async mute({ accountId, issueId }: { accountId: number; issueId: number }): Promise<void> {
    await this.#use.database
      .transaction(async (tx) => {
        await lockUser(tx, accountId);
        const issue = await findNumbered(tx, issueId);
        if (issue === undefined) return;
        if (!(await setSubscription(tx, { issueId, accountId, isWatching: false }))) return;
        const { repositoryId, ...numbered } = issue;
        await insertEvent(tx, ISSUE_UNSUBSCRIBED, {
          actorId: accountId,
          repositoryId,
          payload: { ...numbered, accountId },
        });
      })
      .catch(rethrowGone('issue'))
      .catch(undefinedIf('not_found'));
  }

  /**
   * Subscribes or unsubscribes a user. This is possible in an archived repository, too, and for the author of the
   * issue.
   *
   * @throws ForgeError as `IssueAccess.get`; `not_found` for an unknown user; `forbidden` for another user
   */
  async set(viewer: SignedIn, path: IssuePath, name: string, isWatching: boolean): Promise<void> {
    await this.#use.access.get(viewer, path, ISSUE_SUBSCRIPTION.change);
    const user = await this.#use.accounts.getByName(viewer, name);
    if (user.kind !== 'user') throw notFound('user');
    if (user.id !== viewer.accountId && !overridesRights(viewer))
      throw forbidden(`${viewer.name} is not permitted to change subscriptions for ${user.name}`);
    await this.#use.access.change(
      viewer,
      path,
      ISSUE_SUBSCRIPTION.change,
      async (tx, { state }) => {
        await lockUser(tx, user.id);
        const choice = { issueId: state.id, accountId: user.id, isWatching };
        if (!(await setSubscription(tx, choice))) return;
        const kind = isWatching ? ISSUE_SUBSCRIBED : ISSUE_UNSUBSCRIBED;
        const recording = { tx, viewer, at: currentTimeMs() };
        await announce(recording, kind, state, { ...about(state), accountId: user.id });
      },
      { even: 'archived' },
    );
  }
}
