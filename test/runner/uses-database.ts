import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The variable that names the server to a test on PostgreSQL. Only files that read it can see the database of a pass. */
const SERVER = 'QUIRE_TEST_DATABASE_URL';
const IMPORTS = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Whether each file reads the variable, itself or through an import. Imports form no cycle. */
const known = new Map<string, boolean>();

/** Whether the outcome of a test file can depend on the database. */
export function usesDatabase(file: string): boolean {
  return reaches(path.resolve(ROOT, file));
}

function reaches(file: string): boolean {
  const found = known.get(file) ?? (existsSync(file) && isReader(file));
  known.set(file, found);
  return found;
}

function isReader(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (text.includes(SERVER)) return true;
  const imports = [...text.matchAll(IMPORTS)].map(([, name = '']) => path.resolve(path.dirname(file), name));
  // The product gets its database from a test.
  return imports.filter((name) => !name.startsWith(path.join(ROOT, 'src/'))).some(reaches);
}
