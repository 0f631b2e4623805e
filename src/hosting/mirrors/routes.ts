import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { RepositoryAnswer } from '../repositories/present.ts';
import { MIGRATION, MIRROR, OWN_MIGRATION } from './actions.ts';
import type { MirrorConversion } from './convert.ts';
import { RepositoryMigrationAnswer } from './migrations/present.ts';
import type { Migrations } from './migrations/service.ts';
import { migrationOf } from './options.ts';
import { MigrateBody } from './schema.ts';
import type { MirrorSync } from './sync.ts';

interface Dependencies {
  readonly migrations: Migrations;
  readonly mirrorSync: MirrorSync;
  readonly mirrorConversion: MirrorConversion;
  readonly addresses: Addresses;
}

export function mirrorRoutes(
  app: App,
  { migrations, mirrorSync, mirrorConversion, addresses }: Dependencies,
): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post('/repos/migrate', MIGRATION.migrate, {
    id: 'repoMigrate',
    summary:
      'Copy a repository from another server, with its large files if `lfs` is set, and follow it with `mirror`. If this server stops meanwhile (503), the copy goes on later: see `/user/migrations`',
    failures: ['conflict', 'too_large'],
    body: MigrateBody,
    status: 201,
    answer: RepositoryAnswer,
    handle: ({ viewer, body }) => migrations.migrate(viewer, migrationOf(body)),
  });
  app.addHook('preClose', async () => migrations.stopWaiting());

  api.post('/repos/:owner/:repo/mirror-sync', MIRROR.sync, {
    id: 'repoMirrorSync',
    summary: 'Update a mirror from its source: the update begins soon',
    failures: ['bad_request'],
    status: 200,
    handle: ({ viewer, path }) => mirrorSync.request(viewer, path),
  });

  api.post('/repos/:owner/:repo/convert', MIRROR.convert, {
    id: 'repoConvert',
    summary: 'Make a mirror a usual repository, which takes pushes and follows no source',
    failures: ['invalid'],
    status: 200,
    answer: RepositoryAnswer,
    handle: ({ viewer, path }) => mirrorConversion.convert(viewer, path),
  });

  migrationRoutes(operationsOn(app, { tag: 'user', addresses }), migrations);
}

/** The migrations that a user has requested. */
function migrationRoutes(api: Operations, migrations: Migrations): void {
  api.list('/user/migrations', OWN_MIGRATION.read, {
    id: 'userCurrentListRepoMigrations',
    summary:
      'List the migrations of repositories that you have requested, the newest first, with their progress',
    answer: RepositoryMigrationAnswer,
    handle: ({ viewer, paging }) => migrations.list(viewer, paging),
  });

  api.get('/user/migrations/:id', OWN_MIGRATION.read, {
    id: 'userCurrentGetRepoMigration',
    summary: 'Get the progress of a migration that you have requested, or why it failed',
    failures: ['not_found'],
    answer: RepositoryMigrationAnswer,
    handle: ({ viewer, params }) => migrations.get(viewer, params.id),
  });

  api.delete('/user/migrations/:id', OWN_MIGRATION.cancel, {
    id: 'userCurrentDeleteRepoMigration',
    summary: 'Cancel a migration so that nothing of it is left, or remove the record of one that has ended',
    failures: ['not_found', 'conflict'],
    handle: ({ viewer, params }) => migrations.remove(viewer, params.id),
  });
}
