import type { Plugin, PluginBuild } from 'esbuild';

/** Takes the place of a module that the program never uses. */
const NOTHING = 'module.exports = {};';
/** Takes the place of a module without which a package works, too. */
const MISSING = "throw new Error('not built');";
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
  // Add-ons that are not built (`allowScripts`), and that the package does without.
  'ssh2/lib/protocol/constants.js': { 'cpu-features': MISSING },
  'ssh2/lib/protocol/crypto.js': { './crypto/build/Release/sshcrypto.node': MISSING },
  'prom-client/lib/metrics/processCpuTotal.js': { '@opentelemetry/api': NOTHING },
};

/** Leaves out of the build what costs time at each start and is of no use. */
export function withoutUnusedParts(): Plugin {
  return {
    name: 'without-unused-parts',
    setup: replaceModules,
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

/** Path of a module below the innermost `node_modules`. */
function nameInPackages(file: string): string {
  return file.replaceAll('\\', '/').split('/node_modules/').at(-1) ?? '';
}
