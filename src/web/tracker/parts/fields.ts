import { asWritten, type Html, html } from '../../../base/core/text/html.ts';
import { ISSUE_LIMITS } from '../../../tracker/issues/limits.ts';

interface TextField {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly isRequired?: boolean;
  readonly hint?: string;
  /** absent: those of the text of an issue */
  readonly charsMax?: number;
}

/** Returns a field for a long text. Its first line break stays, which HTML would drop. */
export function textField(field: TextField): Html {
  const { name, label, text, isRequired = false, hint, charsMax = ISSUE_LIMITS.issueBodyCharsMax } = field;
  return html`<label>${label}${hintHtml(hint)}<textarea name="${name}" maxlength="${charsMax}"${flag('required', isRequired)}>
${asWritten(text)}</textarea></label>`;
}

interface LineField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly charsMax: number;
  readonly isRequired?: boolean;
  readonly hint?: string;
}

/** Returns a field for one line. */
export function lineField({ name, label, value, charsMax, isRequired = false, hint }: LineField): Html {
  return html`<label>${label}${hintHtml(hint)}<input name="${name}" value="${value}" maxlength="${charsMax}"${flag('required', isRequired)}></label>`;
}

function hintHtml(hint: string | undefined): Html {
  return hint === undefined ? html`` : html`<span class="hint">${hint}</span>`;
}

/** Returns an attribute without a value, such as ` checked`. */
export function flag(name: 'checked' | 'disabled' | 'required' | 'selected', isSet: boolean): Html {
  return isSet ? html` ${name}` : html``;
}

/** A choice of a list. */
export interface Choice {
  readonly value: string;
  readonly words: string;
}

/** Returns a list of which one is chosen. @param chosen its value; an unknown one is added, so that a form keeps it */
export function selectField(
  { name, label }: { readonly name: string; readonly label: string },
  choices: readonly Choice[],
  chosen: string,
): Html {
  const known = choices.some(({ value }) => value === chosen);
  const all = known ? choices : [...choices, { value: chosen, words: chosen }];
  const options = all.map(
    ({ value, words }) =>
      html`<option value="${value}"${flag('selected', value === chosen)}>${words}</option>`,
  );
  return html`<label>${label}<select name="${name}">${options}</select></label>`;
}
