import { invalid } from '../../base/core/failure.ts';
import { LIMITS } from '../../base/core/limits.ts';
import { isPlainLine, isStorableText } from '../../base/core/text.ts';

/** @throws ForgeError `invalid` */
export function validTitle(text: string): string {
  const title = text.trim();
  const charsMax = LIMITS.issueTitleCharsMax;
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
  const charsMax = LIMITS.issueBodyCharsMax;
  if (text.length > charsMax || !isStorableText(text))
    throw invalid(`the text has at most ${charsMax} characters, and no NUL characters`);
  return text;
}

/** @throws ForgeError `invalid` */
export function validRef(name: string): string {
  if (name.length > LIMITS.issueRefCharsMax || !isPlainLine(name))
    throw invalid(`the name of a branch or tag has at most ${LIMITS.issueRefCharsMax} characters`);
  return name;
}
