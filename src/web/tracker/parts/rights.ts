import { mayManage } from '../../../tracker/issues/access.ts';
import { ISSUE } from '../../../tracker/issues/actions.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { mayChange, type TrackerView } from './view.ts';

/** What the viewer may do on the page of a thread. The services decide it again for each form. */
export interface ThreadRights {
  readonly mayComment: boolean;
  /** the issue: its title, its text and its state */
  readonly mayEdit: boolean;
  /** the viewer's own comments */
  readonly mayEditOwn: boolean;
  /** labels, milestone, assignees, lock, and comments of others */
  readonly mayManage: boolean;
  readonly mayPin: boolean;
}

export function rightsOf(view: TrackerView, issue: Issue): ThreadRights {
  const { viewer, permitted } = view;
  const isOpen = mayChange(view, ISSUE.comment);
  const isManager = isOpen && mayManage(permitted, issue);
  return {
    mayComment: isOpen && (!issue.isLocked || isManager),
    mayEdit: isManager || (isOpen && issue.authorId === viewer.accountId),
    mayEditOwn: isOpen,
    mayManage: isManager,
    mayPin: isOpen && mayChange(view, ISSUE.pin),
  };
}
