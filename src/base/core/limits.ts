import { ACCOUNT_LIMITS } from './limits/accounts.ts';
import { ARCHIVE_LIMITS } from './limits/archives.ts';
import { CONFIGURATION_LIMITS } from './limits/configuration.ts';
import { DATABASE_LIMITS } from './limits/database.ts';
import { GIT_LIMITS } from './limits/git.ts';
import { GIT_DATA_LIMITS } from './limits/git-data.ts';
import { HISTORY_LIMITS } from './limits/history.ts';
import { HTTP_LIMITS } from './limits/http.ts';
import { ISSUE_LIMITS } from './limits/issues.ts';
import { KEY_LIMITS } from './limits/keys.ts';
import { LFS_LIMITS } from './limits/lfs.ts';
import { MAINTENANCE_LIMITS } from './limits/maintenance.ts';
import { MARKDOWN_LIMITS } from './limits/markdown.ts';
import { MEMORY_LIMITS } from './limits/memory.ts';
import { MIRROR_LIMITS } from './limits/mirrors.ts';
import { NOTE_LIMITS } from './limits/notes.ts';
import { OUTBOUND_LIMITS } from './limits/outbound.ts';
import { PROTECTION_LIMITS } from './limits/protection.ts';
import { REPOSITORY_LIMITS } from './limits/repositories.ts';
import { STORAGE_LIMITS } from './limits/storage.ts';
import { TEXT_SEARCH_LIMITS } from './limits/text-search.ts';
import { TRANSPORT_LIMITS } from './limits/transport.ts';

/**
 * All limits that are not settings, by name. The name gives the unit. Each file of `limits/` has the limits of one
 * subject. `app/config.ts` has the settings that an operator can change.
 */
export const LIMITS = {
  ...ACCOUNT_LIMITS,
  ...ARCHIVE_LIMITS,
  ...CONFIGURATION_LIMITS,
  ...DATABASE_LIMITS,
  ...GIT_LIMITS,
  ...GIT_DATA_LIMITS,
  ...HISTORY_LIMITS,
  ...HTTP_LIMITS,
  ...ISSUE_LIMITS,
  ...KEY_LIMITS,
  ...LFS_LIMITS,
  ...MAINTENANCE_LIMITS,
  ...MARKDOWN_LIMITS,
  ...MEMORY_LIMITS,
  ...MIRROR_LIMITS,
  ...NOTE_LIMITS,
  ...OUTBOUND_LIMITS,
  ...PROTECTION_LIMITS,
  ...REPOSITORY_LIMITS,
  ...STORAGE_LIMITS,
  ...TEXT_SEARCH_LIMITS,
  ...TRANSPORT_LIMITS,
} as const;
