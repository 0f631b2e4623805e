import { StepBudget } from '../../base/core/text/globs.ts';
import { EDITORCONFIG_LIMITS } from './limits.ts';
import { parseSection } from './section-pattern.ts';

/** The properties in responses, as EditorConfig names them. */
export const SHOWN = ['charset', 'indent_style', 'indent_size', 'end_of_line'] as const;
export type EditorConfigDefinition = Readonly<Partial<Record<(typeof SHOWN)[number], string>>>;

/**
 * Combines the sections of an `.editorconfig` that match a path; of two values of a property, the later one holds.
 *
 * @returns undefined if no section matches
 * @throws ForgeError `invalid` if the names of the sections take too long to match
 * @see https://spec.editorconfig.org/#supported-pairs
 */
export async function definitionOf(
  content: string,
  path: string,
): Promise<EditorConfigDefinition | undefined> {
  // Loaded on first use, because few requests need it.
  const { default: editorconfig } = await import('editorconfig');
  const budget = new StepBudget(EDITORCONFIG_LIMITS.editorConfigStepsMax);
  const properties = new Map<string, string>();
  let isMatched = false;
  for (const [name, values] of editorconfig.parseBuffer(Buffer.from(content))) {
    if (name === null || name.length > EDITORCONFIG_LIMITS.editorConfigSectionCharsMax) continue;
    if (!parseSection(name, budget).matches(path)) continue;
    isMatched = true;
    for (const [key, value] of Object.entries(values))
      properties.set(key.toLowerCase(), `${value}`.toLowerCase());
  }
  return isMatched ? shownOf(properties) : undefined;
}

function shownOf(properties: Map<string, string>): EditorConfigDefinition {
  for (const [key, value] of properties) if (value === 'unset') properties.delete(key);
  if (properties.get('indent_style') === 'tab' && !properties.has('indent_size'))
    properties.set('indent_size', 'tab');
  const tabWidth = properties.get('tab_width');
  if (properties.get('indent_size') === 'tab' && tabWidth !== undefined)
    properties.set('indent_size', tabWidth);
  const shown = SHOWN.flatMap((key) => {
    const value = properties.get(key);
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(shown);
}
