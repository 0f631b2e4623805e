import { sql } from 'kysely';
import { idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** When the clients of this server were first known to it. */
const CREATED_AT = Date.UTC(2026, 10, 29);
/** Programs on the machine of a user: each listens on a port of its own for the answer. */
const BUILT_IN = [
  ['a4792ccc-144e-407e-86c9-5e7d8d9c3269', 'git-credential-oauth'],
  ['e90ee53c-94e2-48ac-9358-a874fb9e0662', 'Git Credential Manager'],
  ['d57cb8c4-630c-4168-8324-ec79935e18d4', 'tea'],
] as const;

/** Applications that act for users by OAuth2, and the keys of OpenID Connect. */
export const oauth: Migration = {
  name: 'oauth',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    await db.schema
      .createTable('oauth_applications')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('cascade'))
      .addColumn('client_id', 'text', (c) => c.notNull().unique())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('secret_digest', 'text')
      .addColumn('redirect_uris', 'text', (c) => c.notNull())
      .addColumn('is_confidential', int, (c) => c.notNull())
      .addColumn('skips_consent', int, (c) => c.notNull())
      .addColumn('is_built_in', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('oauth_grants')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('application_id', int, (c) =>
        c.notNull().references('oauth_applications.id').onDelete('cascade'),
      )
      .addColumn('account_id', int, (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('version', int, (c) => c.notNull())
      .addColumn('scopes', 'text', (c) => c.notNull())
      .addColumn('nonce', 'text', (c) => c.notNull())
      .addColumn('proved_at', int, (c) => c.notNull())
      .addColumn('code_digest', 'text', (c) => c.notNull().unique())
      .addColumn('code_redirect_uri', 'text')
      .addColumn('code_challenge', 'text', (c) => c.notNull())
      .addColumn('code_challenge_method', 'text', (c) => c.notNull())
      .addColumn('is_redeemed', int, (c) => c.notNull())
      .addColumn('family_digest', 'text', (c) => c.unique())
      .addColumn('refresh_digest', 'text')
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('used_at', int, (c) => c.notNull())
      .addColumn('ends_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('oauth_tokens')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('grant_id', int, (c) => c.notNull().references('oauth_grants.id').onDelete('cascade'))
      .addColumn('digest', 'text', (c) => c.notNull().unique())
      .addColumn('scopes', 'text', (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('ends_at', int, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('oauth_keys')
      .addColumn('id', ...idColumn(dialect))
      .addColumn('kid', 'text', (c) => c.notNull().unique())
      .addColumn('public_jwk', 'text', (c) => c.notNull())
      .addColumn('sealed', 'text', (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('ends_at', int)
      .execute();
    for (const statement of [
      'create index oauth_applications_account on oauth_applications (account_id, id)',
      'create index oauth_grants_account on oauth_grants (account_id, application_id, is_redeemed, used_at)',
      'create index oauth_grants_application on oauth_grants (application_id)',
      'create index oauth_grants_end on oauth_grants (ends_at)',
      'create index oauth_tokens_grant on oauth_tokens (grant_id, id)',
    ])
      await sql.raw(statement).execute(db);
    await addBuiltIn(db);
  },
};

async function addBuiltIn(db: Parameters<Migration['up']>[0]): Promise<void> {
  for (const [clientId, name] of BUILT_IN)
    await sql`insert into oauth_applications
      (client_id, name, redirect_uris, is_confidential, skips_consent, is_built_in, created_at)
      values (${clientId}, ${name}, ${'http://127.0.0.1/\nhttps://127.0.0.1/'}, 0, 0, 1, ${CREATED_AT})`.execute(
      db,
    );
}
