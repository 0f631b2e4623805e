import { invalid } from '../../base/core/failure.ts';
import { hasUnseen, isPlainLine } from '../../base/core/text/text.ts';
import { LABEL_LIMITS } from './limits.ts';
import type { LabelFields } from './model.ts';

const COLOR = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/;

/**
 * Validates the fields of a request. Returns them in the form in which they are stored.
 *
 * @throws ForgeError `invalid`
 */
export function validLabel(fields: LabelFields): LabelFields {
  return {
    ...fields,
    name: validName(fields.name),
    color: validColor(fields.color),
    description: validDescription(fields.description),
  };
}

function validName(text: string): string {
  const name = text.trim();
  const charsMax = LABEL_LIMITS.labelNameCharsMax;
  if (name === '' || name.length > charsMax || !isPlainLine(name) || hasUnseen(name)) {
    throw invalid(`the name of a label is one line of 1 to ${charsMax} visible characters`);
  }
  return name;
}

function validDescription(text: string): string {
  const charsMax = LABEL_LIMITS.labelDescriptionCharsMax;
  if (text.length > charsMax || !isPlainLine(text)) {
    throw invalid(`the description of a label is one line of at most ${charsMax} characters`);
  }
  return text;
}

/** Returns six hex digits. Repeats each digit of a short color, as CSS does. */
function validColor(text: string): string {
  const [, digits] = COLOR.exec(text.trim().toLowerCase()) ?? [];
  if (digits === undefined)
    throw invalid('the color of a label has six or three hex digits, such as #00aabb');
  return digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&');
}
