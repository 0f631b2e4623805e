import { isValues, UnusableFileError, type Values } from '../../base/core/text/yaml.ts';
import { FIELD_TYPES, type FieldType, type FormField, VIEWS, type View } from './model.ts';

const ID = /^[A-Za-z0-9_-]+$/;

/**
 * Reads the fields of a form.
 *
 * @throws UnusableFileError
 * @see https://docs.gitea.com/usage/issue-pull-request-templates
 */
export function fieldsOf(body: unknown): readonly FormField[] {
  if (!Array.isArray(body) || body.length === 0) throw new UnusableFileError('body must be a list of fields');
  const ids = new Set<string>();
  return body.map((value: unknown, index) => {
    try {
      const field = fieldOf(value, index);
      if (ids.has(field.id)) throw new UnusableFileError(`the id ${field.id} is used twice`);
      ids.add(field.id);
      return field;
    } catch (error) {
      throw new UnusableFileError(`field ${index + 1}: ${(error as Error).message}`);
    }
  });
}

function fieldOf(value: unknown, index: number): FormField {
  if (!isValues(value)) throw new UnusableFileError('must be a mapping');
  const type = FIELD_TYPES.find((each) => each === value.type);
  if (type === undefined) throw new UnusableFileError('unknown type');
  const id = value.id ?? '';
  if (typeof id !== 'string' || (id !== '' && !ID.test(id))) throw new UnusableFileError('invalid id');
  const attributes = mappingIn(value, 'attributes');
  const validations = mappingIn(value, 'validations');
  CHECKS[type](attributes);
  requireKind(validations, ['required', 'is_number'], 'boolean');
  requireKind(validations, ['regex'], 'string');
  return { type, id: id === '' ? `${index}` : id, attributes, validations, visible: visibleIn(value, type) };
}

function mappingIn(values: Values, key: string): Values {
  const value = values[key] ?? {};
  if (!isValues(value)) throw new UnusableFileError(`${key} must be a mapping`);
  return value;
}

/** What is specific to each type. */
const CHECKS: Readonly<Record<FieldType, (attributes: Values) => void>> = {
  markdown: (attributes) => requireText(attributes, 'value'),
  textarea(attributes) {
    requireText(attributes, 'label');
    requireKind(attributes, ['description', 'placeholder', 'value', 'render'], 'string');
  },
  input(attributes) {
    requireText(attributes, 'label');
    requireKind(attributes, ['description', 'placeholder', 'value'], 'string');
  },
  dropdown(attributes) {
    requireText(attributes, 'label');
    requireKind(attributes, ['description'], 'string');
    requireKind(attributes, ['multiple', 'list'], 'boolean');
    if (!optionsOf(attributes).every((option) => typeof option === 'string'))
      throw new UnusableFileError('each option must be a text');
  },
  checkboxes(attributes) {
    requireText(attributes, 'label');
    requireKind(attributes, ['description'], 'string');
    for (const option of optionsOf(attributes)) {
      if (!isValues(option)) throw new UnusableFileError('each option must be a mapping');
      requireText(option, 'label');
      requireKind(option, ['required'], 'boolean');
      requireViews(option.visible);
    }
  },
};

function optionsOf(attributes: Values): readonly unknown[] {
  const { options } = attributes;
  if (!Array.isArray(options) || options.length === 0)
    throw new UnusableFileError('options must be a list with at least one option');
  return options;
}

function requireText(values: Values, key: string): void {
  const value = values[key];
  if (typeof value !== 'string' || value.trim() === '') throw new UnusableFileError(`${key} is required`);
}

function requireKind(values: Values, keys: readonly string[], kind: 'string' | 'boolean'): void {
  for (const key of keys) {
    const value = values[key] ?? null;
    if (value !== null && typeof value !== kind) throw new UnusableFileError(`${key} must be a ${kind}`);
  }
}

function requireViews(visible: unknown): readonly View[] | undefined {
  if (visible === undefined || visible === null) return undefined;
  const views = Array.isArray(visible) ? visible.map((each) => VIEWS.find((view) => view === each)) : [];
  const known = views.filter((view) => view !== undefined);
  if (!Array.isArray(visible) || known.length < views.length)
    throw new UnusableFileError('visible must be a list of form and content');
  return known;
}

/** Markdown is not part of the text of an issue unless the template says so. */
function visibleIn(value: Values, type: FieldType): readonly View[] {
  return requireViews(value.visible) ?? (type === 'markdown' ? ['form'] : ['form', 'content']);
}
