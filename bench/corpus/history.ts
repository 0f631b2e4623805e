import { numbersFrom, textOfBytes } from './texts.ts';

/** Paths in the large repository that rows read. */
export const LARGE = {
  /** 10 KB; changes occasionally */
  file: 'reckoning.txt',
  /** number of entries in the root, including this file and the folders */
  twenty: '',
  /** a folder with 100 files */
  hundred: 'cards',
} as const;

const ROOT_ENTRIES = 20;
const HUNDRED = 100;
const SOURCE_FOLDERS = 40;
const FILES_PER_SOURCE_FOLDER = 10;
const FIRST_COMMIT_AT = 1_600_000_000;
const SECONDS_BETWEEN = 600;
/** Every n-th commit merges a branch of one commit. */
const MERGE_EVERY = 25;

interface File {
  readonly path: string;
  readonly lines: string[];
}

/**
 * Generates a history with merges for `git fast-import`, the same in every run. Each commit changes one line of one file.
 * As in real repositories, a few files change often, most rarely, some never, so the last commits of the entries of a
 * folder are spread between the tip and the root.
 *
 * @see git-fast-import(1), INPUT FORMAT
 */
export function* historyStream(commits: number): Generator<string> {
  const numbers = numbersFrom(1);
  const random = () => numbers.next().value;
  const { root, cards, source } = firstFiles();
  yield commitText(1, { message: 'Begin', parents: [], files: [...root, ...cards, ...source] });
  let tip = 1;
  for (let mark = 2; mark <= commits; mark += 1) {
    const file = chooseFile(random, { root, cards, source });
    changeLine(file, random, mark);
    if (mark % MERGE_EVERY === 0 && mark < commits) {
      yield commitText(mark, { message: `Change ${file.path}`, parents: [tip], files: [file], ref: 'side' });
      const other = chooseFile(random, { root, cards, source });
      changeLine(other, random, mark + 1);
      yield commitText(mark + 1, { message: 'Merge side', parents: [tip, mark], files: [file, other] });
      mark += 1;
    } else yield commitText(mark, { message: `Change ${file.path}`, parents: [tip], files: [file] });
    tip = mark;
  }
}

function firstFiles() {
  const root = Array.from({ length: ROOT_ENTRIES - 3 }, (_, index) =>
    fileOf(`page-${index}.md`, 1500, index),
  );
  root.push(fileOf(LARGE.file, 10 * 1024, 99));
  const cards = Array.from({ length: HUNDRED }, (_, index) =>
    fileOf(`${LARGE.hundred}/card-${index}.txt`, 1200, 100 + index),
  );
  const source = Array.from({ length: SOURCE_FOLDERS * FILES_PER_SOURCE_FOLDER }, (_, index) => {
    const folder = Math.floor(index / FILES_PER_SOURCE_FOLDER);
    return fileOf(`source/part-${folder}/step-${index % FILES_PER_SOURCE_FOLDER}.txt`, 1200, 300 + index);
  });
  return { root, cards, source };
}

function fileOf(path: string, bytes: number, seed: number): File {
  return { path, lines: textOfBytes(bytes, seed).trimEnd().split('\n') };
}

function chooseFile(
  random: () => number,
  files: { root: readonly File[]; cards: readonly File[]; source: readonly File[] },
): File {
  const kind = random();
  const from = kind < 0.6 ? files.source : kind < 0.85 ? files.cards : files.root;
  // With the fourth power, the first files change often and the last ones almost never.
  const file = from[Math.floor(from.length * random() ** 4)];
  if (file === undefined) throw new Error('no file to change');
  return file;
}

/** Keeps the length of the line, so that file sizes stay the same. */
function changeLine(file: File, random: () => number, mark: number): void {
  const index = Math.floor(file.lines.length * random());
  const { length } = file.lines[index] ?? '';
  file.lines[index] = `${mark} changed `.padEnd(length, '=').slice(0, length);
}

function commitText(
  mark: number,
  commit: { message: string; parents: readonly number[]; files: readonly File[]; ref?: string },
): string {
  const [first, ...merged] = commit.parents;
  return [
    `commit refs/heads/${commit.ref ?? 'main'}`,
    `mark :${mark}`,
    `committer Bench <bench@example.org> ${FIRST_COMMIT_AT + mark * SECONDS_BETWEEN} +0000`,
    data(commit.message),
    ...(first === undefined ? [] : [`from :${first}`]),
    ...merged.map((parent) => `merge :${parent}`),
    ...commit.files.map(({ path, lines }) => `M 100644 inline ${path}\n${data(`${lines.join('\n')}\n`)}`),
    '\n',
  ].join('\n');
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

/**
 * Generates notes in categories for `git fast-import`.
 *
 * @param bytesEach average size of a note
 */
export function* notebookStream(notes: number, bytesEach = 750): Generator<string> {
  const files = Array.from({ length: notes }, (_, index) =>
    fileOf(`category-${index % 50}/note ${index}.md`, bytesEach - 350 + (index % 700), index),
  );
  yield commitText(1, { message: 'Begin', parents: [], files });
}
