import type { Kysely } from 'kysely';
import type { Dialect } from '../database.ts';
import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration runs on the schema of its time, which the app's types do not describe
type Schema = Kysely<any>;

const UNITS = [
  'code',
  'issues',
  'ext_issues',
  'pulls',
  'releases',
  'wiki',
  'ext_wiki',
  'projects',
  'packages',
  'actions',
];

export const organizations: Migration = {
  name: 'organizations',
  async up(db, dialect) {
    await extendAccounts(db, dialect);
    await addOrganizations(db, dialect);
    await addTeams(db, dialect);
    await limitTokens(db, dialect);
  },
};

async function extendAccounts(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  const text = bytewiseText(dialect);
  const flags = [
    ['may_create_organizations', 1],
    ['hides_activity', 0],
    ['hides_pronouns', 0],
    ['shows_unit_hints', 1],
  ] as const;
  for (const [name, value] of flags) {
    await db.schema
      .alterTable('accounts')
      .addColumn(name, int, (c) => c.notNull().defaultTo(value))
      .execute();
  }
  for (const name of ['theme', 'diff_view_style']) {
    await db.schema
      .alterTable('accounts')
      .addColumn(name, text, (c) => c.notNull().defaultTo(''))
      .execute();
  }
  // These indexes alone find every page of a list, including late ones.
  const orders = {
    id: ['kind', 'id'],
    name: ['kind', 'lower_name', 'visibility', 'is_active', 'id'],
    creation: ['kind', 'created_at', 'id'],
    change: ['kind', 'updated_at', 'id'],
  };
  for (const [order, columns] of Object.entries(orders)) {
    await db.schema.createIndex(`accounts_by_${order}`).on('accounts').columns(columns).execute();
  }

  await db.schema
    .createTable('account_emails')
    .addColumn('lower_email', text, (c) => c.primaryKey())
    .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('email', text, (c) => c.notNull())
    .addColumn('is_primary', int, (c) => c.notNull())
    .addColumn('created_at', int, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('account_emails_account').on('account_emails').column('account_id').execute();
  await db
    .insertInto('account_emails')
    .columns(['lower_email', 'account_id', 'email', 'is_primary', 'created_at'])
    .expression((from) =>
      from
        .selectFrom('accounts')
        .where('lower_email', 'is not', null)
        .select(['lower_email', 'id', 'email', (is) => is.lit(1).as('is_primary'), 'created_at']),
    )
    .execute();

  await db.schema
    .createTable('account_redirects')
    .addColumn('lower_name', text, (c) => c.primaryKey())
    .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('created_at', int, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('account_redirects_account')
    .on('account_redirects')
    .column('account_id')
    .execute();
}

async function addOrganizations(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  await db.schema
    .createTable('organizations')
    .addColumn('id', int, (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
    .addColumn('repository_admins_change_teams', int, (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('organization_members')
    .addColumn('organization_id', int, (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('is_public', int, (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', int, (c) => c.notNull())
    .addPrimaryKeyConstraint('organization_members_key', ['organization_id', 'account_id'])
    .execute();
  await db.schema
    .createIndex('organization_members_account')
    .on('organization_members')
    .columns(['account_id', 'organization_id'])
    .execute();
}

async function addTeams(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  const text = bytewiseText(dialect);
  const [idType, idBuild] = idColumn(dialect);
  let teams = db.schema
    .createTable('teams')
    .addColumn('id', idType, idBuild)
    .addColumn('organization_id', int, (c) => c.notNull().references('organizations.id').onDelete('cascade'))
    .addColumn('name', text, (c) => c.notNull())
    .addColumn('lower_name', text, (c) => c.notNull())
    .addColumn('description', text, (c) => c.notNull())
    .addColumn('level', int, (c) => c.notNull())
    .addColumn('includes_all_repositories', int, (c) => c.notNull())
    .addColumn('can_create_repositories', int, (c) => c.notNull())
    .addColumn('created_at', int, (c) => c.notNull())
    .addUniqueConstraint('teams_organization_name', ['organization_id', 'lower_name']);
  for (const unit of UNITS) teams = teams.addColumn(`${unit}_level`, int);
  await teams.execute();

  await db.schema
    .createTable('team_members')
    .addColumn('team_id', int, (c) => c.notNull().references('teams.id').onDelete('cascade'))
    .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('organization_id', int, (c) => c.notNull())
    .addColumn('created_at', int, (c) => c.notNull())
    .addPrimaryKeyConstraint('team_members_key', ['team_id', 'account_id'])
    .execute();
  await db.schema
    .createIndex('team_members_account')
    .on('team_members')
    .columns(['account_id', 'organization_id', 'team_id'])
    .execute();

  await db.schema
    .createTable('team_repositories')
    .addColumn('team_id', int, (c) => c.notNull().references('teams.id').onDelete('cascade'))
    .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
    .addColumn('created_at', int, (c) => c.notNull())
    .addPrimaryKeyConstraint('team_repositories_key', ['team_id', 'repository_id'])
    .execute();
  await db.schema
    .createIndex('team_repositories_repository')
    .on('team_repositories')
    .columns(['repository_id', 'team_id'])
    .execute();
}

async function limitTokens(db: Schema, dialect: Dialect): Promise<void> {
  const int = wholeNumber(dialect);
  await db.schema
    .alterTable('tokens')
    .addColumn('is_limited', int, (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('token_repositories')
    .addColumn('token_id', int, (c) => c.notNull().references('tokens.id').onDelete('cascade'))
    .addColumn('repository_id', int, (c) => c.notNull().references('repositories.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('token_repositories_key', ['token_id', 'repository_id'])
    .execute();
  await db.schema
    .createIndex('token_repositories_repository')
    .on('token_repositories')
    .column('repository_id')
    .execute();
}
