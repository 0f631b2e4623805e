import { gitBytes } from '../support/git.ts';

export type File = { readonly path: string | Uint8Array } & (
  | { readonly content: string; readonly mode?: '100644' | '100755' | '120000' }
  | { readonly oid: string; readonly mode: '160000' }
);

const PERSON = 'Ada <ada@example.org>';
const FIRST_SECOND = 1_700_000_000;

/** Builds histories that would otherwise take a thousand git processes. @see git-fast-import(1) */
export class FastImport {
  readonly #parts: Buffer[] = [];
  #marks = 0;

  /**
   * @param parents results of earlier calls
   * @param files changed against the first parent
   * @returns name of the commit in later calls
   */
  commit(branch: string, parents: readonly string[], files: readonly File[]): string {
    const mark = this.#nextMark();
    const [first, ...others] = parents;
    this.#say(
      `commit refs/heads/${branch}\nmark ${mark}\ncommitter ${PERSON} ${FIRST_SECOND + this.#marks} +0000\n`,
    );
    this.#data(`commit ${this.#marks}\n`);
    // Without a parent, a commit would follow the current tip of its branch.
    this.#say(first === undefined ? 'deleteall\n' : `from ${first}\n`);
    for (const other of others) this.#say(`merge ${other}\n`);
    for (const file of files) this.#file(file);
    this.#say('\n');
    return mark;
  }

  tag(name: string, commit: string): void {
    this.#say(`tag ${name}\nfrom ${commit}\ntagger ${PERSON} ${FIRST_SECOND} +0000\n`);
    this.#data(`tag ${name}\n`);
  }

  lightTag(name: string, commit: string): void {
    this.#say(`reset refs/tags/${name}\nfrom ${commit}\n\n`);
  }

  stream(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #nextMark(): string {
    this.#marks += 1;
    return `:${this.#marks}`;
  }

  #file(file: File): void {
    const source = 'oid' in file ? file.oid : 'inline';
    this.#say(`M ${file.mode ?? '100644'} ${source} `);
    this.#parts.push(quoted(file.path));
    this.#say('\n');
    if ('content' in file) this.#data(file.content);
  }

  #data(text: string): void {
    this.#say(`data ${Buffer.byteLength(text)}\n${text}\n`);
  }

  #say(text: string): void {
    this.#parts.push(Buffer.from(text));
  }
}

/** A path as a C string: every special byte is written in octal. */
function quoted(path: string | Uint8Array): Buffer {
  const bytes = [...Buffer.from(path)].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return Buffer.from(`"${bytes.join('')}"`);
}

export async function importInto(folder: string, stream: FastImport): Promise<void> {
  await gitBytes(folder, ['fast-import', '--quiet', '--force'], { input: stream.stream() });
}

/** One commit on `main` with exactly these files. */
export async function commitFiles(folder: string, files: readonly File[]): Promise<void> {
  const stream = new FastImport();
  stream.commit('main', [], files);
  await importInto(folder, stream);
}
