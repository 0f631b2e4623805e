import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile, OutputFile } from 'esbuild';

/** The file of a build that loads its scripts. */
const LOADER = 'load.cjs';
/** The program that makes their compiled code. */
const COMPILER = 'compile.mjs';

/**
 * Writes the modules of a build as scripts, which can keep their compiled code (`load.cjs`).
 *
 * @param programs names of the scripts that also get a module, which loads the script
 */
export async function writeScripts(
  folder: string,
  { outputFiles, metafile }: { outputFiles: readonly OutputFile[]; metafile: Metafile },
  programs: readonly string[],
): Promise<void> {
  const { transform } = await import('esbuild');
  for (const { path: file, text } of outputFiles) {
    const { code } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      // A script finds everything with `require`, also what it loads late.
      supported: { 'dynamic-import': false },
      define: { 'import.meta.url': 'moduleUrl' },
      minifySyntax: true,
      minifyWhitespace: true,
      lineLimit: 120,
      legalComments: 'none',
      logLevel: 'warning',
    });
    writeFileSync(file, code);
  }
  for (const name of [LOADER, COMPILER])
    copyFileSync(path.join(import.meta.dirname, name), path.join(folder, name));
  for (const [file, { exports }] of Object.entries(metafile.outputs)) {
    const script = path.basename(file);
    const name = path.basename(file, '.cjs');
    if (programs.includes(name)) writeFileSync(path.join(folder, `${name}.mjs`), moduleOf(script, exports));
  }
}

function moduleOf(script: string, names: readonly string[]): string {
  const exported = names.length === 0 ? '' : `export const { ${names.join(', ')} } = `;
  return `import loader from './${LOADER}';\n${exported}loader.load('${script}');\n`;
}
