import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

export const foundation: Migration = {
  name: 'foundation',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);

    await db.schema
      .createTable('accounts')
      .addColumn('id', idType, idBuild)
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('lower_name', text, (c) => c.notNull().unique())
      .addColumn('full_name', text, (c) => c.notNull())
      .addColumn('email', text, (c) => c.notNull())
      .addColumn('lower_email', text, (c) => c.unique())
      .addColumn('keeps_email_private', int, (c) => c.notNull().defaultTo(0))
      .addColumn('password_hash', text)
      .addColumn('credential_version', int, (c) => c.notNull().defaultTo(1))
      .addColumn('is_admin', int, (c) => c.notNull().defaultTo(0))
      .addColumn('is_active', int, (c) => c.notNull().defaultTo(1))
      .addColumn('is_login_prohibited', int, (c) => c.notNull().defaultTo(0))
      .addColumn('is_restricted', int, (c) => c.notNull().defaultTo(0))
      .addColumn('must_change_password', int, (c) => c.notNull().defaultTo(0))
      .addColumn('visibility', text, (c) => c.notNull().defaultTo('public'))
      .addColumn('website', text, (c) => c.notNull().defaultTo(''))
      .addColumn('location', text, (c) => c.notNull().defaultTo(''))
      .addColumn('description', text, (c) => c.notNull().defaultTo(''))
      .addColumn('pronouns', text, (c) => c.notNull().defaultTo(''))
      .addColumn('language', text, (c) => c.notNull().defaultTo(''))
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addColumn('last_login_at', int)
      .execute();

    await db.schema
      .createTable('tokens')
      .addColumn('id', idType, idBuild)
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('digest', text, (c) => c.notNull().unique())
      .addColumn('last_eight', text, (c) => c.notNull())
      .addColumn('scopes', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addUniqueConstraint('tokens_account_name', ['account_id', 'name'])
      .execute();

    await db.schema
      .createTable('repositories')
      .addColumn('id', int, (c) => c.primaryKey())
      .addColumn('owner_id', int, (c) => c.notNull().references('accounts.id'))
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('lower_name', text, (c) => c.notNull())
      .addColumn('description', text, (c) => c.notNull().defaultTo(''))
      .addColumn('website', text, (c) => c.notNull().defaultTo(''))
      .addColumn('is_private', int, (c) => c.notNull())
      .addColumn('is_template', int, (c) => c.notNull().defaultTo(0))
      .addColumn('is_mirror', int, (c) => c.notNull().defaultTo(0))
      .addColumn('is_empty', int, (c) => c.notNull().defaultTo(1))
      .addColumn('archived_at', int)
      .addColumn('trust_model', text, (c) => c.notNull().defaultTo('default'))
      .addColumn('size_bytes', int, (c) => c.notNull().defaultTo(0))
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addUniqueConstraint('repositories_owner_name', ['owner_id', 'lower_name'])
      .execute();

    await db.schema
      .createTable('repository_intents')
      .addColumn('id', idType, idBuild)
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();

    await db.schema
      .createTable('collaborations')
      .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('level', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('collaborations_key', ['repository_id', 'account_id'])
      .execute();
    await db.schema.createIndex('collaborations_account').on('collaborations').column('account_id').execute();

    await db.schema
      .createTable('git_repositories')
      .addColumn('id', int, (c) => c.primaryKey())
      .addColumn('object_format', text, (c) => c.notNull())
      .addColumn('head', text, (c) => c.notNull())
      .addColumn('gen', int, (c) => c.notNull().defaultTo(1))
      .addColumn('prune_gen', int, (c) => c.notNull().defaultTo(0))
      .addColumn('staged', text)
      .execute();

    await db.schema
      .createTable('git_refs')
      .addColumn('repository_id', int, (c) =>
        c.notNull().references('git_repositories.id').onDelete('cascade'),
      )
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('oid', text)
      .addColumn('peeled', text)
      .addColumn('gen', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('git_refs_key', ['repository_id', 'name'])
      .execute();
    await db.schema.createIndex('git_refs_gen').on('git_refs').columns(['repository_id', 'gen']).execute();

    await db.schema
      .createTable('git_removed')
      .addColumn('repository_id', int, (c) => c.primaryKey())
      .addColumn('removed_at', int, (c) => c.notNull())
      .execute();

    await db.schema
      .createTable('events')
      .addColumn('position', idType, idBuild)
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('actor_id', int)
      .addColumn('repository_id', int)
      .addColumn('payload', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
  },
};
