import { noteCost } from '../core/costs.ts';

/** Counts a transaction once, not its begin and end. */
export function noteStatement(sql: string): void {
  if (sql.startsWith('begin')) noteCost('transactions');
  else if (sql !== 'commit' && sql !== 'rollback') noteCost('statements');
}
