import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import {
  folderOf,
  importsOf,
  isStore,
  methodOf,
  nodesIn,
  parse,
  problemAt,
  productSources,
  type Source,
  sample,
} from './sources.ts';

// Some things are done in one place only, so that the place can be read and trusted.

const QUERY_CALLS = new Set([
  'selectFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
  'replaceInto',
  'mergeInto',
  'executeQuery',
]);

/** SQL stands in stores, and in the database folder that carries it out. */
function sqlOutsideStores(source: Source): string[] {
  if (isStore(source) || folderOf(source) === 'database') return [];
  const imported = importsOf(source)
    .filter(({ module, names }) => module === 'kysely' || names.includes('hotQuery'))
    .map(({ node, module }) => problemAt(source, node, `imports SQL from ${module}`));
  const asked = [...nodesIn(parse(source))]
    .filter((node) => ts.isCallExpression(node) && QUERY_CALLS.has(methodOf(node) ?? ''))
    .map((node) => problemAt(source, node, 'asks the database itself'));
  return [...imported, ...asked];
}

/** Child processes are git's, with its rules about environment, arguments and time. */
function processesOutsideGit(source: Source): string[] {
  if (folderOf(source) === 'git') return [];
  return importsOf(source)
    .filter(({ module }) => /^(?:node:)?(?:child_process|cluster)$/.test(module))
    .map(({ node, module }) => problemAt(source, node, `imports ${module}`));
}

/** Settings come in by one typed chain. */
function environmentOutsideConfig(source: Source): string[] {
  if (source.path === 'src/app/config.ts') return [];
  const imported = importsOf(source)
    .filter(
      ({ module, names }) =>
        /^(?:node:)?process$/.test(module) && names.some((name) => name === 'env' || name === '*'),
    )
    .map(({ node, module }) => problemAt(source, node, `imports ${module}, which holds the environment`));
  const read = [...nodesIn(parse(source))]
    .filter(isEnvironment)
    .map((node) => problemAt(source, node, 'reads the environment'));
  return [...imported, ...read];
}

function isEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return isProcess(node.expression) && node.name.text === 'env';
  if (ts.isElementAccessExpression(node)) return isProcess(node.expression);
  // const { env } = process
  return (
    ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && isProcess(node.initializer)
  );
}

function isProcess(node: ts.Node | undefined): boolean {
  const text = node?.getText();
  return text === 'process' || text === 'globalThis.process';
}

const RULES = [
  {
    rule: 'SQL stands in stores only',
    check: sqlOutsideStores,
    bad: [
      "import { sql } from 'kysely';",
      "import { hotQuery } from '../database/database.ts';",
      "db.selectFrom('notes').execute();",
      "const { sql } = await import('kysely');",
    ],
    good: "import type { Database } from '../database/database.ts'; const from = select(listFrom('x'));",
    exempt: ['src/notes/store.ts', 'src/notes/store/search.ts', 'src/database/x.ts'],
  },
  {
    rule: 'only git/ starts processes',
    check: processesOutsideGit,
    bad: [
      "import { spawn } from 'node:child_process';",
      "import { execFile } from 'child_process';",
      "await import('node:child_process');",
      "process.getBuiltinModule('child_process');",
      "export * from 'node:child_process';",
    ],
    good: "import { spawnGit } from '../git/process.ts';",
    exempt: ['src/git/process.ts'],
  },
  {
    rule: 'only app/config.ts reads the environment',
    check: environmentOutsideConfig,
    bad: [
      'const home = process.env.HOME;',
      "const home = process['env'].HOME;",
      'const { env } = process;',
      "import { env } from 'node:process';",
      "import process from 'node:process';",
    ],
    good: "import { stdout } from 'node:process'; const env = { HOME: '' }; env.HOME; process.on('exit', stop);",
    exempt: ['src/app/config.ts'],
  },
];

for (const { rule, check, bad, good, exempt } of RULES) {
  test(rule, () => {
    assert.deepEqual(productSources().flatMap(check), []);
  });

  test(`${rule}: each way around it is found`, () => {
    for (const text of bad) assert.notDeepEqual(check(sample('src/notes/service.ts', text)), [], text);
    assert.deepEqual(check(sample('src/notes/service.ts', good)), []);
    for (const path of exempt) assert.deepEqual(check(sample(path, bad.join('\n'))), []);
  });
}
