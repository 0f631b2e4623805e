import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';

/** Reads a file beside the module, which a build does not have there. */
const MODULE = '@one-ini/wasm/one_ini.js';
const FILE = 'one_ini_bg.wasm';
const READ = /require\('fs'\)\.readFileSync\(wasmPath\)/;
const PLACE = /const wasmPath = `\$\{__dirname\}\/one_ini_bg\.wasm`;/;

/** Puts a file that a package reads from its own folder into the build. */
export function inlinedFiles(): Plugin {
  return {
    name: 'inlined-files',
    setup(build) {
      let isMet = false;
      build.onLoad({ filter: /one_ini\.js$/ }, ({ path: module }) => {
        const text = readFileSync(module, 'utf8');
        if (!module.replaceAll('\\', '/').endsWith(MODULE) || !READ.test(text) || !PLACE.test(text))
          throw new Error(`${module} has changed: look at how it reads ${FILE}`);
        isMet = true;
        const bytes = readFileSync(path.join(path.dirname(module), FILE)).toString('base64');
        return { contents: text.replace(PLACE, '').replace(READ, `Buffer.from('${bytes}', 'base64')`) };
      });
      build.onEnd(() => {
        if (!isMet) throw new Error(`the build meets ${MODULE} no longer`);
      });
    },
  };
}
