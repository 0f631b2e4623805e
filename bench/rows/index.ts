import { FINDING } from './finding.ts';
import type { Row } from './model.ts';
import { NOTES } from './notes.ts';
import { READING } from './reading.ts';
import { STARTS } from './start.ts';
import { TRANSPORT } from './transport.ts';
import { WRITING } from './writing.ts';
import { YARDSTICKS } from './yardsticks.ts';

/** All rows, in the order of measurement: one round of each before the next round. */
export const ROWS: readonly Row[] = [
  ...READING,
  ...FINDING,
  ...YARDSTICKS,
  ...WRITING,
  ...TRANSPORT,
  ...NOTES,
  ...STARTS,
];
