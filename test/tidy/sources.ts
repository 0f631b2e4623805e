import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** A file of the repository; `path` is relative to its root, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Reads the TypeScript files of the product. */
export function productSources(): readonly Source[] {
  const paths = globSync('src/**/*.ts', { cwd: ROOT }).sort();
  assert.ok(paths.length > 0, 'src/ is empty, so the test would check nothing');
  return paths.map(readSource);
}

/** Reads every text file that git tracks or would add. */
export function repositoryTexts(): readonly Source[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const paths = [...new Set(listed.split('\0'))].filter(
    (name) => name !== '' && existsSync(path.join(ROOT, name)),
  );
  assert.ok(paths.length > 0, 'git lists no file, so the test would check nothing');
  return paths.map(readSource).filter((source) => !source.text.includes('\0'));
}

function readSource(name: string): Source {
  return { path: name.replaceAll('\\', '/'), text: readFileSync(path.join(ROOT, name), 'utf8') };
}

/** The wings of `src/`, each with its folders; a wing without folders is one folder. */
export const { WINGS }: { WINGS: Readonly<Record<string, readonly string[]>> } = await import(
  path.join(ROOT, '.dependency-cruiser.mjs')
);

/** Returns the path of the folder that contains a file of the product or of its tests, below `src/` or `test/`. */
export function folderPathOf({ path: file }: Pick<Source, 'path'>): string {
  const [, wing = '', folder = ''] = file.split('/');
  return (WINGS[wing] ?? []).length === 0 ? wing : `${wing}/${folder}`;
}

/** Returns the name of the folder that contains a file: `notebooks`, of the wing `notes`. */
export function folderOf(source: Pick<Source, 'path'>): string {
  return path.basename(folderPathOf(source));
}

/** Whether a file may contain SQL. */
export function isStore(source: Source): boolean {
  return /\/store(?:\.ts$|\/)/.test(source.path);
}

/** Returns a sample that is checked like a file of the repository. */
export function sample(name: string, text: string): Source {
  return { path: name, text };
}

const parsed = new WeakMap<Source, ts.SourceFile>();

export function parse(source: Source): ts.SourceFile {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const tree = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true);
  parsed.set(source, tree);
  return tree;
}

/** Lists every node of a tree, outer nodes first. */
export function nodesIn(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const add = (each: ts.Node) => {
    found.push(each);
    each.forEachChild(add);
  };
  add(node);
  return found;
}

/** Returns a problem with its location. */
export function problemAt(source: Source, node: ts.Node, what: string): string {
  const { line } = parse(source).getLineAndCharacterOfPosition(node.getStart());
  return `${source.path}:${line + 1} ${what}`;
}

export interface Import {
  readonly module: string;
  /** names as the module exports them; `*` for the whole module */
  readonly names: readonly string[];
  readonly node: ts.Node;
}

/** Lists the imports and re-exports of a file, in every form. */
export function importsOf(source: Source): readonly Import[] {
  const found: Import[] = [];
  for (const node of nodesIn(parse(source))) {
    if (ts.isImportDeclaration(node))
      found.push({ module: textOf(node.moduleSpecifier), names: importedNames(node), node });
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      found.push({ module: textOf(node.moduleSpecifier), names: ['*'], node });
    } else if (isLoadingCall(node)) {
      const [module] = node.arguments;
      if (module !== undefined) found.push({ module: textOf(module), names: ['*'], node });
    }
  }
  return found;
}

function isLoadingCall(node: ts.Node): node is ts.CallExpression {
  if (!ts.isCallExpression(node)) return false;
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword) return true;
  const callee = node.expression.getText();
  return callee === 'require' || callee.endsWith('.getBuiltinModule');
}

function importedNames(node: ts.ImportDeclaration): readonly string[] {
  const bindings = node.importClause?.namedBindings;
  if (bindings === undefined || ts.isNamespaceImport(bindings)) return ['*'];
  const named = bindings.elements.map((element) => (element.propertyName ?? element.name).text);
  return node.importClause?.name === undefined ? named : ['*', ...named];
}

/** Returns the text of a literal, or the source text of another expression. */
export function textOf(node: ts.Node): string {
  return ts.isStringLiteralLike(node) ? node.text : node.getText();
}

/** Returns the name of the called method, if the call has the form `something.method(…)`. */
export function methodOf(call: ts.CallExpression): string | undefined {
  return ts.isPropertyAccessExpression(call.expression) ? call.expression.name.text : undefined;
}
