import { type Html, html } from '../../../base/core/text/html.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { isDraft } from '../../../tracker/issues/rules.ts';
import { type IconName, icon, iconWithWords } from '../../parts/icons.ts';

interface Shown {
  readonly icon: IconName;
  readonly words: string;
  readonly look: 'open' | 'closed' | 'merged' | 'draft';
}

/** Returns the state of an issue or a pull request with its word. */
export function stateHtml(issue: Pick<Issue, 'pull' | 'isClosed' | 'title'>): Html {
  const shown = shownState(issue);
  return html`<span class="state ${shown.look}">${icon(shown.icon)}${shown.words}</span>`;
}

/** Returns the state as a picture, with its word for those who do not see it. */
export function stateIcon(issue: Pick<Issue, 'pull' | 'isClosed' | 'title'>): Html {
  const shown = shownState(issue);
  return iconWithWords(shown.icon, shown.words, shown.look);
}

function shownState({ pull, isClosed, title }: Pick<Issue, 'pull' | 'isClosed' | 'title'>): Shown {
  if (pull === null)
    return isClosed
      ? { icon: 'closed', words: 'Closed', look: 'closed' }
      : { icon: 'issue', words: 'Open', look: 'open' };
  if (pull.mergedAt !== null) return { icon: 'merged', words: 'Merged', look: 'merged' };
  if (isClosed) return { icon: 'pull', words: 'Closed', look: 'closed' };
  return isDraft(title)
    ? { icon: 'pull', words: 'Draft', look: 'draft' }
    : { icon: 'pull', words: 'Open', look: 'open' };
}
