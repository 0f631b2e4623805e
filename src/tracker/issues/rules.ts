import { reaches } from '../../api/access/levels.ts';
import { forbidden, invalid } from '../../base/core/failure.ts';
import { isPlainLine, isStorableText } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import { ISSUE_LIMITS } from './limits.ts';
import type { IssueState } from './model.ts';

/** @throws ForgeError `invalid` */
export function validTitle(text: string): string {
  const title = text.trim();
  const charsMax = ISSUE_LIMITS.issueTitleCharsMax;
  if (title === '' || title.length > charsMax || !isPlainLine(title))
    throw invalid(`the title of an issue is one line of 1 to ${charsMax} characters`);
  return title;
}

/**
 * Checks the text of an issue or of a comment.
 *
 * @throws ForgeError `invalid`
 */
export function validBody(text: string): string {
  const charsMax = ISSUE_LIMITS.issueBodyCharsMax;
  if (text.length > charsMax || !isStorableText(text))
    throw invalid(`the text has at most ${charsMax} characters, and no NUL characters`);
  return text;
}

/** Whether the title of a pull request says that it is a draft. */
export function isDraft(title: string): boolean {
  return /^(?:WIP:|\[WIP\])/i.test(title);
}

/** @throws ForgeError `invalid` */
export function validRef(name: string): string {
  if (name.length > ISSUE_LIMITS.issueRefCharsMax || !isPlainLine(name))
    throw invalid(`the name of a branch or tag has at most ${ISSUE_LIMITS.issueRefCharsMax} characters`);
  return name;
}

/**
 * Returns when a change happened. Imports state a time, and only administrators of the repository may.
 *
 * @throws ForgeError `forbidden`; `invalid` for a time before the issue or in the future
 */
export function timeOfChange(
  permitted: PermittedRepository,
  state: IssueState,
  wanted: number | undefined,
): number {
  const now = currentTimeMs();
  if (wanted === undefined) return now;
  if (!reaches(permitted.level, 'admin'))
    throw forbidden('only administrators of the repository can state a time');
  // Records show whole seconds.
  if (wanted < Math.floor(state.createdAt / 1000) * 1000 || wanted > now)
    throw invalid('the time is before the creation of the issue, or in the future');
  return wanted;
}
