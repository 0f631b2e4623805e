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

// Runs once: no outcome depends on the database.

// Each rule names the only place for one kind of work.

const QUERY_CALLS = new Set([
  'selectFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
  'replaceInto',
  'mergeInto',
  'executeQuery',
]);

/** Modules that build or run statements. Any file may import the types of `base/database/fragment.ts`. */
const STATEMENT_MODULES = /^kysely$|\/database\/(?:fragment|query)\.ts$/;
const STATEMENT_TYPES: ReadonlySet<string> = new Set(['Fragment']);

const NAME = String.raw`(?:[a-z_][a-z0-9_]*|\$)`;
/**
 * Phrases of SQL in a literal, in lower case and with `$` for each inserted expression. Prose contains some of these
 * words, but not the names and operators that follow them in a statement.
 */
const SQL_PHRASES = [
  // `select a, b.c as d from e`
  String.raw`\bselect (?:distinct )?(?:\*|${NAME}(?:\.|,| as | from )|count\(|max\(|case |\d+ from )`,
  String.raw`\bexists ?\( ?select `,
  String.raw`\binsert (?:or \w+ )?into ${NAME} ?(?:\(|values|select)`,
  String.raw`\bupdate ${NAME} set ${NAME} ?=`,
  String.raw`\bdelete from ${NAME}(?: where |$)`,
  String.raw`\bjoin ${NAME} (?:as )?${NAME} on \(?${NAME}(?:\.| ?=)`,
  String.raw`\bunion all\b`,
  String.raw`\border by ${NAME}`,
  String.raw`\bwhere ${NAME}(?:\.${NAME})? ?(?:=|<|>|in ?\(|is (?:not )?null|like )`,
].map((phrase) => new RegExp(phrase));

/**
 * Parts of a store that other features use: their stores insert the text of `columns.ts`, and their services call the
 * functions of `writes.ts`.
 */
const OPEN_PARTS = /\/(?:columns|writes)\.ts$/;

/** Only stores, with the parts that other features use, and the database folder may have SQL. */
function sqlOutsideStores(source: Source): string[] {
  if (isStore(source) || folderOf(source) === 'database' || OPEN_PARTS.test(source.path)) return [];
  const imported = importsOf(source)
    .filter(
      ({ module, names }) =>
        STATEMENT_MODULES.test(module) && names.some((name) => !STATEMENT_TYPES.has(name)),
    )
    .map(({ node, module }) => problemAt(source, node, `imports SQL from ${module}`));
  const nodes = nodesIn(parse(source));
  const calls = nodes
    .filter((node) => ts.isCallExpression(node) && QUERY_CALLS.has(methodOf(node) ?? ''))
    .map((node) => problemAt(source, node, 'runs a query'));
  const written = nodes
    .filter((node) => isSqlText(literalText(node)))
    .map((node) => problemAt(source, node, 'has SQL in a literal'));
  return [...imported, ...calls, ...written];
}

/** Text of a string or template literal, with `$` for each inserted expression; undefined for other nodes. */
function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('$');
}

function isSqlText(text: string | undefined): boolean {
  const line = text?.toLowerCase().replaceAll(/\s+/g, ' ') ?? '';
  return SQL_PHRASES.some((phrase) => phrase.test(line));
}

/** Every function that a `writes.ts` exports takes `tx` first: other features call it inside their transactions. */
function writesWithoutTx(source: Source): string[] {
  if (!source.path.endsWith('/writes.ts')) return [];
  return parse(source)
    .statements.filter(isExported)
    .filter((node) => !ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node))
    .filter((node) => !ts.isFunctionDeclaration(node) || node.parameters[0]?.type?.getText() !== 'Tx')
    .map((node) => problemAt(source, node, 'exports what is not a function with `tx: Tx` first'));
}

function isExported(node: ts.Statement): boolean {
  if (ts.isExportDeclaration(node) || ts.isExportAssignment(node)) return true;
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/** A store stays private: no other file exports its functions again. */
function storesExportedAgain(source: Source): string[] {
  return parse(source)
    .statements.filter(ts.isExportDeclaration)
    .filter(({ moduleSpecifier }) =>
      /\/store(?:\.ts$|\/)/.test(moduleSpecifier?.getText().slice(1, -1) ?? ''),
    )
    .map((node) => problemAt(source, node, 'exports a part of a store again'));
}

/** Only `git/` may start child processes, because it enforces the rules for environment, arguments and time. */
function processesOutsideGit(source: Source): string[] {
  if (folderOf(source) === 'git') return [];
  return importsOf(source)
    .filter(({ module }) => /^(?:node:)?(?:child_process|cluster)$/.test(module))
    .map(({ node, module }) => problemAt(source, node, `imports ${module}`));
}

/** Files that may state that git finds every object in a folder. In all others, the compiler needs a proof. */
const GIT_FOLDER_SOURCES =
  /^src\/git\/(?:engine|folders\/repository-layout|maintenance\/(?:workshop|verify)|unadopted\/local-unadopted)\.ts$/;

function declaredGitFolders(source: Source): string[] {
  if (GIT_FOLDER_SOURCES.test(source.path)) return [];
  return nodesIn(parse(source))
    .filter((node) => ts.isAsExpression(node) && /^(?:GitDir|CompleteFolder)$/.test(node.type.getText()))
    .map((node) => problemAt(source, node, 'declares a folder that git may read'));
}

/** Only `app/config.ts` may read the environment: all settings come from one typed chain. */
function environmentOutsideConfig(source: Source): string[] {
  if (source.path === 'src/app/config.ts') return [];
  const imported = importsOf(source)
    .filter(
      ({ module, names }) =>
        /^(?:node:)?process$/.test(module) && names.some((name) => name === 'env' || name === '*'),
    )
    .map(({ node, module }) => problemAt(source, node, `imports ${module}, which holds the environment`));
  const read = nodesIn(parse(source))
    .filter(isEnvironment)
    .map((node) => problemAt(source, node, 'reads the environment'));
  return [...imported, ...read];
}

/** A throwaway server moves the present of all the rest. */
function machineTimeOutsideClock(source: Source): string[] {
  if (source.path.startsWith('src/base/core/time/')) return [];
  const isDate = (node: ts.Node) => ts.isIdentifier(node) && node.text === 'Date';
  return nodesIn(parse(source))
    .filter(
      (node) =>
        (ts.isPropertyAccessExpression(node) && isDate(node.expression) && node.name.text === 'now') ||
        (ts.isNewExpression(node) && isDate(node.expression) && (node.arguments ?? []).length === 0),
    )
    .map((node) => problemAt(source, node, 'reads the time of the machine: use currentTimeMs or realTimeMs'));
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
    rule: 'only stores have SQL',
    check: sqlOutsideStores,
    bad: [
      "import { sql } from 'kysely';",
      "import { fragment } from '../database/fragment.ts';",
      "import { type Fragment, raw } from '../database/fragment.ts';",
      "import { query } from '../database/query.ts';",
      "db.selectFrom('notes').execute();",
      "const { sql } = await import('kysely');",
      "const found = 'select id from notes';",
      `const found = \`select \${columns} from notes\`;`,
      "const found = 'SELECT * FROM notes';",
      'const found = `n.id in (\n  select n.id, n.path\n  from notes n)`;',
      "const seen = 'exists (select 1 from team_members where team_id = 1)';",
      `const added = \`insert into \${table} (id) values (1)\`;`,
      "const added = 'insert or ignore into notes select * from drafts';",
      "const changed = 'update notes set path = path';",
      `const gone = \`delete from \${table}\`;`,
      "const gone = 'delete from notes where id = 1';",
      "const joins = 'left join notebooks b on b.id = n.notebook_id';",
      "const both = first + ' union all ' + second;",
      "const ordered = 'order by n.path';",
      "const filter = 'where n.deleted_at is null';",
    ],
    good: [
      "import type { Database } from '../database/database.ts'; const from = select(listFrom('x'));",
      "import type { Fragment } from '../database/fragment.ts';",
      "throw new Error('select one of the notes from the list');",
      "throw invalid('update the note, and set its title');",
      "const help = 'delete from the list what you do not need; insert into it what is missing';",
      "const help = 'users join the team on Monday; repositories where pushes are rare';",
      `const line = \`updated \${count} notes and deleted \${rest} from \${folder}\`;`,
      "const options = ['select', 'from', 'where', 'join', 'order'];",
    ].join('\n'),
    exempt: [
      'src/notes/notebooks/store.ts',
      'src/notes/notebooks/store/search.ts',
      'src/api/access/store/x.ts',
      'src/people/accounts/columns.ts',
      'src/tracker/labels/writes.ts',
      'src/base/database/x.ts',
    ],
  },
  {
    rule: 'the writes of a feature take the transaction first',
    check: writesWithoutTx,
    file: 'src/tracker/labels/writes.ts',
    bad: [
      'export function setColor(id: number) {}',
      'export function setColor(db: Db, id: number) {}',
      'export function setColor(id: number, tx: Tx) {}',
      'export async function setColor() {}',
      'export const setColor = (id: number) => id;',
      "export { setColor } from './store.ts';",
    ],
    good: 'export interface Color {} export async function setColor(tx: Tx, id: number) {} function rgb(text: string) {}',
    exempt: ['src/tracker/labels/service.ts', 'src/tracker/labels/store.ts'],
  },
  {
    rule: 'no file exports a part of a store again',
    check: storesExportedAgain,
    bad: [
      "export { setColor } from './store.ts';",
      "export { setColor as keepColor } from './store/labels.ts';",
      "export * from '../store.ts';",
      "export type { Color } from './store/labels.ts';",
    ],
    good: "export { setColor } from './writes.ts'; import { setColor } from './store.ts'; export function change() {}",
    exempt: [],
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
    rule: 'only the engine, workshops and copies to adopt declare that git may read a folder',
    check: declaredGitFolders,
    bad: ['const dir = path as GitDir;', 'const folder = found as CompleteFolder;'],
    good: 'const folder: CompleteFolder = await engine.completeFolder(id, format);',
    exempt: ['src/git/engine.ts', 'src/git/maintenance/workshop.ts'],
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
  {
    rule: 'only base/core/time reads the time of the machine',
    check: machineTimeOutsideClock,
    bad: [
      'const at = Date.now();',
      'const clock = { now: Date.now };',
      'const year = new Date().getUTCFullYear();',
    ],
    good: 'const at = currentTimeMs(); const date = new Date(at); const day = Date.parse(text);',
    exempt: ['src/base/core/time/clock.ts'],
  },
];

let problems: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns the problems of the product by rule. Parsing takes longest, so each file is parsed once for all rules. */
function problemsOfProduct(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>(RULES.map(({ rule }) => [rule, []]));
  for (const source of productSources())
    for (const { rule, check } of RULES) found.get(rule)?.push(...check(source));
  return found;
}

for (const { rule, check, bad, good, exempt, file = 'src/notes/notebooks/service.ts' } of RULES) {
  test(rule, () => {
    problems ??= problemsOfProduct();
    assert.deepEqual(problems.get(rule), []);
  });

  test(`${rule}: each violation is found`, () => {
    for (const text of bad) assert.notDeepEqual(check(sample(file, text)), [], text);
    assert.deepEqual(check(sample(file, good)), []);
    for (const path of exempt) assert.deepEqual(check(sample(path, bad.join('\n'))), []);
  });
}
