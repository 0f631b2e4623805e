import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Modules that load with a package although the program never uses them, by the module that asks for them. */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  'fastify/lib/server.js': ['node:http2'],
  'prom-client/index.js': ['./lib/cluster', './lib/pushgateway', './lib/summary'],
  'prom-client/lib/metrics/processCpuTotal.js': ['@opentelemetry/api'],
};
/**
 * The router compiles a function for each piece of a URL, a tenth of the time of registering all routes. It compares the
 * same characters: those of a piece after its first.
 */
const ROUTER = 'find-my-way/lib/node.js';
const COMPILED = /return new Function\('path', 'i', [^\n]+/;
const COMPARED = 'return (path, i) => path.startsWith(prefix, i)';

/** Leaves out of the build what costs time at each start and is of no use. */
export function withoutUnusedParts(): Plugin {
  return {
    name: 'without-unused-parts',
    setup(build) {
      const left = new Set([...Object.values(UNUSED).flat(), ROUTER]);
      build.onResolve({ filter: /./ }, ({ path, importer }) => {
        const module = importer.replaceAll('\\', '/').split('/node_modules/').at(-1) ?? '';
        if (UNUSED[module]?.includes(path) !== true) return undefined;
        left.delete(path);
        return { path, namespace: 'unused' };
      });
      build.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
      build.onLoad({ filter: /node\.js$/ }, ({ path }) => {
        if (!path.replaceAll('\\', '/').endsWith(ROUTER)) return undefined;
        left.delete(ROUTER);
        const text = readFileSync(path, 'utf8');
        if (!COMPILED.test(text))
          throw new Error(`${path} has changed: look at what it compiles for each piece`);
        return { contents: text.replace(COMPILED, COMPARED) };
      });
      build.onEnd(() => {
        if (left.size > 0) throw new Error(`the build meets ${[...left].join(', ')} no longer`);
      });
    },
  };
}
