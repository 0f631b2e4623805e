import type { TestContext } from 'node:test';
import type { ObjectFormat, Oid } from '../../../src/git/format/model.ts';
import { hexDigits } from '../../../src/git/format/object-format.ts';
import type { CommitOf } from '../../../src/git/interface/snapshot.ts';
import {
  type GitFixture,
  git,
  NOTHING_MORE,
  openGitFixture,
  packOf,
  temporaryFolder,
} from '../git-fixture.ts';
import type { Random } from '../merges/random-merges.ts';

/** Files by path; characters stand for bytes. The text of a submodule is the digit that its id repeats. */
export type Contents = ReadonlyMap<string, { readonly mode: string; readonly text: string }>;

/** Commits in a repository of the storage, and in one of git's own with the same objects. */
export interface Imported extends GitFixture {
  readonly gitFolder: string;
  readonly oids: readonly Oid[];
  readonly commits: readonly CommitOf[];
}

/** Makes commits without parents, one for each version of the files. */
export async function importVersions(
  t: TestContext,
  versions: readonly Contents[],
  format: ObjectFormat = 'sha1',
): Promise<Imported> {
  const gitFolder = temporaryFolder(t);
  git(gitFolder, ['init', '-q', '--bare', `--object-format=${format}`, '.']);
  git(
    gitFolder,
    ['fast-import', '--quiet'],
    Buffer.from(versions.map((files, index) => importOf(files, index, format)).join(''), 'latin1'),
  );
  const oids = versions.map((_, index) => git(gitFolder, ['rev-parse', `refs/heads/v${index}`]));
  const fixture = await openGitFixture(t, format);
  await using session = await fixture.storage.writes.begin(fixture.id);
  await session.ingestPack(packOf(gitFolder, oids), { bytesMax: 2 ** 30 });
  const updates = oids.map((oid, index) => ({ ref: `refs/heads/v${index}`, old: null, new: oid }));
  await fixture.storage.writes.commit(session, updates, NOTHING_MORE);
  const snapshot = await fixture.storage.refs.open(fixture.id);
  return { ...fixture, gitFolder, oids, commits: oids.map((oid) => ({ snapshot, oid })) };
}

/** @see git-fast-import(1) */
function importOf(files: Contents, index: number, format: ObjectFormat): string {
  const lines = [
    `commit refs/heads/v${index}`,
    'committer Ada <ada@example.org> 0 +0000',
    'data 0',
    'deleteall',
  ];
  for (const [path, { mode, text }] of files) {
    const quoted = `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
    if (mode === '160000') lines.push(`M ${mode} ${text.repeat(hexDigits(format))} ${quoted}`);
    else lines.push(`M ${mode} inline ${quoted}`, `data ${text.length}`, text);
  }
  return `${lines.join('\n')}\n`;
}

const BLANKS = ['', ' ', '\t', '  '];
const ENDS = ['\n', '\n', '\n', '\r\n', ' \n'];

function randomLine(random: Random): string {
  const words = Array.from({ length: 1 + random.below(3) }, () => `w${random.below(9)}`);
  return `${random.of(BLANKS)}${words.join(random.of(BLANKS))}${random.of(ENDS)}`;
}

/** Returns a text with few different lines, so that some of them repeat. Its last line may have no end. */
export function randomText(random: Random, linesMax = 40): string {
  const lines = Array.from({ length: random.below(linesMax + 1) }, () => randomLine(random));
  const text = lines.join('');
  return random.below(4) === 0 ? text.trimEnd() : text;
}

/** Changes, adds and removes a few lines. */
export function editedText(random: Random, text: string): string {
  const lines = text.split(/(?<=\n)/);
  for (let edits = random.below(5); edits > 0; edits -= 1) {
    const at = random.below(lines.length + 1);
    const removed = random.below(3);
    const added = Array.from({ length: random.below(3) }, () => randomLine(random));
    lines.splice(at, removed, ...added);
  }
  const edited =
    random.below(3) === 0 ? lines.map((line) => line.replace(/[ \t]*\n/, random.of(ENDS) ?? '')) : lines;
  return edited.join('');
}

const NAMES = [
  'a',
  'b.txt',
  'c d',
  'caf\xc3\xa9',
  'caf\xe9',
  'tab\there',
  'line\nbreak',
  '"quoted"',
  ':colon',
  '7\t1\tx',
];
const FOLDERS = ['', 'a.d/', 'z/', 'z/y/', 'caf\xe9/'];

function randomPath(random: Random): string {
  return `${random.of(FOLDERS)}${random.of(NAMES)}${random.below(4)}`;
}

function randomFile(random: Random): { readonly mode: string; readonly text: string } {
  const kind = random.below(10);
  if (kind === 0) return { mode: '120000', text: `target${random.below(3)}` };
  if (kind === 1) return { mode: '160000', text: `${1 + random.below(8)}` };
  if (kind === 2) return { mode: '100644', text: `GIF\0${random.below(9)}${randomText(random)}` };
  if (kind === 3) return { mode: '100644', text: '' };
  return { mode: random.below(4) === 0 ? '100755' : '100644', text: randomText(random) };
}

export function randomFiles(random: Random): Contents {
  return new Map(Array.from({ length: 30 }, () => [randomPath(random), randomFile(random)]));
}

/** Edits, moves, adds and removes files, and changes their modes. */
export function editedFiles(random: Random, files: Contents): Contents {
  const edited = new Map(files);
  for (const [path, file] of files) {
    const kind = random.below(8);
    const isText = file.mode.startsWith('100');
    const mode = isText && random.below(9) === 0 ? '100755' : file.mode;
    if (kind === 0) edited.set(path, randomFile(random));
    if (kind === 1) edited.delete(path);
    if (kind === 2 || kind === 3) {
      edited.delete(path);
      edited.set(randomPath(random), { mode, text: isText ? editedText(random, file.text) : file.text });
    }
    if (kind === 4 || kind === 5)
      edited.set(path, { mode, text: isText ? editedText(random, file.text) : file.text });
  }
  return edited;
}
