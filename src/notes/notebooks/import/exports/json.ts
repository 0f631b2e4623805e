import { isValues, type Values } from '../../../../base/core/text/yaml.ts';
import { NotTakenError, type SourceFile } from '../model.ts';
import { readWhole } from '../read-file.ts';

/** @throws NotTakenError for anything but an object */
export async function readJson(file: SourceFile): Promise<Values> {
  const values = parsed((await readWhole(file)).toString());
  if (!isValues(values)) throw new NotTakenError('its content is not what the app writes');
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new NotTakenError(`it is damaged (${(error as Error).message})`, { cause: error });
  }
}

/** Reads a text; '' for anything else. */
export function textOf(values: Values, key: string): string {
  const value = values[key];
  return typeof value === 'string' ? value.toWellFormed() : '';
}

/** Reads the objects of a list, and ignores other items. */
export function listOf(values: Values, key: string): readonly Values[] {
  const value = values[key];
  return Array.isArray(value) ? value.filter(isValues) : [];
}

/** Reads an object; returns an empty object for anything else. */
export function objectOf(values: Values, key: string): Values {
  const value = values[key];
  return isValues(value) ? value : {};
}

/** Reads a time as text, ms; null for anything else and for times before 1970. */
export function timeOf(values: Values, key: string): number | null {
  const ms = Date.parse(textOf(values, key));
  return ms > 0 ? ms : null;
}
