import { bytewiseText, idColumn, wholeNumber } from './columns.ts';
import type { Migration } from './migration.ts';

/** Files of issues and comments. */
export const issueAttachments: Migration = {
  name: 'issue-attachments',
  async up(db, dialect) {
    const int = wholeNumber(dialect);
    const text = bytewiseText(dialect);
    const [idType, idBuild] = idColumn(dialect);
    await db.schema
      .createTable('issue_attachments')
      .addColumn('id', idType, idBuild)
      .addColumn('uuid', text, (c) => c.notNull().unique())
      // The row stays until the file is deleted.
      .addColumn('issue_id', int, (c) => c.references('issues.id').onDelete('set null'))
      .addColumn('repository_id', int)
      .addColumn('entry_id', int)
      .addColumn('account_id', int, (c) => c.references('accounts.id').onDelete('set null'))
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('sha256', text, (c) => c.notNull())
      .addColumn('bytes', int, (c) => c.notNull())
      .addColumn('downloads', int, (c) => c.notNull())
      .addColumn('collect_at', int, (c) => c.notNull())
      .addColumn('is_doomed', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .execute();
    for (const [name, columns] of INDEXES) {
      await db.schema
        .createIndex(`issue_attachments_${name}`)
        .on('issue_attachments')
        .columns([...columns])
        .execute();
    }
  },
};

const INDEXES = [
  ['issue', ['issue_id', 'entry_id']],
  ['entry', ['entry_id']],
  ['repository', ['repository_id']],
  ['account', ['account_id']],
] as const;
