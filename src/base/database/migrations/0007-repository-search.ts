import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../database.ts';
import { bytewiseText, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration runs on the schema of its time, which the app's types do not describe
type Schema = Kysely<any>;

/**
 * Triggers maintain the columns and indexes that a search uses. They depend on rows of several tables, and one
 * forgotten update would show a repository to people who must not see it.
 */
export const repositorySearch: Migration = {
  name: 'repository search',
  async up(db, dialect) {
    await addColumns(db, dialect);
    if (dialect === 'sqlite') await keepOnSqlite(db);
    else await keepOnPostgres(db);
    // This update makes the triggers fill existing rows.
    await sql`update repositories set is_private = is_private, lower_description = lower(description)`.execute(
      db,
    );
    await addOrders(db);
    if (dialect === 'postgres') await addTrigrams(db);
  },
};

async function addColumns(db: Schema, dialect: Dialect): Promise<void> {
  const repositories = () => db.schema.alterTable('repositories');
  const [int, text] = [wholeNumber(dialect), bytewiseText(dialect)];
  await repositories()
    .addColumn('facets', int, (c) => c.notNull().defaultTo(0))
    .execute();
  for (const name of ['owner_lower_name', 'lower_description']) {
    await repositories()
      .addColumn(name, text, (c) => c.notNull().defaultTo(''))
      .execute();
  }
}

/** Visibility in steps of 16, plus one bit each for archived, template, mirror and fork. */
function facetsOf(row: string, visibility: string): string {
  return `(case when ${row}.is_private = 1 then 48 else case ${visibility} when 'public' then 0 when 'limited' then 16 else 32 end end
    + case when ${row}.archived_at is null then 0 else 8 end
    + case when ${row}.is_template = 1 then 4 else 0 end
    + case when ${row}.is_mirror = 1 then 2 else 0 end
    + case when ${row}.parent_id is null then 0 else 1 end)`;
}

const FACET_COLUMNS = 'owner_id, is_private, is_template, is_mirror, archived_at, parent_id';

/**
 * SQLite triggers cannot change the row that is being written, so they write it again. The trigram index stores
 * trigrams without their positions, so a query compares its matches with the text afterwards.
 */
async function keepOnSqlite(db: Schema): Promise<void> {
  const ownerIs = (column: string) => `(select o.${column} from accounts o where o.id = new.owner_id)`;
  const follow = `facets = ${facetsOf('new', ownerIs('visibility'))}, owner_lower_name = ${ownerIs('lower_name')}`;
  const indexed = `insert into repository_trigrams (rowid, text, description)
    select r.id, r.lower_name || ' ' || r.topics || ' ', r.lower_description from repositories r where r.id = new.id;`;
  const counted = 'update search_versions set version = version + 1;';
  const statements = [
    `create virtual table repository_trigrams using fts5 (text, description, tokenize = 'trigram', content = '',
      contentless_delete = 1, detail = column)`,
    'create table search_versions (version integer not null)',
    'insert into search_versions (version) values (1)',
    `create trigger repositories_made after insert on repositories begin
      update repositories set ${follow},
        lower_description = case when new.lower_description = '' then lower(new.description) else new.lower_description end
        where id = new.id;
    end`,
    `create trigger repositories_facets after update of ${FACET_COLUMNS} on repositories begin
      update repositories set ${follow} where id = new.id;
    end`,
    `create trigger repositories_description after update of description on repositories
      when new.description <> old.description and new.lower_description = old.lower_description begin
      update repositories set lower_description = lower(new.description) where id = new.id;
    end`,
    `create trigger repositories_text after update of lower_name, topics, lower_description on repositories begin
      delete from repository_trigrams where rowid = new.id;
      ${indexed}
      ${counted}
    end`,
    `create trigger repositories_seen after update of facets, owner_lower_name on repositories
      when new.facets <> old.facets or new.owner_lower_name <> old.owner_lower_name begin
      ${counted}
    end`,
    `create trigger repositories_gone after delete on repositories begin
      delete from repository_trigrams where rowid = old.id;
      ${counted}
    end`,
    `create trigger accounts_seen after update of visibility, lower_name on accounts
      when new.visibility <> old.visibility or new.lower_name <> old.lower_name begin
      update repositories set facets = ${facetsOf('repositories', 'new.visibility')},
        owner_lower_name = new.lower_name where owner_id = new.id;
    end`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

async function keepOnPostgres(db: Schema): Promise<void> {
  const statements = [
    // Locks the owner: otherwise a concurrent change of its visibility and this write would miss each other.
    `create function repositories_follow() returns trigger language plpgsql as $$
    declare owner record;
    begin
      select o.visibility, o.lower_name into owner from accounts o where o.id = new.owner_id for share;
      new.facets := ${facetsOf('new', 'owner.visibility')};
      new.owner_lower_name := coalesce(owner.lower_name, '');
      return new;
    end $$`,
    `create trigger repositories_facets before insert or update of ${FACET_COLUMNS} on repositories
      for each row execute function repositories_follow()`,
    `create function repositories_describe() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        if new.lower_description = '' then new.lower_description := lower(new.description); end if;
      elsif new.description <> old.description and new.lower_description = old.lower_description then
        new.lower_description := lower(new.description);
      end if;
      return new;
    end $$`,
    `create trigger repositories_description before insert or update of description on repositories
      for each row execute function repositories_describe()`,
    `create function accounts_lead() returns trigger language plpgsql as $$
    begin
      update repositories set facets = ${facetsOf('repositories', 'new.visibility')},
        owner_lower_name = new.lower_name where owner_id = new.id;
      return null;
    end $$`,
    `create trigger accounts_seen after update of visibility, lower_name on accounts for each row
      when (new.visibility <> old.visibility or new.lower_name <> old.lower_name) execute function accounts_lead()`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** One index for each order of a list, including the columns that decide whether a walk skips a row. */
async function addOrders(db: Schema): Promise<void> {
  const orders = {
    name: ['lower_name', 'owner_lower_name', 'facets', 'topics'],
    creation: ['created_at', 'id', 'facets'],
    change: ['updated_at', 'id', 'facets'],
    size: ['size_bytes', 'id', 'facets'],
    stars: ['stars_count', 'id', 'facets'],
    forks: ['forks_count', 'id', 'facets'],
    owner: ['owner_id', 'facets'],
  };
  for (const [order, columns] of Object.entries(orders)) {
    await db.schema.createIndex(`repositories_by_${order}`).on('repositories').columns(columns).execute();
  }
  await sql`create index repositories_by_text
    on repositories (facets, (lower_name || ' ' || topics || ' '))`.execute(db);
}

/** Without the permission to add extensions, there is no trigram index and a search scans all texts. */
async function addTrigrams(db: Schema): Promise<void> {
  await sql`do $$ begin
    create extension if not exists pg_trgm;
  exception when insufficient_privilege or undefined_file or feature_not_supported then null;
  end $$`.execute(db);
  const { rows } = await sql`select 1 from pg_extension where extname = 'pg_trgm'`.execute(db);
  if (rows.length === 0) return;
  await sql`create index repositories_text_trigrams on repositories
    using gin ((lower_name || ' ' || topics || ' ') gin_trgm_ops)`.execute(db);
  await sql`create index repositories_description_trigrams on repositories
    using gin (lower_description gin_trgm_ops)`.execute(db);
}
