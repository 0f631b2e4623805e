import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** A module from which a declaration takes types. */
const FROM = /(\bfrom ')([^']+)(';)/g;
/** Declarations that a program may lack: those of `await using`. */
const LIBRARY = '/// <reference lib="esnext.disposable" />\n';

/**
 * Writes the declarations of a published module, and of the files from which it takes types, into a folder of a build.
 *
 * @param name of the module in the build, without its ending
 * @throws Error if a type comes from another package, which a user of this one need not have
 */
export function writeDeclarations(source: string, folder: string, name: string): void {
  const text = readFileSync(source, 'utf8');
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, {
    fileName: source,
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true, declaration: true, target: ts.ScriptTarget.ESNext },
  });
  const [problem] = diagnostics;
  if (problem !== undefined)
    throw new Error(`${source}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  const linked = outputText.replaceAll(FROM, (_all, before: string, module: string, after: string) => {
    if (!module.startsWith('.')) throw new Error(`${source} publishes a type of ${module}`);
    const part = `${name}-${path.basename(module, '.ts')}`;
    writeDeclarations(path.resolve(path.dirname(source), module), folder, part);
    return `${before}./${part}.mjs${after}`;
  });
  writeFileSync(path.join(folder, `${name}.d.mts`), LIBRARY + linked);
}
