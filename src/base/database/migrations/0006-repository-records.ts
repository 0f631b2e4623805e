import type { Kysely } from 'kysely';
import type { Dialect } from '../database.ts';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration runs on the schema of its time, which the app's types do not describe
type Schema = Kysely<any>;

export const repositoryRecords: Migration = {
  name: 'repository records',
  async up(db, dialect) {
    await extendRepositories(db, dialect);
    await addFormerNames(db, dialect);
    await addTransfers(db, dialect);
    await addStarsAndWatches(db, dialect);
    await addTopics(db, dialect);
    await addLanguages(db, dialect);
    await addLabels(db, dialect);
  },
};

async function extendRepositories(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  const text = bytewiseText(dialect);
  await db.schema
    .alterTable('repositories')
    .addColumn('parent_id', int, (c) => c.references('repositories.id').onDelete('set null'))
    .execute();
  for (const [name, value] of Object.entries({ issues: 'built-in', wiki: 'built-in' })) {
    await db.schema
      .alterTable('repositories')
      .addColumn(name, text, (c) => c.notNull().defaultTo(value))
      .execute();
  }
  const flags = { has_pulls: 1, has_projects: 1, has_releases: 1, has_packages: 1, has_actions: 1 };
  const counts = { stars_count: 0, watchers_count: 0, forks_count: 0, is_in_transfer: 0 };
  for (const [name, value] of Object.entries({ ...flags, ...counts })) {
    await db.schema
      .alterTable('repositories')
      .addColumn(name, int, (c) => c.notNull().defaultTo(value))
      .execute();
  }
  for (const [name, value] of Object.entries({ unit_settings: '{}', language: '', topics: '' })) {
    await db.schema
      .alterTable('repositories')
      .addColumn(name, text, (c) => c.notNull().defaultTo(value))
      .execute();
  }
  await db.schema
    .alterTable('accounts')
    .addColumn('starred_count', int, (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('repositories_parent')
    .on('repositories')
    .columns(['parent_id', 'owner_id'])
    .execute();
}

async function addFormerNames(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  const text = bytewiseText(dialect);
  await db.schema
    .createTable('repository_redirects')
    .addColumn('owner_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('lower_name', text, (c) => c.notNull())
    .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
    .addColumn('created_at', int, (c) => c.notNull())
    .addPrimaryKeyConstraint('repository_redirects_key', ['owner_id', 'lower_name'])
    .execute();
  await db.schema
    .createIndex('repository_redirects_repository')
    .on('repository_redirects')
    .column('repository_id')
    .execute();
}

async function addTransfers(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  await db.schema
    .createTable('repository_transfers')
    .addColumn('repository_id', int, (c) => c.primaryKey().references('repositories.id').onDelete('cascade'))
    .addColumn('doer_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('recipient_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('created_at', int, (c) => c.notNull())
    .execute();
  for (const column of ['doer_id', 'recipient_id']) {
    await db.schema
      .createIndex(`repository_transfers_${column}`)
      .on('repository_transfers')
      .column(column)
      .execute();
  }
  await db.schema
    .createTable('repository_transfer_teams')
    .addColumn('repository_id', int, (c) =>
      c.notNull().references('repository_transfers.repository_id').onDelete('cascade'),
    )
    .addColumn('team_id', int, (c) => c.notNull().references('teams.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('repository_transfer_teams_key', ['repository_id', 'team_id'])
    .execute();
}

/** Indexed in both directions: repositories of an account, and accounts of a repository. */
async function addStarsAndWatches(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  for (const table of ['stars', 'watches']) {
    await db.schema
      .createTable(table)
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['account_id', 'repository_id'])
      .execute();
    await db.schema
      .createIndex(`${table}_repository`)
      .on(table)
      .columns(['repository_id', 'account_id'])
      .execute();
  }
}

async function addTopics(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  const text = bytewiseText(dialect);
  const [idType, idBuild] = idColumn(dialect);
  await db.schema
    .createTable('topics')
    .addColumn('id', idType, idBuild)
    .addColumn('name', text, (c) => c.notNull().unique())
    .addColumn('repositories_count', int, (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', int, (c) => c.notNull())
    .addColumn('updated_at', int, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('repository_topics')
    .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
    .addColumn('topic_id', int, (c) => c.notNull().references('topics.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('repository_topics_key', ['repository_id', 'topic_id'])
    .execute();
  await db.schema
    .createIndex('repository_topics_topic')
    .on('repository_topics')
    .columns(['topic_id', 'repository_id'])
    .execute();
}

async function addLanguages(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  await db.schema
    .createTable('repository_languages')
    .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
    .addColumn('language', bytewiseText(dialect), (c) => c.notNull())
    .addColumn('bytes', int, (c) => c.notNull())
    .addPrimaryKeyConstraint('repository_languages_key', ['repository_id', 'language'])
    .execute();
}

async function addLabels(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  const text = bytewiseText(dialect);
  const [idType, idBuild] = idColumn(dialect);
  await db.schema
    .createTable('labels')
    .addColumn('id', idType, idBuild)
    .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('color', text, (c) => c.notNull())
    .addColumn('description', text, (c) => c.notNull())
    .addColumn('is_exclusive', int, (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', int, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('labels_repository').on('labels').columns(['repository_id', 'id']).execute();
}
