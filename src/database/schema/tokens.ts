import type { Generated } from 'kysely';

/** Written by `tokens/`. The token itself is stored nowhere. */
export interface TokensTable {
  id: Generated<number>;
  account_id: number;
  name: string;
  /** SHA-256 of the token, hex */
  digest: string;
  last_eight: string;
  /** comma-separated scope names, as granted */
  scopes: string;
  created_at: number;
}

export interface TokenTables {
  tokens: TokensTable;
}
