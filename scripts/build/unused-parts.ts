import { readFileSync } from 'node:fs';
import type { Plugin, PluginBuild } from 'esbuild';

/** Takes the place of a module that the program never uses. */
const NOTHING = 'module.exports = {};';
/** Fastify compares its version with what its plugins expect. The lock file has chosen them all. */
const SAME_VERSIONS = 'module.exports = { satisfies: () => true };';

/**
 * What takes the place of modules that load with a package although the program does not need them, by the module that
 * asks for them and by the name that it asks for.
 */
const REPLACED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'fastify/lib/server.js': { 'node:http2': NOTHING, 'node:https': NOTHING },
  'fastify/lib/plugin-utils.js': { semver: SAME_VERSIONS },
  'prom-client/index.js': {
    './lib/cluster': NOTHING,
    './lib/pushgateway': NOTHING,
    './lib/summary': NOTHING,
  },
  'prom-client/lib/metrics/processCpuTotal.js': { '@opentelemetry/api': NOTHING },
};
interface Edit {
  /** end of the path of a module */
  readonly module: string;
  readonly before: RegExp;
  readonly after: string;
}

/** The router compiles three functions for most routes, a quarter of the time of registering them. */
const EDITS: readonly Edit[] = [
  {
    // Compares the same characters: those of a piece of a URL after its first.
    module: 'find-my-way/lib/node.js',
    before: /return new Function\('path', 'i', [^\n]+/,
    after: 'return (path, i) => path.startsWith(prefix, i)',
  },
  {
    // Compiles when a request first takes the route.
    module: 'find-my-way/lib/handler-storage.js',
    before: /_createParamsObject: this\._compileCreateParamsObject\(params\)/,
    after: `_createParamsObject: (...values) => {
        handlerObject._createParamsObject = this._compileCreateParamsObject(params);
        return handlerObject._createParamsObject(...values);
      }`,
  },
  {
    // Without constraints, the router never calls what it would compile.
    module: 'find-my-way/lib/handler-storage.js',
    before: /if \(!isMergedTree\) \{/,
    after: 'if (!isMergedTree && this.constraints.length > 0) {',
  },
];

/** Leaves out of the build what costs time at each start and is of no use. */
export function withoutUnusedParts(): Plugin {
  return {
    name: 'without-unused-parts',
    setup(build) {
      replaceModules(build);
      for (const module of new Set(EDITS.map((edit) => edit.module))) editModule(build, module);
    },
  };
}

function replaceModules(build: PluginBuild): void {
  const left = new Set(Object.values(REPLACED).flatMap((names) => Object.keys(names)));
  build.onResolve({ filter: /./ }, ({ path, importer }) => {
    const contents = REPLACED[nameInPackages(importer)]?.[path];
    if (contents === undefined) return undefined;
    left.delete(path);
    return { path, namespace: 'replaced', pluginData: contents };
  });
  build.onLoad({ filter: /./, namespace: 'replaced' }, ({ pluginData }) => ({ contents: pluginData }));
  build.onEnd(() => {
    if (left.size > 0) throw new Error(`the build meets ${[...left].join(', ')} no longer`);
  });
}

function editModule(build: PluginBuild, module: string): void {
  let isMet = false;
  build.onLoad({ filter: /\.js$/ }, ({ path }) => {
    if (nameInPackages(path) !== module) return undefined;
    isMet = true;
    const edits = EDITS.filter((edit) => edit.module === module);
    return { contents: edits.reduce((text, edit) => edited(text, edit), readFileSync(path, 'utf8')) };
  });
  build.onEnd(() => {
    if (!isMet) throw new Error(`the build meets ${module} no longer`);
  });
}

function edited(text: string, { module, before, after }: Edit): string {
  if (!before.test(text)) throw new Error(`${module} has changed: look at what it does for each route`);
  return text.replace(before, () => after);
}

/** Path of a module below the innermost `node_modules`. */
function nameInPackages(file: string): string {
  return file.replaceAll('\\', '/').split('/node_modules/').at(-1) ?? '';
}
