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

// The embedded database has one writer per process. While a transaction awaits, all other writes wait, and an await
// that needs the database never ends. So a transaction awaits only its Tx.

const TX_NAMES = new Set(['tx', 'trx']);
const COMBINING_CALLS = new Set(['Promise.all', 'Promise.allSettled', 'Promise.race', 'Promise.any']);

type FunctionNode = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

function foreignAwaits(source: Source): string[] {
  // The engines implement transactions.
  if (folderOf(source) === 'database') return [];
  return [...nodesIn(parse(source))]
    .filter(isFunctionWithBody)
    .flatMap((node) => {
      const tx = transactionParameter(node);
      return tx === undefined ? [] : awaitsIn(node.body, new Set([tx]));
    })
    .map((node) => problemAt(source, node, `awaits something else in a transaction: ${firstLine(node)}`));
}

function isFunctionWithBody(node: ts.Node): node is FunctionNode {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

/** Name of the parameter for the transaction; '' if the callback has none; undefined outside a transaction. */
function transactionParameter(node: FunctionNode): string | undefined {
  const declared = node.parameters.find(
    (parameter) => parameter.type?.getText() === 'Tx' || TX_NAMES.has(parameter.name.getText()),
  );
  if (declared !== undefined) return declared.name.getText();
  const call = node.parent;
  const isWork = ts.isCallExpression(call) && methodOf(call) === 'transaction' && call.arguments[0] === node;
  return isWork ? (node.parameters[0]?.name.getText() ?? '') : undefined;
}

/** Finds awaits in `body`, and in functions inside it, that do not depend on one of `names`. */
function awaitsIn(body: ts.Node, names: Set<string>): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    // A function with its own transaction is checked separately.
    if (node !== body && isFunctionWithBody(node) && transactionParameter(node) !== undefined) return;
    // A value built from the transaction depends on it: `const query = tx.selectFrom(…)`.
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined)
      addDependentName(node, node.initializer, names);
    if (ts.isAwaitExpression(node) && !dependsOn(node.expression, names)) found.push(node);
    if (ts.isForOfStatement(node) && node.awaitModifier !== undefined && !dependsOn(node.expression, names)) {
      found.push(node);
    }
    if (ts.isVariableDeclarationList(node) && isAwaitUsing(node)) found.push(node);
    node.forEachChild(visit);
  };
  visit(body);
  return found;
}

function addDependentName(
  declaration: ts.VariableDeclaration,
  initializer: ts.Expression,
  names: Set<string>,
): void {
  if (!ts.isIdentifier(declaration.name)) return;
  // The result of an await is a value, not a query.
  if (!ts.isAwaitExpression(initializer) && dependsOn(initializer, names)) names.add(declaration.name.text);
}

function isAwaitUsing(node: ts.VariableDeclarationList): boolean {
  return (node.flags & ts.NodeFlags.AwaitUsing) === ts.NodeFlags.AwaitUsing;
}

function dependsOn(node: ts.Expression, names: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(node)) return names.has(node.text);
  if (ts.isObjectLiteralExpression(node)) return passesName(node, names);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return dependsOn(node.expression, names);
  if (ts.isPropertyAccessExpression(node)) return dependsOn(node.expression, names);
  if (ts.isArrayLiteralExpression(node)) return node.elements.every((element) => dependsOn(element, names));
  if (ts.isConditionalExpression(node))
    return dependsOn(node.whenTrue, names) && dependsOn(node.whenFalse, names);
  if (ts.isBinaryExpression(node)) return dependsOn(node.left, names) || dependsOn(node.right, names);
  return ts.isCallExpression(node) && callDependsOn(node, names);
}

function callDependsOn(call: ts.CallExpression, names: ReadonlySet<string>): boolean {
  if (COMBINING_CALLS.has(call.expression.getText()))
    return call.arguments.every((each) => dependsOn(each, names));
  if (dependsOn(call.expression, names)) return true;
  return call.arguments.some(
    (argument) => passesName(argument, names) || mapsDependently(call, argument, names),
  );
}

/** `store.find(tx, …)`, `store.find({ tx, … })` */
function passesName(argument: ts.Expression, names: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(argument)) return names.has(argument.text);
  if (!ts.isObjectLiteralExpression(argument)) return false;
  return argument.properties.some((property) => {
    if (ts.isShorthandPropertyAssignment(property)) return names.has(property.name.text);
    return ts.isPropertyAssignment(property) && passesName(property.initializer, names);
  });
}

/** `rows.map((row) => insert(tx, row))` */
function mapsDependently(
  call: ts.CallExpression,
  argument: ts.Expression,
  names: ReadonlySet<string>,
): boolean {
  if (methodOf(call) !== 'map' || !ts.isArrowFunction(argument)) return false;
  return !ts.isBlock(argument.body) && dependsOn(argument.body, names);
}

function firstLine(node: ts.Node): string {
  return node.getText().split('\n')[0] ?? '';
}

test('a transaction awaits only its Tx', () => {
  assert.deepEqual(productSources().flatMap(foreignAwaits), []);
});

test('an await that depends on the transaction is allowed', () => {
  const text = `
    await database.transaction(async (tx) => {
      await insertNote(tx, note);
      await tx.updateTable('notes').set({ title }).execute();
      await git.setHead(id, head, tx);
      await listener({ tx, change });
      const query = tx.selectFrom('notes').select('id');
      const rows = await query.where('id', '=', 1).execute();
      await Promise.all(rows.map((row) => touch(tx, row)));
      await Promise.all([one(tx), two(tx)]);
      await (isNew ? insert(tx) : update(tx));
      await this.#listener?.(tx);
    });
    await git.store(blob);
    async function record(handle: Tx) { for (const each of all) await each(handle); }
  `;
  assert.deepEqual(foreignAwaits(sample('src/notes/notebooks/service.ts', text)), []);
});

test('every other await in a transaction is found', () => {
  const bad = [
    'database.transaction(async (tx) => { await git.readBlob(id); });',
    'database.transaction(async () => { await sleep(10); });',
    'database.transaction(async (tx) => { const rows = await list(tx); await rows; });',
    'database.transaction(async (tx) => { await find(database.reader, 1); });',
    'database.transaction(async (tx) => { await Promise.all([insert(tx), fetch(url)]); });',
    'database.transaction(async (tx) => { await Promise.all(all.map((each) => send(each))); });',
    'database.transaction(async (tx) => { for await (const row of stream) use(row); });',
    'database.transaction(async (tx) => { await using file = open(name); });',
    'database.transaction(async (tx) => { const later = async () => { await sleep(1); }; });',
    'async function record(handle: Tx) { await sleep(1); }',
    'const hooks = { inTransaction: async (tx, moved) => { await publish(moved); } };',
    'class A { async #record(tx: Tx) { await this.#git.sync(); } }',
  ];
  for (const text of bad) {
    assert.equal(foreignAwaits(sample('src/notes/notebooks/service.ts', text)).length, 1, text);
  }
});
