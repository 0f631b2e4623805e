import { type Html, html } from '../../base/core/text/html.ts';
import { selectHtml } from './search-form.ts';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  /** below the field, in words */
  readonly hint?: Html | string;
  readonly isRequired?: boolean;
  readonly charsMax?: number;
}

interface TextField extends Field {
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date';
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly hasFocus?: boolean;
}

/** Returns a field for a line of text, below its name. */
export function textField(field: TextField): Html {
  const { name, label, value = '', hint, type = 'text', autocomplete = 'off', placeholder } = field;
  const more = [
    ...(field.isRequired === true ? [html` required`] : []),
    ...(field.charsMax === undefined ? [] : [html` maxlength="${field.charsMax}"`]),
    ...(placeholder === undefined ? [] : [html` placeholder="${placeholder}"`]),
    ...(field.hasFocus === true ? [html` autofocus`] : []),
  ];
  return html`<label>${label} <input name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"${more}>${hintHtml(hint)}</label>
`;
}

/** Returns a field for several lines of text. */
export function textArea({ name, label, value = '', hint, isRequired, charsMax }: Field): Html {
  const more = [
    ...(isRequired === true ? [html` required`] : []),
    ...(charsMax === undefined ? [] : [html` maxlength="${charsMax}"`]),
  ];
  return html`<label>${label} <textarea name="${name}" rows="3" autocomplete="off"${more}>
${value}</textarea>${hintHtml(hint)}</label>
`;
}

/** Returns a field that chooses one of some values. */
export function selectField({
  options,
  ...field
}: Field & { readonly options: readonly (readonly [value: string, words: string])[] }): Html {
  const { name, label, value = '', hint } = field;
  return html`<label>${label} ${selectHtml(name, value, options)}${hintHtml(hint)}</label>
`;
}

/** Returns a field that is on or off. */
export function checkbox({
  name,
  label,
  hint,
  isChecked,
  value = 'on',
}: Pick<Field, 'name' | 'label' | 'hint' | 'value'> & { readonly isChecked: boolean }): Html {
  const about = hint === undefined ? html`` : html`<span class="quiet">${hint}</span>`;
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${isChecked ? html` checked` : html``}> <span>${label}</span>${about}</label>
`;
}

function hintHtml(hint: Html | string | undefined): Html {
  return hint === undefined ? html`` : html`<span class="hint">${hint}</span>`;
}
