import { flushCompileCache } from 'node:module';

// The build replaces this file (scripts/build/bundle.ts).

/**
 * Stores the code that V8 has compiled so far, so that the next start does not compile it again. The code remains if
 * the process is killed later.
 */
export function keepCompiledCode(): void {
  flushCompileCache();
}
