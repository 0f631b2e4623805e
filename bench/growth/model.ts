import type { Database } from '../../src/base/database/database.ts';
import type { GitStorage } from '../../src/git/interface/storage.ts';
import type { Forge } from '../corpus/forge.ts';

/** Where a subject is made and measured. */
export interface Ground {
  readonly database: Database;
  readonly git: GitStorage;
  /** signed in as the administrator */
  readonly forge: Forge;
  /** an empty folder */
  readonly folder: string;
}

/** One kind of work on a subject. */
export interface Work {
  readonly about: string;
  /** whether its cost may follow the size, because its result does */
  readonly mayGrow?: true;
  /** how often to repeat it; by default `ROUNDS` */
  readonly rounds?: number;
  /** Does what belongs to it but is not measured. */
  prepare?(): Promise<unknown>;
  /** Does it once. @throws Error if the result is wrong */
  run(): Promise<unknown>;
}

/** Something that grows, and the work that should not. */
export interface Subject {
  readonly name: string;
  readonly sizes: readonly [small: number, large: number];
  make(ground: Ground, size: number): Promise<readonly Work[]>;
}
