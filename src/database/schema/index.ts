import type { AccountTables } from './accounts.ts';
import type { ContentsTables } from './contents.ts';
import type { EventTables } from './events.ts';
import type { GitTables } from './git.ts';
import type { JobTables } from './jobs.ts';
import type { NoteTables } from './notes.ts';
import type { OrganizationTables } from './organizations.ts';
import type { RepositoryTables } from './repositories.ts';
import type { TeamTables } from './teams.ts';
import type { TokenTables } from './tokens.ts';

/**
 * Every table, as the code sees it after all migrations. Each has one feature that writes it; others may join it.
 * Flags are 0 or 1 and times integer milliseconds UTC, the same on both databases.
 */
export interface Tables
  extends AccountTables,
    TokenTables,
    OrganizationTables,
    TeamTables,
    RepositoryTables,
    GitTables,
    ContentsTables,
    EventTables,
    JobTables,
    NoteTables {}
