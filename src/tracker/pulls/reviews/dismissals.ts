import type { SignedIn } from '../../../api/access/viewer.ts';
import { forbidden } from '../../../base/core/failure.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import { insertEvents } from '../../../base/events/store.ts';
import type { NewEntry } from '../../issues/models/entries.ts';
import { addEntries } from '../../issues/record.ts';
import type { Issues } from '../../issues/service.ts';
import { PULL } from '../actions.ts';
import { PULL_REVIEW_DISMISSED } from '../events.ts';
import type { Dismissal, Review, ReviewPath } from './model.ts';
import { requireOpen, validMessage } from './rules.ts';
import type { Reviews } from './service.ts';
import { listDismissible, setDismissed } from './store/reviews.ts';

interface Dependencies {
  readonly issues: Issues;
  readonly reviews: Reviews;
}

/** Dismisses reviews, so that they do not count for the protection of the base. */
export class Dismissals {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * @throws ForgeError as `IssueAccess.change`; `not_found`; `forbidden` for a review that neither approves nor rejects,
   *   and if the pull request is closed; `invalid`
   */
  dismiss(viewer: SignedIn, path: ReviewPath, { message, withEarlier }: Dismissal): Promise<Review> {
    return this.#change(viewer, path, { isDismissed: true, withEarlier, message: validMessage(message) });
  }

  /** Lets a dismissed review count again. @throws ForgeError as `dismiss` */
  undismiss(viewer: SignedIn, path: ReviewPath): Promise<Review> {
    return this.#change(viewer, path, { isDismissed: false, withEarlier: false, message: '' });
  }

  #change(
    viewer: SignedIn,
    { pull, id }: ReviewPath,
    { isDismissed, withEarlier, message }: Dismissal & { readonly isDismissed: boolean },
  ): Promise<Review> {
    const { issues, reviews } = this.#use;
    return issues.access.change(
      viewer,
      pull,
      PULL.dismiss,
      async (tx, issue) => {
        const { state } = issue;
        const review = await reviews.require(tx, viewer, issue, id);
        if (review.state !== 'approved' && review.state !== 'rejected')
          throw forbidden('only approvals, and requests for changes, can be dismissed');
        requireOpen(state, 'its reviews cannot be dismissed');
        const at = currentTimeMs();
        const { issueId, repositoryId, accountId } = review;
        const others = withEarlier ? await listDismissible(tx, { issueId, accountId, except: id }) : [];
        const ids = [...others, id];
        const moved = await setDismissed(tx, ids, { isDismissed, at });
        const changed = ids.filter((each) => moved.has(each));
        const entries = changed.map(
          (reviewId): NewEntry => ({ kind: 'dismiss_review', body: message, details: { reviewId } }),
        );
        if (isDismissed) await addEntries({ tx, viewer, at }, state, entries);
        await reviews.changed.notify(tx, issueId);
        const events = changed.map((reviewId) => {
          const payload = { issueId, number: state.number, reviewId, isDismissed };
          return { actorId: viewer.accountId, repositoryId, payload };
        });
        if (events.length > 0) await insertEvents(tx, PULL_REVIEW_DISMISSED, events);
        return reviews.read(tx, viewer, issue, id);
      },
      { kind: 'pull' },
    );
  }
}
