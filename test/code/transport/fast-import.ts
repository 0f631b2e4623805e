import { gitBytes } from '../../support/git/git.ts';

export type File = { readonly path: string | Uint8Array } & (
  | { readonly content: string; readonly mode?: '100644' | '100755' | '120000' }
  | { readonly oid: string; readonly mode: '160000' }
);

const PERSON = 'Ada <ada@example.org>';
const FIRST_SECOND = 1_700_000_000;

/**
 * Builds the input of git fast-import, for histories that would otherwise need a thousand git processes.
 *
 * @see git-fast-import(1)
 */
export class FastImport {
  readonly #parts: Buffer[] = [];
  #marks = 0;

  /**
   * @param parents results of earlier calls
   * @param files changes against the first parent
   * @returns name of the commit in later calls
   */
  commit(branch: string, parents: readonly string[], files: readonly File[]): string {
    const mark = this.#nextMark();
    const [first, ...others] = parents;
    this.#write(
      `commit refs/heads/${branch}\nmark ${mark}\ncommitter ${PERSON} ${FIRST_SECOND + this.#marks} +0000\n`,
    );
    this.#data(`commit ${this.#marks}\n`);
    // Without a parent, a commit would follow the current tip of its branch.
    this.#write(first === undefined ? 'deleteall\n' : `from ${first}\n`);
    for (const other of others) this.#write(`merge ${other}\n`);
    for (const file of files) this.#file(file);
    this.#write('\n');
    return mark;
  }

  tag(name: string, commit: string): void {
    this.#write(`tag ${name}\nfrom ${commit}\ntagger ${PERSON} ${FIRST_SECOND} +0000\n`);
    this.#data(`tag ${name}\n`);
  }

  lightTag(name: string, commit: string): void {
    this.#write(`reset refs/tags/${name}\nfrom ${commit}\n\n`);
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
    this.#write(`M ${file.mode ?? '100644'} ${source} `);
    this.#parts.push(quoted(file.path));
    this.#write('\n');
    if ('content' in file) this.#data(file.content);
  }

  #data(text: string): void {
    this.#write(`data ${Buffer.byteLength(text)}\n${text}\n`);
  }

  #write(text: string): void {
    this.#parts.push(Buffer.from(text));
  }
}

/** Quotes a path as a C string, with every special byte in octal. */
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

/** Returns a stream of one commit on `main` with exactly these files. */
export async function commitFiles(folder: string, files: readonly File[]): Promise<void> {
  const stream = new FastImport();
  stream.commit('main', [], files);
  await importInto(folder, stream);
}
