import { numbersFrom } from './texts.ts';

/** Folders of the long history whose listings are measured. */
export const LONG = {
  root: '',
  /** 2,000 files */
  wide: 'wide',
  /** eight folders down, with 20 files */
  deep: 'deep/2/3/4/5/6/7/8',
  /** 10 files */
  ordinary: 'part-7/step-3',
} as const;

const FIRST_COMMIT_AT = 1_500_000_000;
/** Every n-th commit starts a branch of three commits, which the main branch merges after a commit of its own. */
const BRANCH_EVERY = 20;
const IDLE_TOGETHER = 10_000;

/**
 * Generates a history for `git fast-import`, the same in every run: small files in wide, deep and ordinary folders, and
 * many merges. A few files change often, most rarely, some never.
 *
 * @see git-fast-import(1), INPUT FORMAT
 */
export function* longHistoryStream(commits: number): Generator<string> {
  const numbers = numbersFrom(7);
  const random = () => numbers.next().value;
  const paths = pathsOf();
  const choose = () => paths[Math.floor(paths.length * random() ** 3)] ?? '';
  yield commitText({ mark: 1, ref: 'main', parents: [], paths });
  let tip = 1;
  for (let mark = 2; mark <= commits; mark += 1) {
    if (mark % BRANCH_EVERY !== 0 || mark + 4 > commits) {
      yield commitText({ mark, ref: 'main', parents: [tip], paths: [choose(), choose()] });
    } else {
      const changed = [choose(), choose(), choose()];
      for (const [index, path] of changed.entries()) {
        yield commitText({
          mark: mark + index,
          ref: 'side',
          parents: [index === 0 ? tip : mark + index - 1],
          paths: [path],
        });
      }
      yield commitText({ mark: mark + 3, ref: 'main', parents: [tip], paths: [choose()] });
      // fast-import takes the tree of the first parent, so the merge repeats the last texts of the branch.
      const texts = new Map(changed.map((path, index) => [path, mark + index]));
      yield commitText({
        mark: mark + 4,
        ref: 'main',
        parents: [mark + 3, mark + 2],
        paths: [...texts.keys()],
        texts,
      });
      mark += 4;
    }
    tip = mark;
  }
}

/** Generates commits that change nothing. A long history in the same stream continues them. */
export function* idleHistoryStream(commits: number): Generator<string> {
  for (let first = 0; first < commits; first += IDLE_TOGETHER) {
    const texts = Array.from({ length: Math.min(IDLE_TOGETHER, commits - first) }, (_, index) => {
      const seconds = FIRST_COMMIT_AT - 60 * (commits - first - index);
      return `commit refs/heads/main\ncommitter Bench <bench@example.org> ${seconds} +0000\ndata 5\nIdle\n\n`;
    });
    yield texts.join('');
  }
}

function pathsOf(): readonly string[] {
  const ordinary = Array.from({ length: 2_000 }, (_, index) => {
    const part = index % 20;
    const step = Math.floor(index / 20) % 10;
    return `part-${part}/step-${step}/file-${Math.floor(index / 200)}.txt`;
  });
  const root = Array.from({ length: 20 }, (_, index) => `page-${index}.md`);
  const deep = Array.from({ length: 20 }, (_, index) => `${LONG.deep}/file-${index}.txt`);
  const wide = Array.from({ length: 2_000 }, (_, index) => `${LONG.wide}/file-${index}.txt`);
  return [
    ...root.slice(0, 10),
    ...deep.slice(0, 10),
    ...ordinary,
    ...wide,
    ...root.slice(10),
    ...deep.slice(10),
  ];
}

interface CommitText {
  readonly mark: number;
  readonly ref: string;
  readonly parents: readonly number[];
  readonly paths: readonly string[];
  /** numbers in the texts of files; by default the mark */
  readonly texts?: ReadonlyMap<string, number>;
}

function commitText({ mark, ref, parents, paths, texts }: CommitText): string {
  const [first, ...merged] = parents;
  return [
    `commit refs/heads/${ref}`,
    `mark :${mark}`,
    `committer Bench <bench@example.org> ${FIRST_COMMIT_AT + mark * 60} +0000`,
    'data 0',
    '',
    ...(first === undefined ? [] : [`from :${first}`]),
    ...merged.map((parent) => `merge :${parent}`),
    ...[...new Set(paths)].map((path) => {
      const text = `${texts?.get(path) ?? mark} ${path}\n`;
      return `M 100644 inline ${path}\ndata ${text.length}\n${text}`;
    }),
    '',
  ].join('\n');
}
