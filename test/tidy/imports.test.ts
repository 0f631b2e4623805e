import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { ROOT } from './sources.ts';

const CRUISER = path.join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const CONFIG = path.join(ROOT, '.dependency-cruiser.mjs');

interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

/** Holds the imports below `root` against the rules in .dependency-cruiser.mjs. */
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

/** A tree of files that import one another as given; what is imported exists, too. */
function writeTree(t: TestContext, imports: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'quire-imports-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(path.join(root, 'tsconfig.json'), '{}');
  const files = new Map<string, string>();
  for (const imported of Object.values(imports)) files.set(imported, 'export const x = 1;\n');
  for (const [importing, imported] of Object.entries(imports)) {
    const specifier = path.relative(path.dirname(importing), imported);
    const text = `import { x } from './${specifier}';\nexport const y = x;\n`;
    files.set(importing, (files.get(importing) ?? '') + text);
  }
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

test('every folder imports only from folders before it, and nothing imports in a circle', () => {
  assert.deepEqual(violations(ROOT, ['src', 'testing']), []);
});

test('imports against the order are found, those along it are not', (t) => {
  const root = writeTree(t, {
    'src/core/a.ts': 'src/app/a.ts',
    'src/accounts/service.ts': 'src/tokens/service.ts',
    'src/notes/service.ts': 'src/accounts/store.ts',
    'src/notes/more.ts': 'src/contents/store/find.ts',
    'src/web/pages.ts': 'src/notes/routes.ts',
    'src/app/main.mjs': 'testing/index.ts',
    'src/elsewhere/a.ts': 'src/core/b.ts',
    'src/git/one.ts': 'src/git/two.ts',
    'src/git/two.ts': 'src/git/one.ts',
    // Right as they are:
    'src/app/compose.ts': 'src/notes/routes.ts',
    'src/repositories/pushes.ts': 'src/events/store.ts',
    'src/notes/find.ts': 'src/notes/store.ts',
    'testing/index.ts': 'src/app/start.ts',
  });

  const found = violations(root, ['src', 'testing']).map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`);

  assert.deepEqual(found.sort(), [
    'accounts-imports-only-earlier-folders: src/accounts/service.ts -> src/tokens/service.ts',
    'core-imports-only-earlier-folders: src/core/a.ts -> src/app/a.ts',
    'folder-has-no-place-in-the-order: src/elsewhere/a.ts -> src/core/b.ts',
    'no-cycle-at-run-time: src/git/one.ts -> src/git/two.ts',
    'product-imports-nothing-of-its-tests: src/app/main.mjs -> testing/index.ts',
    'routes-belong-to-their-feature: src/web/pages.ts -> src/notes/routes.ts',
    'store-belongs-to-its-feature: src/notes/more.ts -> src/contents/store/find.ts',
    'store-belongs-to-its-feature: src/notes/service.ts -> src/accounts/store.ts',
  ]);
});
