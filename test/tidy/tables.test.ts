import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import {
  folderOf,
  methodOf,
  nodesIn,
  parse,
  problemAt,
  productSources,
  type Source,
  sample,
} from './sources.ts';

// Runs once: no outcome depends on the database.

// One feature writes each table, and the comment in src/base/database/schema names it. Other features may join the table.

const SCHEMA = /^src\/base\/database\/schema\//;
const WRITING_CALLS = new Set(['insertInto', 'updateTable', 'deleteFrom', 'replaceInto', 'mergeInto']);
// `on conflict … do update set …` names no table, so `do update` does not match.
const WRITING_SQL =
  /\b(?:insert\s+(?:or\s+\w+\s+)?into|(?<!do )update|delete\s+from|replace\s+into)\s+"?([a-z_]+)/gi;

/** Maps each table to the folder that writes it. */
function ownersOf(sources: readonly Source[]): { owners: Map<string, string>; problems: string[] } {
  const schema = sources.filter((source) => SCHEMA.test(source.path));
  const writers = new Map(schema.flatMap((source) => [...writersIn(source)]));
  const owners = new Map<string, string>();
  const problems: string[] = [];
  for (const source of schema) {
    for (const { table, type, node } of tablesIn(source)) {
      const owner = writers.get(type);
      if (owner === undefined)
        problems.push(problemAt(source, node, `${type} has no "Written by \`folder/\`"`));
      else owners.set(table, owner);
    }
  }
  return { owners, problems };
}

function* writersIn(source: Source): Generator<[string, string]> {
  for (const node of nodesIn(parse(source))) {
    if (!ts.isInterfaceDeclaration(node)) continue;
    const comments = ts.getJSDocCommentsAndTags(node).map((comment) => comment.getText());
    const writer = /Written by `([a-z-]+)\/`/.exec(comments.join('\n'))?.[1];
    if (writer !== undefined) yield [node.name.text, writer];
  }
}

/** Yields the members of the interfaces that list tables: `accounts: AccountsTable`. */
function* tablesIn(source: Source): Generator<{ table: string; type: string; node: ts.Node }> {
  for (const node of nodesIn(parse(source))) {
    if (!ts.isInterfaceDeclaration(node) || !node.name.text.endsWith('Tables')) continue;
    for (const member of node.members) {
      if (!ts.isPropertySignature(member) || member.type === undefined) continue;
      yield { table: member.name.getText(), type: member.type.getText(), node: member };
    }
  }
}

function foreignWrites(sources: readonly Source[], owners: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const source of sources.filter((each) => folderOf(each) !== 'database')) {
    for (const { table, node } of writesIn(source)) {
      const owner = owners.get(table);
      if (owner === undefined)
        problems.push(problemAt(source, node, `writes ${table}, which is not a table`));
      else if (owner !== folderOf(source))
        problems.push(problemAt(source, node, `writes ${table} of ${owner}/`));
    }
  }
  return problems;
}

function* writesIn(source: Source): Generator<{ table: string; node: ts.Node }> {
  for (const node of nodesIn(parse(source))) {
    if (ts.isCallExpression(node) && WRITING_CALLS.has(methodOf(node) ?? '')) {
      const [table] = node.arguments;
      yield {
        table: table !== undefined && ts.isStringLiteralLike(table) ? table.text : '(a computed name)',
        node,
      };
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      if (isSql(node)) {
        for (const [, table = ''] of node.getText().matchAll(WRITING_SQL))
          yield { table: table.toLowerCase(), node };
      }
    }
  }
}

/** Whether a text is a `sql` or `fragment` template, or is passed to a call that makes SQL of it. Prose has "update" too. */
function isSql(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isTaggedTemplateExpression(parent)) return /^(?:sql|fragment)\b/.test(parent.tag.getText());
  return ts.isCallExpression(parent) && /^(?:sql\b|CompiledQuery\.raw$)/.test(parent.expression.getText());
}

test('every table names the folder that writes it, and no other folder writes it', () => {
  const sources = productSources();
  const { owners, problems } = ownersOf(sources);
  assert.ok(owners.size > 0, 'no table was found');
  assert.deepEqual([...problems, ...foreignWrites(sources, owners)], []);
});

test('a table that names no writer is found', () => {
  const schema = sample(
    'src/base/database/schema/x.ts',
    '/** Written by `notebooks/`. */ interface A { id: number } interface B { id: number } interface XTables { a: A; b: B }',
  );
  const { owners, problems } = ownersOf([schema]);
  assert.deepEqual([...owners], [['a', 'notebooks']]);
  assert.deepEqual(problems, ['src/base/database/schema/x.ts:1 B has no "Written by `folder/`"']);
});

test('writes by another folder are found in every form', () => {
  const owners = new Map([
    ['notes', 'notebooks'],
    ['tokens', 'tokens'],
  ]);
  const text = [
    "tx.insertInto('tokens').execute();",
    'tx.deleteFrom(table).execute();',
    'sql`delete from tokens where id = 1`.execute(tx);',
    "CompiledQuery.raw('update tokens set name = 1');",
    'fragment`insert into notes (id) values (1) on conflict (id) do update set id = 1`;',
    "tx.updateTable('notes').execute();",
    'fragment`update tokens set name = 1`;',
    "throw new Error('update tokens first');",
    "tx.selectFrom('tokens').execute();",
  ].join('\n');
  assert.deepEqual(foreignWrites([sample('src/notes/notebooks/store.ts', text)], owners), [
    'src/notes/notebooks/store.ts:1 writes tokens of tokens/',
    'src/notes/notebooks/store.ts:2 writes (a computed name), which is not a table',
    'src/notes/notebooks/store.ts:3 writes tokens of tokens/',
    'src/notes/notebooks/store.ts:4 writes tokens of tokens/',
    'src/notes/notebooks/store.ts:7 writes tokens of tokens/',
  ]);
});
