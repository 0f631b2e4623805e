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

// The embedded database has one writer per process: everyone waits for an await in a transaction, forever if it
// needs the database itself. So a transaction awaits only its Tx.

const TX_NAMES = new Set(['tx', 'trx']);
const COMBINING_CALLS = new Set(['Promise.all', 'Promise.allSettled', 'Promise.race', 'Promise.any']);

type FunctionNode = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

function foreignAwaits(source: Source): string[] {
  // The engines themselves run transactions.
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

/** The name of the parameter that holds the transaction; '' if the callback does not take it. */
function transactionParameter(node: FunctionNode): string | undefined {
  const declared = node.parameters.find(
    (parameter) => parameter.type?.getText() === 'Tx' || TX_NAMES.has(parameter.name.getText()),
  );
  if (declared !== undefined) return declared.name.getText();
  const call = node.parent;
  const isWork = ts.isCallExpression(call) && methodOf(call) === 'transaction' && call.arguments[0] === node;
  return isWork ? (node.parameters[0]?.name.getText() ?? '') : undefined;
}

/** Awaits in `body` that do not depend on one of `names`. Also inspects functions inside it. */
function awaitsIn(body: ts.Node, names: Set<string>): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    // Has its own transaction and is checked separately.
    if (node !== body && isFunctionWithBody(node) && transactionParameter(node) !== undefined) return;
    // `const query = tx.selectFrom(…)`: a value built from the transaction depends on it.
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined)
      learnNames(node, node.initializer, names);
    if (ts.isAwaitExpression(node) && !hangsOn(node.expression, names)) found.push(node);
    if (ts.isForOfStatement(node) && node.awaitModifier !== undefined && !hangsOn(node.expression, names)) {
      found.push(node);
    }
    if (ts.isVariableDeclarationList(node) && isAwaitUsing(node)) found.push(node);
    node.forEachChild(visit);
  };
  visit(body);
  return found;
}

function learnNames(
  declaration: ts.VariableDeclaration,
  initializer: ts.Expression,
  names: Set<string>,
): void {
  if (!ts.isIdentifier(declaration.name)) return;
  // The result of an await is a value, not a query.
  if (!ts.isAwaitExpression(initializer) && hangsOn(initializer, names)) names.add(declaration.name.text);
}

function isAwaitUsing(node: ts.VariableDeclarationList): boolean {
  return (node.flags & ts.NodeFlags.AwaitUsing) === ts.NodeFlags.AwaitUsing;
}

function hangsOn(node: ts.Expression, names: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(node)) return names.has(node.text);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return hangsOn(node.expression, names);
  if (ts.isPropertyAccessExpression(node)) return hangsOn(node.expression, names);
  if (ts.isArrayLiteralExpression(node)) return node.elements.every((element) => hangsOn(element, names));
  if (ts.isConditionalExpression(node))
    return hangsOn(node.whenTrue, names) && hangsOn(node.whenFalse, names);
  if (ts.isBinaryExpression(node)) return hangsOn(node.left, names) || hangsOn(node.right, names);
  return ts.isCallExpression(node) && callHangsOn(node, names);
}

function callHangsOn(call: ts.CallExpression, names: ReadonlySet<string>): boolean {
  if (COMBINING_CALLS.has(call.expression.getText()))
    return call.arguments.every((each) => hangsOn(each, names));
  if (hangsOn(call.expression, names)) return true;
  return call.arguments.some((argument) => isGiven(argument, names) || mapsOnto(call, argument, names));
}

/** `store.find(tx, …)`, `store.find({ tx, … })` */
function isGiven(argument: ts.Expression, names: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(argument)) return names.has(argument.text);
  if (!ts.isObjectLiteralExpression(argument)) return false;
  return argument.properties.some((property) => {
    if (ts.isShorthandPropertyAssignment(property)) return names.has(property.name.text);
    return ts.isPropertyAssignment(property) && isGiven(property.initializer, names);
  });
}

/** `rows.map((row) => insert(tx, row))` */
function mapsOnto(call: ts.CallExpression, argument: ts.Expression, names: ReadonlySet<string>): boolean {
  if (methodOf(call) !== 'map' || !ts.isArrowFunction(argument)) return false;
  return !ts.isBlock(argument.body) && hangsOn(argument.body, names);
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
  assert.deepEqual(foreignAwaits(sample('src/notes/service.ts', text)), []);
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
    assert.equal(foreignAwaits(sample('src/notes/service.ts', text)).length, 1, text);
  }
});
