import { wireTime } from '../../http/time.ts';

/** Names of fields have underscores on the wire, and so have the values of `changed`, which are names of fields. */
export function wireValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [wireName(name), wireValue(name, value)]),
  );
}

function wireValue(name: string, value: unknown): unknown {
  if (name === 'changed' && Array.isArray(value)) return value.map((field) => wireName(String(field)));
  if (name.endsWith('At') && typeof value === 'number') return wireTime(value);
  return Array.isArray(value) ? value.map(wirePerson) : wirePerson(value);
}

function wirePerson(value: unknown): unknown {
  return isPerson(value) ? { id: value.id, login: value.name } : value;
}

function isPerson(value: unknown): value is { readonly id: unknown; readonly name: unknown } {
  return typeof value === 'object' && value !== null && 'id' in value && 'name' in value;
}

/** Returns the name of a field on the wire. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
