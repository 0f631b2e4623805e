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
  /** the token sees only the repositories in `token_repositories`, even if none remain */
  is_limited: Generated<number>;
  created_at: number;
  /** null: never */
  expires_at: number | null;
  /** may lag behind; null: not used yet, or only by an earlier version */
  last_used_at: number | null;
  /** days before its end for which the owner last got a notice by mail; null: no notice yet */
  announced_days: number | null;
}

/** Written by `tokens/`. */
export interface TokenRepositoriesTable {
  token_id: number;
  repository_id: number;
}

export interface TokenTables {
  tokens: TokensTable;
  token_repositories: TokenRepositoriesTable;
}
