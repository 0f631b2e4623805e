import { operationsOn } from '../access/operations.ts';
import type { Addresses, App } from '../http/app.ts';
import { RepositoryAnswer } from '../repositories/present.ts';
import { MIGRATION, MIRROR } from './actions.ts';
import type { Migrations } from './migrate.ts';
import { migrationOf } from './options.ts';
import { MigrateBody } from './schema.ts';
import type { MirrorSync } from './sync.ts';

interface Dependencies {
  readonly migrations: Migrations;
  readonly mirrorSync: MirrorSync;
  readonly addresses: Addresses;
}

export function mirrorRoutes(app: App, { migrations, mirrorSync, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post('/repos/migrate', MIGRATION.migrate, {
    id: 'repoMigrate',
    summary:
      'Copy a repository from another server, with its large files if `lfs` is set, and follow it with `mirror`',
    failures: ['conflict', 'too_large'],
    body: MigrateBody,
    status: 201,
    answer: RepositoryAnswer,
    handle: ({ viewer, body, request }) => migrations.migrate(viewer, migrationOf(body), request.log),
  });

  api.post('/repos/:owner/:repo/mirror-sync', MIRROR.sync, {
    id: 'repoMirrorSync',
    summary: 'Update a mirror from its source: the update begins soon',
    failures: ['bad_request'],
    status: 200,
    handle: ({ viewer, path }) => mirrorSync.request(viewer, path),
  });
}
