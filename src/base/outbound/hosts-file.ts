import { readFile, stat } from 'node:fs/promises';

/** The names in the hosts file of the machine, as hosts(5) describes it. It is read again after a change. */
export class HostsFile {
  readonly #path: string;
  #version = '';
  #names: ReadonlySet<string> = new Set();

  constructor(path: string) {
    this.#path = path;
  }

  /** @param name in lower case. A file that is missing or unreadable has no names */
  async has(name: string): Promise<boolean> {
    try {
      const { mtimeMs, size } = await stat(this.#path);
      const version = `${mtimeMs} ${size}`;
      if (version !== this.#version) {
        this.#names = namesIn(await readFile(this.#path, 'utf8'));
        this.#version = version;
      }
    } catch {
      return false;
    }
    return this.#names.has(name);
  }
}

function namesIn(text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim().toLowerCase());
  return new Set(lines.flatMap((line) => line.split(/\s+/).slice(1)));
}
