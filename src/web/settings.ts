import { Type } from 'typebox';
import { SERVER } from '../api/access/actions.ts';
import { asIs } from '../api/operations/answers.ts';
import { operationsOn } from '../api/operations/operations.ts';
import { CORE_LIMITS } from '../base/core/limits.ts';
import { CONTENTS_LIMITS } from '../code/contents/limits.ts';
import { GIT_DATA_LIMITS } from '../code/git-data/limits.ts';
import type { LfsSettings } from '../hosting/lfs/model.ts';
import type { Addresses, App } from '../http/app.ts';
import { ISSUE_LIMITS } from '../tracker/issues/limits.ts';
import { REACTIONS } from '../tracker/issues/models/reactions.ts';

const MIB = 1024 * 1024;

const ApiAnswer = asIs(
  Type.Object(
    {
      max_response_items: Type.Integer(),
      default_paging_num: Type.Integer(),
      default_git_trees_per_page: Type.Integer(),
      default_max_blob_size: Type.Integer(),
    },
    { $id: 'GeneralAPISettings' },
  ),
);

const AttachmentAnswer = asIs(
  Type.Object(
    {
      enabled: Type.Boolean(),
      allowed_types: Type.String({ description: 'comma-separated types or endings; `*` for all' }),
      max_size: Type.Integer({ description: 'MiB of one file' }),
      max_files: Type.Integer({ description: 'of one issue or comment' }),
    },
    { $id: 'GeneralAttachmentSettings' },
  ),
);

const RepositoryAnswer = asIs(
  Type.Object(
    {
      forks_disabled: Type.Boolean(),
      http_git_disabled: Type.Boolean(),
      lfs_disabled: Type.Boolean(),
      migrations_disabled: Type.Boolean(),
      mirrors_disabled: Type.Boolean(),
      stars_disabled: Type.Boolean(),
      time_tracking_disabled: Type.Boolean(),
    },
    { $id: 'GeneralRepoSettings' },
  ),
);

const PageAnswer = asIs(
  Type.Object(
    {
      allowed_reactions: Type.Array(Type.String()),
      custom_emojis: Type.Array(Type.String()),
      default_theme: Type.String(),
    },
    { $id: 'GeneralUISettings' },
  ),
);

interface Dependencies {
  readonly addresses: Addresses;
  readonly lfsSettings: Pick<LfsSettings, 'isEnabled'>;
}

/** Registers the routes by which clients find out the limits and the settings of the server. */
export function settingsRoutes(app: App, { addresses, lfsSettings }: Dependencies): void {
  const api = operationsOn(app, { tag: 'settings', addresses });

  api.get('/settings/api', SERVER.describe, {
    id: 'getGeneralAPISettings',
    summary: 'Get the limits of the API',
    answer: ApiAnswer,
    handle: () => ({
      max_response_items: CORE_LIMITS.pageItemsMax,
      default_paging_num: CORE_LIMITS.pageItemsDefault,
      default_git_trees_per_page: GIT_DATA_LIMITS.treesPerPageDefault,
      default_max_blob_size: CONTENTS_LIMITS.contentsBlobBytesMax,
    }),
  });

  api.get('/settings/attachment', SERVER.describe, {
    id: 'getGeneralAttachmentSettings',
    summary: 'Get the limits of attachments of issues and comments; assets of releases have others',
    answer: AttachmentAnswer,
    handle: () => ({
      enabled: true,
      allowed_types: '*',
      max_size: ISSUE_LIMITS.issueAttachmentBytesMax / MIB,
      max_files: ISSUE_LIMITS.issueAttachmentsMax,
    }),
  });

  api.get('/settings/repository', SERVER.describe, {
    id: 'getGeneralRepositorySettings',
    summary: 'Get what the server has switched off for all repositories',
    answer: RepositoryAnswer,
    handle: () => ({
      forks_disabled: false,
      http_git_disabled: false,
      lfs_disabled: !lfsSettings.isEnabled,
      migrations_disabled: false,
      mirrors_disabled: false,
      stars_disabled: false,
      time_tracking_disabled: false,
    }),
  });

  api.get('/settings/ui', SERVER.describe, {
    id: 'getGeneralUISettings',
    summary: 'Get the reactions that people can give, and the theme of the pages',
    answer: PageAnswer,
    handle: () => ({ allowed_reactions: [...REACTIONS], custom_emojis: [], default_theme: 'quire' }),
  });
}
