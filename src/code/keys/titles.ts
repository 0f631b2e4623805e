import { invalid } from '../../base/core/failure.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { KEY_LIMITS } from './limits.ts';

/**
 * Returns the title of a key, trimmed.
 *
 * @throws ForgeError `invalid`
 */
export function keyTitleOf(text: string): string {
  const title = text.trim();
  if (title === '') throw invalid('[Title]: Required');
  if (title.length > KEY_LIMITS.keyTitleCharsMax)
    throw invalid(`[Title]: MaxSize(${KEY_LIMITS.keyTitleCharsMax})`);
  if (!isPlainLine(title)) throw invalid('[Title]: must be one line without control characters');
  return title;
}
