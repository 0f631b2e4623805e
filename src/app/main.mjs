// Plain JavaScript, so that nothing is to be done to this file before the cache of compiled files is on: to strip the
// types of all the others costs more than the rest of the start.
import { enableCompileCache } from 'node:module';

enableCompileCache();

// What the server writes is nobody else's business on this machine.
process.umask(0o027);

const { runCommandLine } = await import('./command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
