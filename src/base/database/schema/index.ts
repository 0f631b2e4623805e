import type { AccountTables } from './accounts.ts';
import type { ArchiveTables } from './archives.ts';
import type { EventTables } from './events.ts';
import type { GitTables } from './git.ts';
import type { IssueTables } from './issues.ts';
import type { JobTables } from './jobs.ts';
import type { KeyTables } from './keys.ts';
import type { LabelTables } from './labels.ts';
import type { LfsTables } from './lfs.ts';
import type { MilestoneTables } from './milestones.ts';
import type { MirrorTables } from './mirrors.ts';
import type { NoteTables } from './notes.ts';
import type { NotificationTables } from './notifications.ts';
import type { OrganizationTables } from './organizations.ts';
import type { PeopleTables } from './people.ts';
import type { ProtectionTables } from './protection.ts';
import type { PullTables } from './pulls.ts';
import type { QuotaTables } from './quotas.ts';
import type { ReleaseTables } from './releases.ts';
import type { RepositoryTables } from './repositories.ts';
import type { SignInTables } from './sign-ins.ts';
import type { StatusTables } from './statuses.ts';
import type { TeamTables } from './teams.ts';
import type { TokenTables } from './tokens.ts';

/**
 * All tables after all migrations. One feature writes each table; others may join it. On both databases, flags are 0 or
 * 1 and times are integer milliseconds, UTC.
 */
export interface Tables
  extends AccountTables,
    TokenTables,
    PeopleTables,
    OrganizationTables,
    TeamTables,
    RepositoryTables,
    GitTables,
    LabelTables,
    MilestoneTables,
    MirrorTables,
    IssueTables,
    NotificationTables,
    StatusTables,
    EventTables,
    JobTables,
    NoteTables,
    KeyTables,
    ArchiveTables,
    LfsTables,
    SignInTables,
    ProtectionTables,
    PullTables,
    ReleaseTables,
    QuotaTables {}
