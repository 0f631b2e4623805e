import { CORE_LIMITS } from '../limits.ts';
import { loadPackage } from '../native/packages.ts';
import { isNestedDeeper } from './nesting.ts';

/** The values of a mapping in YAML. */
export type Values = Readonly<Record<string, unknown>>;

/** Largest number of repeats of a part, so that a small document does not expand to a large one. */
const ALIASES_MAX = 10;

/** A file, or a part of one, cannot be used. The message says why. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

/**
 * Parses a mapping in YAML 1.2 with the core schema: no merge keys and no tags with a meaning in a program.
 *
 * @throws UnusableFileError
 */
export function parseMapping(text: string): Values {
  if (Buffer.byteLength(text) > CORE_LIMITS.yamlBytesMax)
    throw new UnusableFileError('the YAML is too large');
  const parsed = parseYaml(text);
  if (isNestedDeeper(parsed, CORE_LIMITS.yamlDepthMax)) throw tooDeep();
  if (!isValues(parsed)) throw new UnusableFileError('the YAML is not a mapping');
  // Limits the text that aliases repeat.
  if (JSON.stringify(parsed).length > CORE_LIMITS.yamlValueCharsMax)
    throw new UnusableFileError('the YAML stands for too much');
  return parsed;
}

function parseYaml(text: string): unknown {
  try {
    const { parseDocument } = loadPackage('yaml');
    const document = parseDocument(text, {
      schema: 'core',
      merge: false,
      stringKeys: true,
      // Comparing all keys of a mapping with each other would cost the square of their number.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const [error] = document.errors;
    if (error?.code === 'RESOURCE_EXHAUSTION') throw tooDeep();
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    if (error instanceof UnusableFileError) throw error;
    throw new UnusableFileError(`invalid YAML: ${firstLine(error)}`);
  }
}

function tooDeep(): UnusableFileError {
  return new UnusableFileError(`the YAML is nested deeper than ${CORE_LIMITS.yamlDepthMax}`);
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}

export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a text. @throws UnusableFileError for anything but a text or nothing */
export function textIn(values: Values, key: string): string {
  const value = values[key] ?? '';
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  if (typeof value !== 'string') throw new UnusableFileError(`${key} must be a text`);
  return value;
}

const OPENING = /^---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?(?:\n|$)/m;

/**
 * Splits a text into the block between two lines of three dashes at its start, and the rest. Returns undefined if there
 * is no such block.
 */
export function splitFrontMatter(text: string): { frontMatter: string; content: string } | undefined {
  const opening = OPENING.exec(text);
  if (opening === null) return undefined;
  const rest = text.slice(opening[0].length);
  const closing = CLOSING.exec(rest);
  if (closing === null) return undefined;
  return {
    frontMatter: rest.slice(0, closing.index),
    content: rest.slice(closing.index + closing[0].length),
  };
}
