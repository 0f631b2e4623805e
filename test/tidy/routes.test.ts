import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { ACTIONS } from '../../src/access/policy.ts';
import {
  methodOf,
  nodesIn,
  parse,
  problemAt,
  productSources,
  type Source,
  sample,
  textOf,
} from './sources.ts';

// A route that states no action would be open to everybody without anyone having decided so. The server refuses to start
// with one; here it is found without starting anything, also where a route is only registered with some settings.

const ROUTE_CALLS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'all', 'route']);

function routesWithoutAction(source: Source, actions: ReadonlySet<string>): string[] {
  return routesIn(source).flatMap((call) => {
    const stated = statedActions(source, call);
    if (stated.length === 0) return [problemAt(source, call, 'is a route that states no action')];
    return stated
      .filter((action) => !actions.has(action))
      .map((action) => problemAt(source, call, `states an action that is not in the table: ${action}`));
  });
}

function routesIn(source: Source): ts.CallExpression[] {
  return [...nodesIn(parse(source))].filter((node) => ts.isCallExpression(node)).filter(isRoute);
}

function isRoute(call: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(call.expression) || !ROUTE_CALLS.has(methodOf(call) ?? '')) return false;
  return /(?:^|\.#?)app$/.test(call.expression.expression.getText());
}

/** The actions in `config: { action: … }` of a route's options; several where an expression chooses. */
function statedActions(source: Source, call: ts.CallExpression): readonly string[] {
  for (const argument of call.arguments) {
    const config = propertyOf(argument, 'config');
    const action = config && propertyOf(resolve(source, config), 'action');
    if (action !== undefined) return choicesOf(action).map(textOf);
  }
  return [];
}

function propertyOf(node: ts.Node, name: string): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  for (const property of node.properties) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

/** Follows a name to the constant of the same file that it stands for. */
function resolve(source: Source, node: ts.Expression): ts.Expression {
  if (!ts.isIdentifier(node)) return node;
  for (const each of nodesIn(parse(source))) {
    if (!ts.isVariableDeclaration(each) || each.name.getText() !== node.text) continue;
    if (each.initializer !== undefined) return withoutCast(each.initializer);
  }
  return node;
}

function withoutCast(node: ts.Expression): ts.Expression {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? withoutCast(node.expression) : node;
}

function choicesOf(node: ts.Expression): readonly ts.Expression[] {
  const plain = withoutCast(node);
  if (!ts.isConditionalExpression(plain)) return [plain];
  return [...choicesOf(plain.whenTrue), ...choicesOf(plain.whenFalse)];
}

test('every route states an action of the table', () => {
  const sources = productSources();
  assert.ok(sources.flatMap(routesIn).length > 0, 'no route was found');
  const actions = new Set(Object.keys(ACTIONS));
  assert.deepEqual(
    sources.flatMap((source) => routesWithoutAction(source, actions)),
    [],
  );
});

test('a route without an action, or with an unknown one, is found', () => {
  const text = [
    "app.get('/a', async () => 1);",
    "app.post('/b', { schema: {} }, handler);",
    "app.route({ method: 'GET', url: '/c', config: {}, handler });",
    "app.delete('/d', { config: { action: 'note.vanish' } }, handler);",
    "app.get('/e', { config: { action: 'note.read' } }, handler);",
    "const config = { action: 'note.read' } as const; app.get('/f', { config }, handler);",
    "app.put('/g', { config: { action: isNew ? 'note.read' : 'note.guess' } }, handler);",
    "map.get('/h');",
  ].join('\n');
  assert.deepEqual(routesWithoutAction(sample('src/notes/routes.ts', text), new Set(['note.read'])), [
    'src/notes/routes.ts:1 is a route that states no action',
    'src/notes/routes.ts:2 is a route that states no action',
    'src/notes/routes.ts:3 is a route that states no action',
    'src/notes/routes.ts:4 states an action that is not in the table: note.vanish',
    'src/notes/routes.ts:7 states an action that is not in the table: note.guess',
  ]);
});
