import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const NAMESPACE = 'module-of-node';
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * Lets modules of the product take from a module of Node only what they use. An `import` reads every export of such a
 * module, and many of them load further modules of Node when they are read: `node:crypto` loads Web Crypto, and `node:fs`
 * its watchers.
 */
export function modulesOfNode(): Plugin {
  return {
    name: 'modules-of-node',
    setup(build) {
      build.onResolve({ filter: /^node:/ }, ({ path: name, kind }) =>
        kind === 'import-statement' ? { path: name, namespace: NAMESPACE } : undefined,
      );
      build.onLoad({ filter: /./, namespace: NAMESPACE }, async ({ path: name }) => ({
        contents: await textOf(name),
      }));
    },
  };
}

/** A module with the same exports. esbuild leaves out those that no module uses. */
async function textOf(name: string): Promise<string> {
  if (!builtinModules.includes(name.replace(/^node:/, '')) && !builtinModules.includes(name))
    throw new Error(`Node has no module ${name}`);
  const names = Object.keys(await import(name)).filter(
    (exported) => exported !== 'default' && exported !== 'module.exports' && IDENTIFIER.test(exported),
  );
  return [
    `const whole = process.getBuiltinModule('${name}');`,
    'export default whole;',
    ...names.map((exported) => `const $${exported} = /* @__PURE__ */ (() => whole.${exported})();`),
    `export { ${names.map((exported) => `$${exported} as ${exported}`).join(', ')} };`,
  ].join('\n');
}
