import { keepCompiledCode } from '../../base/core/native/compiled-code.ts';
import { printForSure } from '../print.ts';
import { VERSION } from '../version.ts';
import { watchNeed } from './need.ts';
import { readSeedFile } from './seed/read.ts';
import { Throwaway } from './throwaway.ts';

export interface RunOptions {
  /** path of a file; undefined for an empty world */
  readonly seed: string | undefined;
  readonly onDisk: boolean;
  readonly logLevel: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Runs a throwaway server until its parent, its standard input or a signal ends it. */
export async function runForge({ seed, ...options }: RunOptions): Promise<void> {
  // From the first moment, because the parent may die while the server starts.
  const need = watchNeed();
  try {
    const forge = await Throwaway.start({ ...options, seed: seed === undefined ? {} : readSeedFile(seed) });
    process.once('exit', () => forge.removeFolder());
    const { url, admin, token, users } = forge.access;
    const line = JSON.stringify({ url, admin, token, users, version: VERSION, pid: process.pid });
    await printForSure(line).catch(() => {});
    // The next start takes half the CPU with it.
    keepCompiledCode();
    await need.ended;
    await forge.stop();
  } finally {
    need.forget();
  }
}
