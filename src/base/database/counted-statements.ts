import { countCost } from '../core/costs.ts';

/** Counts a transaction once, not its begin and end. */
export function countStatement(sql: string): void {
  if (sql.startsWith('begin')) countCost('transactions');
  else if (sql !== 'commit' && sql !== 'rollback') countCost('statements');
}
