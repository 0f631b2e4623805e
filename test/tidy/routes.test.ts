import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import {
  importsOf,
  methodOf,
  nodesIn,
  parse,
  problemAt,
  productSources,
  type Source,
  sample,
  textOf,
} from './sources.ts';

// Runs once: no outcome depends on the database.

// The server does not start with a route that states no action. This check finds such a route without a start, even a
// route that is registered only with some settings.

const ROUTE_CALLS = new Set([
  'get',
  'list',
  'post',
  'put',
  'patch',
  'delete',
  'head',
  'options',
  'all',
  'route',
]);
/** File that registers the operations of all other files with the actions that they state. */
const REGISTRAR = 'src/api/operations/operations.ts';
const ACTIONS_FILE = /(?:^|\/)actions\.ts$/;

function routesWithoutAction(source: Source): string[] {
  const defined = new Set(
    importsOf(source)
      .filter(({ module }) => ACTIONS_FILE.test(module))
      .flatMap(({ names }) => names),
  );
  return routesIn(source).flatMap((call) => {
    const stated = statedActions(source, call);
    if (stated.length === 0) return [problemAt(source, call, 'is a route that states no action')];
    return stated
      .filter((action) => !isDefined(action, defined))
      .map((action) => problemAt(source, call, `states an action from no actions.ts: ${textOf(action)}`));
  });
}

/** Whether an expression has the form `NOTE.read`, with `NOTE` from an `actions.ts`. The type check covers `read`. */
function isDefined(action: ts.Expression, defined: ReadonlySet<string>): boolean {
  return ts.isPropertyAccessExpression(action) && defined.has(action.expression.getText());
}

function routesIn(source: Source): ts.CallExpression[] {
  return [...nodesIn(parse(source))].filter((node) => ts.isCallExpression(node)).filter(isRoute);
}

function isRoute(call: ts.CallExpression): boolean {
  if (!ROUTE_CALLS.has(methodOf(call) ?? '')) return false;
  return isOperation(call) || /(?:^|\.#?)app$/.test(receiverOf(call));
}

/** Whether a call registers an operation, as in `api.get('/version', SERVER.describe, …)` or `adminApi.list(…)`. */
function isOperation(call: ts.CallExpression): boolean {
  return /(?:^|\.#?|[a-z])[aA]pi$/.test(receiverOf(call));
}

function receiverOf(call: ts.CallExpression): string {
  return ts.isPropertyAccessExpression(call.expression) ? call.expression.expression.getText() : '';
}

/**
 * Returns the actions that a route states. An operation has them in its second argument, and any other route in
 * `config: { action: … }`. A conditional expression has several.
 */
function statedActions(source: Source, call: ts.CallExpression): readonly ts.Expression[] {
  if (isOperation(call)) return call.arguments[1] === undefined ? [] : choicesOf(call.arguments[1]);
  for (const argument of call.arguments) {
    const config = propertyOf(argument, 'config');
    const action = config && propertyOf(resolve(source, config), 'action');
    if (action !== undefined) return choicesOf(action);
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

/** Resolves a name to the value of the constant with that name in the same file. */
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

test('every route states an action from an actions.ts', () => {
  const sources = productSources().filter(({ path }) => path !== REGISTRAR);
  assert.ok(sources.flatMap(routesIn).length > 100, 'routes were not found');
  assert.deepEqual(sources.flatMap(routesWithoutAction), []);
});

test('a route without an action, or with an unknown one, is found', () => {
  const text = [
    "import { NOTE } from './actions.ts'; import { GUESS } from './guesses.ts';",
    "app.get('/a', async () => 1);",
    "app.post('/b', { schema: {} }, handler);",
    "app.route({ method: 'GET', url: '/c', config: {}, handler });",
    "app.delete('/d', { config: { action: 'note.read' } }, handler);",
    "app.get('/e', { config: { action: NOTE.read } }, handler);",
    "const config = { action: NOTE.read } as const; app.get('/f', { config }, handler);",
    "app.put('/g', { config: { action: isNew ? NOTE.read : GUESS.read } }, handler);",
    "map.get('/h');",
    "api.list('/i', NOTE.read, { summary: 'List notes', handle });",
    "adminApi.post('/j', { summary: 'Create a note', handle });",
    "api.get('/k', isNew ? NOTE.read : GUESS.read, { handle });",
  ].join('\n');
  assert.deepEqual(routesWithoutAction(sample('src/notes/notebooks/routes.ts', text)), [
    'src/notes/notebooks/routes.ts:2 is a route that states no action',
    'src/notes/notebooks/routes.ts:3 is a route that states no action',
    'src/notes/notebooks/routes.ts:4 is a route that states no action',
    'src/notes/notebooks/routes.ts:5 states an action from no actions.ts: note.read',
    'src/notes/notebooks/routes.ts:8 states an action from no actions.ts: GUESS.read',
    "src/notes/notebooks/routes.ts:11 states an action from no actions.ts: { summary: 'Create a note', handle }",
    'src/notes/notebooks/routes.ts:12 states an action from no actions.ts: GUESS.read',
  ]);
});
