import { invalid } from '../../base/core/failure.ts';
import { hasUnseen, isPlainLine, isStorableText } from '../../base/core/text/text.ts';
import { MILESTONE_LIMITS } from './limits.ts';
import type { MilestoneFields } from './model.ts';

/**
 * Returns the fields in the form in which they are stored.
 *
 * @param fields as a request has them
 * @throws ForgeError `invalid`
 */
export function validMilestone(fields: MilestoneFields): MilestoneFields {
  const { description } = fields;
  const title = fields.title.trim();
  const { milestoneTitleCharsMax: titleMax, milestoneDescriptionCharsMax: descriptionMax } = MILESTONE_LIMITS;
  if (title === '' || title.length > titleMax || !isPlainLine(title) || hasUnseen(title)) {
    throw invalid(`the title of a milestone is one line of 1 to ${titleMax} visible characters`);
  }
  if (description.length > descriptionMax || !isStorableText(description)) {
    throw invalid(`the description of a milestone has at most ${descriptionMax} characters`);
  }
  return { ...fields, title };
}
