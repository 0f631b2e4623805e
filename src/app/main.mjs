// This file is plain JavaScript, so that Node loads it before the cache of compiled files is on. Without the cache,
// stripping the types of all other files would take longer than the rest of the start.
import { enableCompileCache } from 'node:module';

enableCompileCache();

// Other users of this machine must not read the server's files.
process.umask(0o027);

const { runCommandLine } = await import('./command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
