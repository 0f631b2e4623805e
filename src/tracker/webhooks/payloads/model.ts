import type { SignedIn } from '../../../api/access/viewer.ts';
import type { Database } from '../../../base/database/database.ts';
import type { EventKind, RecordedEvent } from '../../../base/events/model.ts';
import type { CommitReader } from '../../../code/git-data/commit-reader.ts';
import type { Statuses } from '../../../code/statuses/service.ts';
import type { GitStorage } from '../../../git/interface/storage.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Addresses } from '../../../http/app.ts';
import type { Organizations } from '../../../people/organizations/service.ts';
import type { Comments } from '../../issues/discussion/comments/service.ts';
import type { Issues } from '../../issues/service.ts';
import type { Reviews } from '../../pulls/reviews/service.ts';
import type { Pulls } from '../../pulls/service.ts';
import type { Releases } from '../../releases/service.ts';
import type { EventName } from '../event-names.ts';
import type { Payload } from '../model.ts';
import type { PushedCommits } from './pushed-commits.ts';

/** Services that payloads are read with, as the reader of a webhook may see everything. */
export interface PayloadServices {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly addresses: Addresses;
  readonly organizations: Organizations;
  readonly repositories: Repositories;
  readonly commitReader: CommitReader;
  readonly pushedCommits: PushedCommits;
  readonly statuses: Statuses;
  readonly issues: Issues;
  readonly comments: Comments;
  readonly pulls: Pulls;
  readonly reviews: Reviews;
  readonly releases: Releases;
}

/** One delivery that follows from an event. */
export interface PlannedDelivery {
  readonly name: EventName;
  /** short name of the branch to which the branch filter of a webhook applies; null: it does not apply */
  readonly branch: string | null;
  /**
   * Reads the payload as it is now.
   *
   * @returns undefined if it is about something that was deleted since, or that the viewer may not see
   * @throws ForgeError `not_found`, `forbidden` in the same cases; `busy`
   */
  read(use: PayloadServices, viewer: SignedIn): Promise<Payload | undefined>;
}

/** Returns the deliveries that follow from an event, in their order. It reads nothing. */
export type Planner = (event: RecordedEvent) => readonly PlannedDelivery[];

/** Combines a kind of event with what is delivered for it. */
export function plannedFor<Facts>(
  kind: EventKind<Facts>,
  plan: (event: RecordedEvent<Facts>) => readonly PlannedDelivery[],
): readonly [name: string, Planner] {
  return [kind.name, (event) => plan(event as RecordedEvent<Facts>)];
}
