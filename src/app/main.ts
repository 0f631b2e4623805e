import { enableCompileCache } from 'node:module';

// Stripping the types of all files costs more than the rest of the start, so what came of it is kept.
enableCompileCache();

// What it writes is nobody else's business on this machine.
process.umask(0o027);

const { runCommandLine } = await import('./command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
