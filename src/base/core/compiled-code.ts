import { flushCompileCache } from 'node:module';

// The build replaces this file (scripts/build/bundle.ts).

/**
 * Keeps what V8 has compiled so far, so that the next start need not compile it again. A process that is killed later has
 * kept it.
 */
export function keepCompiledCode(): void {
  flushCompileCache();
}
