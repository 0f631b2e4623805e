import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { afterTest } from '../support/after-test.ts';
import { productSources, ROOT, type Source, sample } from './sources.ts';

// Runs once: no outcome depends on the database.

const CRUISER = path.join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const CONFIG = path.join(ROOT, '.dependency-cruiser.mjs');

interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

/** Checks the imports below `root` against .dependency-cruiser.mjs, as `npm run check` does for the project. */
function violations(root: string, folders: readonly string[]): readonly Violation[] {
  const run = spawnSync(
    process.execPath,
    [CRUISER, '--config', CONFIG, '--output-type', 'json', ...folders],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  assert.match(run.stdout, /^\{/, run.stderr);
  const { summary } = JSON.parse(run.stdout) as {
    summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] };
  };
  assert.ok(summary.totalCruised > 0, 'no module was read');
  return summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}

/** What a file imports: a path, or `type` and a path for `import type`. */
type Imported = string;

/** Writes a tree of files with these imports, including the imported files. */
function writeTree(t: TestContext, imports: Readonly<Record<string, Imported>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'quire-imports-'));
  afterTest(t, () => rmSync(root, { recursive: true, force: true }));
  writeFileSync(path.join(root, 'tsconfig.json'), '{}');
  const files = new Map<string, string>();
  for (const imported of Object.values(imports)) files.set(pathOf(imported), 'export const x = 1;\n');
  for (const [importing, imported] of Object.entries(imports)) {
    files.set(importing, (files.get(importing) ?? '') + importText(importing, imported));
  }
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

function pathOf(imported: Imported): string {
  return imported.replace(/^type /, '');
}

function importText(importing: string, imported: Imported): string {
  const specifier = path.relative(path.dirname(importing), pathOf(imported));
  if (imported === pathOf(imported)) return `import { x } from './${specifier}';\nexport const y = x;\n`;
  return `import type { x } from './${specifier}';\nexport type Y = typeof x;\n`;
}

test('imports that break a rule are found, and others are not', (t) => {
  const root = writeTree(t, {
    'src/base/core/a.ts': 'src/app/a.ts',
    'src/people/accounts/service.ts': 'src/people/tokens/service.ts',
    'src/notes/notebooks/service.ts': 'src/people/accounts/store.ts',
    'src/notes/notebooks/more.ts': 'src/code/contents/store/find.ts',
    'src/web/pages.ts': 'src/notes/notebooks/routes.ts',
    'src/web/more.ts': 'src/people/teams/member-routes.ts',
    'src/web/nested.ts': 'src/hosting/repositories/collaborators/routes.ts',
    'src/notes/notebooks/nested.ts': 'src/code/contents/last-commits/store.ts',
    'src/app/main.mjs': 'testing/index.ts',
    'src/elsewhere/a.ts': 'src/base/core/b.ts',
    'src/git/one.ts': 'src/git/two.ts',
    'src/git/two.ts': 'src/git/one.ts',
    'src/git/three.ts': 'type src/git/four.ts',
    'src/git/four.ts': 'src/git/three.ts',
    'src/git/five.ts': 'type src/git/six.ts',
    'src/git/six.ts': 'type src/git/five.ts',
    'src/git/format/tree.ts': 'src/git/objects/cat-file.ts',
    'src/hosting/stars/marks.ts': 'src/api/access/store/account.ts',
    'src/git/objects/read.ts': 'src/git/packs/write.ts',
    'src/notes/notebooks/other/a.ts': 'src/notes/notebooks/model.ts',
    'src/git/interface/refs.ts': 'src/git/folders/layout.ts',
    'src/code/tags/files.ts': 'src/git/folders/layout.ts',
    'src/app/files.ts': 'src/git/folders/layout.ts',
    // Allowed:
    'src/app/settings.ts': 'src/git/create.ts',
    'src/code/tags/create.ts': 'src/git/interface/storage.ts',
    'src/git/packs/more.ts': 'src/git/objects/more.ts',
    'src/git/format/commit.ts': 'src/base/core/failure.ts',
    'src/hosting/topics/store.ts': 'src/api/access/store/account.ts',
    'src/people/teams/store/find.ts': 'src/api/access/store/account.ts',
    'src/app/compose.ts': 'src/notes/notebooks/routes.ts',
    'src/hosting/repositories/refs/pushes.ts': 'src/base/events/store.ts',
    'src/notes/notebooks/find.ts': 'src/notes/notebooks/store.ts',
    'testing/index.ts': 'src/app/start.ts',
  });

  const found = violations(root, ['src', 'testing']).map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`);

  assert.deepEqual(found.sort(), [
    'access-expressions-belong-in-statements: src/hosting/stars/marks.ts -> src/api/access/store/account.ts',
    'base-core-imports-only-earlier-folders: src/base/core/a.ts -> src/app/a.ts',
    'folder-is-not-in-the-order: src/elsewhere/a.ts -> src/base/core/b.ts',
    'git-format-imports-only-earlier-rooms: src/git/format/tree.ts -> src/git/objects/cat-file.ts',
    'git-formats-are-pure: src/git/format/tree.ts -> src/git/objects/cat-file.ts',
    'git-interface-imports-only-earlier-rooms: src/git/interface/refs.ts -> src/git/folders/layout.ts',
    'git-interfaces-know-no-implementation: src/git/interface/refs.ts -> src/git/folders/layout.ts',
    'git-is-used-through-its-interfaces: src/code/tags/files.ts -> src/git/folders/layout.ts',
    'git-objects-imports-only-earlier-rooms: src/git/objects/read.ts -> src/git/packs/write.ts',
    'no-cycle: src/git/five.ts -> src/git/six.ts',
    'no-cycle: src/git/four.ts -> src/git/three.ts',
    'no-cycle: src/git/one.ts -> src/git/two.ts',
    'people-accounts-imports-only-earlier-folders: src/people/accounts/service.ts -> src/people/tokens/service.ts',
    'product-imports-nothing-of-its-tests: src/app/main.mjs -> testing/index.ts',
    'program-creates-git: src/app/files.ts -> src/git/folders/layout.ts',
    'room-of-notes-notebooks-is-not-in-the-order: src/notes/notebooks/other/a.ts -> src/notes/notebooks/model.ts',
    'routes-belong-to-their-feature: src/web/more.ts -> src/people/teams/member-routes.ts',
    'routes-belong-to-their-feature: src/web/nested.ts -> src/hosting/repositories/collaborators/routes.ts',
    'routes-belong-to-their-feature: src/web/pages.ts -> src/notes/notebooks/routes.ts',
    'store-belongs-to-its-feature: src/notes/notebooks/more.ts -> src/code/contents/store/find.ts',
    'store-belongs-to-its-feature: src/notes/notebooks/nested.ts -> src/code/contents/last-commits/store.ts',
    'store-belongs-to-its-feature: src/notes/notebooks/service.ts -> src/people/accounts/store.ts',
  ]);
});

/** Finds names that a late import takes from a CommonJS package: a build has only `default` of such a package. */
function lateNamesOfCommonJs({ path: file, text }: Source): readonly string[] {
  const late = /\{ ([^}]+) \} = await import\('((?:@[^/']+\/)?[^/'.:]+)[^':]*'\)/g;
  return [...text.matchAll(late)].flatMap(([, names = '', name = '']) => {
    const { type } = JSON.parse(readFileSync(path.join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
    return type === 'module' || /^default: \w+$/.test(names) ? [] : [`${file} takes ${names} from ${name}`];
  });
}

test('late imports of CommonJS packages take what a build has', () => {
  assert.deepEqual(productSources().flatMap(lateNamesOfCommonJs), []);
  const named = sample('src/notes/notebooks/all.ts', "const { detect } = await import('chardet');");
  assert.deepEqual(lateNamesOfCommonJs(named), ['src/notes/notebooks/all.ts takes detect from chardet']);
});
