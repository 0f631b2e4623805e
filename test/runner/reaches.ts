import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const IMPORTS = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Whether test files, or what they import from files of the tests, contain a text. Imports form no cycle. */
export class Reaches {
  readonly #text: string;
  /** by path, whether a file reaches the text */
  readonly #known = new Map<string, boolean>();

  constructor(text: string) {
    this.#text = text;
  }

  /** @param file relative to the root of the repository, or absolute */
  from(file: string): boolean {
    const name = path.resolve(ROOT, file);
    const found = this.#known.get(name) ?? (existsSync(name) && this.#reads(name));
    this.#known.set(name, found);
    return found;
  }

  #reads(file: string): boolean {
    const text = readFileSync(file, 'utf8');
    if (text.includes(this.#text)) return true;
    const imports = [...text.matchAll(IMPORTS)].map(([, name = '']) =>
      path.resolve(path.dirname(file), name),
    );
    return imports
      .filter((name) => !name.startsWith(path.join(ROOT, 'src/')))
      .some((name) => this.from(name));
  }
}
