import { invalid } from '../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import type { Database } from '../../base/database/database.ts';
import { requireSubject } from './administration.ts';
import type { CountedFile, CountedFiles } from './model.ts';
import type { OwnerQuota } from './present.ts';
import type { Quota } from './service.ts';
import { kindsOf } from './subjects.ts';

interface Dependencies {
  readonly database: Database;
  readonly quota: Quota;
}

/** Shows owners what they have stored, and which limits apply to them. */
export class QuotaUsage {
  readonly #use: Dependencies;
  readonly #attachments: CountedFiles[] = [];

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Adds the attachments of a feature to the list. */
  addAttachments(files: CountedFiles): void {
    this.#attachments.push(files);
  }

  async get(ownerId: number): Promise<OwnerQuota> {
    const { database, quota } = this.#use;
    const used = await quota.usedBy(database.reader, ownerId);
    return { used, groups: await quota.groupsOf(database.reader, ownerId) };
  }

  /** Returns whether an owner may store more of what a subject covers. @throws ForgeError `invalid` */
  async check(ownerId: number, subject: string | undefined): Promise<boolean> {
    if (subject === undefined) throw invalid('subject is missing');
    requireSubject(subject);
    return this.#use.quota.isWithin(this.#use.database.reader, ownerId, kindsOf(subject) ?? []);
  }

  /** Lists the attachments that count for an owner, of one feature after the other. */
  async listAttachments(ownerId: number, paging: Paging): Promise<Page<CountedFile>> {
    const { reader } = this.#use.database;
    const items: CountedFile[] = [];
    let total = 0;
    let offset = offsetOf(paging);
    for (const files of this.#attachments) {
      const count = await files.count(reader, ownerId);
      const limit = paging.limit - items.length;
      if (limit > 0 && offset < count) items.push(...(await files.list(reader, ownerId, { offset, limit })));
      offset = Math.max(offset - count, 0);
      total += count;
    }
    return { items, total };
  }
}
