import { type Fragment, literal } from '../../../base/database/fragment.ts';
import { LEVELS, type Level, rankOfLevel } from '../levels.ts';

/** Ranks of the levels, as constants: columns and expressions hold ranks. */
export const RANKS = Object.fromEntries(
  LEVELS.map((level) => [level, literal(rankOfLevel(level))]),
) as Readonly<Record<Level, Fragment>>;
