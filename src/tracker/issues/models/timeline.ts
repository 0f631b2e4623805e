import type { ShownAccount } from '../../../people/accounts/model.ts';
import type { Team } from '../../../people/teams/model.ts';
import type { OwnedLabel } from '../../labels/model.ts';
import type { Milestone } from '../../milestones/model.ts';
import type { Issue } from '../model.ts';
import type { Comment } from './comments.ts';
import type { EntryDetails, EntryKind } from './entries.ts';

/**
 * An entry of a timeline, with the records that it refers to. A record is null if the kind has none, or if it was
 * deleted.
 */
export interface TimelineEntry extends Comment {
  readonly kind: EntryKind;
  readonly details: EntryDetails;
  readonly label: OwnedLabel | null;
  readonly milestone: Milestone | null;
  readonly oldMilestone: Milestone | null;
  /** null also if the account is hidden from the viewer */
  readonly assignee: ShownAccount | null;
  /** null also if the repository has another owner by now */
  readonly assigneeTeam: Team | null;
  /** the issue that refers to this one, or with which a dependency began or ended */
  readonly otherIssue: Issue | null;
  /** the comment that refers to this issue */
  readonly otherComment: Comment | null;
}
