// This file is plain JavaScript, so that Node loads it before the cache of compiled files is on. Without the cache,
// stripping the types of all other files would take longer than the rest of the start.
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';

enableCompileCache();

// Other users of this machine must not read the server's files.
process.umask(0o027);

// Password hashes occupy up to eight threads of Node's pool (`hashesAtOnce`), and work on files needs some beside them.
// The pool starts with its first work, so this must be set before anything is read.
if (process.env.UV_THREADPOOL_SIZE === undefined)
  process.env.UV_THREADPOOL_SIZE = String(4 + Math.min(availableParallelism(), 8));

// The build has no `await` outside of functions.
async function main() {
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2));
}

main();
