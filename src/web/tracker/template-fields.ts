import { invalid } from '../../base/core/failure.ts';
import { type Html, html } from '../../base/core/text/html.ts';
import type { Values } from '../../base/core/text/yaml.ts';
import type { FormField } from '../../tracker/issue-templates/model.ts';
import { flag, textField } from './parts/fields.ts';

/** What a person typed into a field of a form; undefined: the form was not sent yet. */
export type Typed = (name: string) => readonly string[] | undefined;

const nameOf = ({ id }: FormField) => `field-${id}`;

function textOf(values: Values, key: string): string {
  const value = values[key];
  return typeof value === 'string' ? value : '';
}

interface Option {
  readonly words: string;
  readonly isRequired: boolean;
  readonly isShown: boolean;
}

/** Returns the options of a list, or the boxes of a field. */
function optionsOf({ attributes }: FormField): readonly Option[] {
  const { options } = attributes;
  if (!Array.isArray(options)) return [];
  return options.map((option: unknown) => {
    if (typeof option === 'string') return { words: option, isRequired: false, isShown: true };
    const values = option as Values;
    const { visible } = values;
    return {
      words: textOf(values, 'label'),
      isRequired: values.required === true,
      isShown: !Array.isArray(visible) || visible.includes('content'),
    };
  });
}

function isRequired({ validations }: FormField): boolean {
  return validations.required === true;
}

/**
 * Returns a field of a form from the repository.
 *
 * @param rendered the text of a field that only explains
 */
export function templateField(field: FormField, typed: Typed, rendered: Html): Html {
  const { type, attributes } = field;
  if (type === 'markdown') return rendered;
  const [name, label, hint] = [nameOf(field), textOf(attributes, 'label'), textOf(attributes, 'description')];
  const about = hint === '' ? {} : { hint };
  const [value = textOf(attributes, 'value')] = typed(name) ?? [];
  if (type === 'textarea')
    return textField({ name, label, text: value, isRequired: isRequired(field), ...about });
  if (type === 'input')
    return html`<label>${label}<span class="hint">${hint}</span><input name="${name}" value="${value}" placeholder="${textOf(attributes, 'placeholder')}" maxlength="4096"${flag('required', isRequired(field))}></label>`;
  return type === 'dropdown' ? dropdown(field, typed(name)) : checkboxes(field, typed(name));
}

function dropdown(field: FormField, typed: readonly string[] | undefined): Html {
  const { attributes } = field;
  const [name, label, hint] = [nameOf(field), textOf(attributes, 'label'), textOf(attributes, 'description')];
  const chosen = new Set(typed ?? [String(attributes.default ?? '')]);
  const isMultiple = attributes.multiple === true;
  const options = optionsOf(field).map(
    ({ words }, index) =>
      html`<option value="${index}"${flag('selected', chosen.has(String(index)))}>${words}</option>`,
  );
  const none = isMultiple ? html`` : html`<option value="">Choose</option>`;
  return html`<label>${label}<span class="hint">${hint}</span><select name="${name}"${isMultiple ? html` multiple` : html``}${flag('required', isRequired(field))}>${none}${options}</select></label>`;
}

function checkboxes(field: FormField, typed: readonly string[] | undefined): Html {
  const { attributes } = field;
  const checked = new Set(typed ?? []);
  const boxes = optionsOf(field).map(
    ({ words, isRequired: isNeeded }, index) =>
      html`<label class="choice"><input type="checkbox" name="${nameOf(field)}" value="${index}"${flag('checked', checked.has(String(index)))}${flag('required', isNeeded)}><span>${words}</span></label>
`,
  );
  return html`<fieldset><legend>${textOf(attributes, 'label')}</legend><span class="hint">${textOf(attributes, 'description')}</span>
${boxes}</fieldset>`;
}

/**
 * Returns the text of an issue from the fields of a form: a heading for each, and below it what was typed.
 *
 * @throws ForgeError `invalid` for a field that is required, or has another form
 */
export function templateText(fields: readonly FormField[], typed: Typed): string {
  const parts = fields.flatMap((field) => {
    const { type, attributes, visible } = field;
    const content =
      type === 'markdown' ? textOf(attributes, 'value') : answerOf(field, typed(nameOf(field)) ?? []);
    if (!visible.includes('content')) return [];
    if (type === 'markdown') return [content];
    return [`### ${textOf(attributes, 'label')}\n\n${content === '' ? '_No response_' : content}`];
  });
  return parts.join('\n\n');
}

/** @throws ForgeError `invalid` */
function answerOf(field: FormField, typed: readonly string[]): string {
  const label = textOf(field.attributes, 'label');
  const options = optionsOf(field);
  const chosen = new Set(typed);
  if (field.type === 'checkboxes') {
    const missing = options.find((option, index) => option.isRequired && !chosen.has(String(index)));
    if (missing !== undefined) throw invalid(`“${missing.words}” must be checked`);
    return options
      .flatMap(({ words, isShown }, index) =>
        isShown ? [`- [${chosen.has(String(index)) ? 'x' : ' '}] ${words}`] : [],
      )
      .join('\n');
  }
  const text =
    field.type === 'dropdown'
      ? options.flatMap(({ words }, index) => (chosen.has(String(index)) ? [words] : [])).join(', ')
      : (typed[0] ?? '').replaceAll('\r\n', '\n').trim();
  if (text === '' && isRequired(field)) throw invalid(`“${label}” is required`);
  if (text !== '' && field.validations.is_number === true && !Number.isFinite(Number(text)))
    throw invalid(`“${label}” must be a number`);
  const render = field.type === 'textarea' ? textOf(field.attributes, 'render') : '';
  return render === '' || text === '' ? text : `\`\`\`${render}\n${text}\n\`\`\``;
}
