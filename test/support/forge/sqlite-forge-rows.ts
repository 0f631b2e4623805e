import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  afterwards,
  BEFORE,
  type ForgeRows,
  IDS_PASSED,
  LASTING_TABLES,
  type Restored,
} from './forge-rows.ts';

/** Deleting the rows of a larger file takes longer than starting a forge. */
const PAGES_ADDED_MAX = 1_000;
/** SQLITE_BUSY, the low byte of the codes of errors that pass. */
const BUSY = 5;

interface Table {
  readonly name: string;
  /** a statement that returns a row if the table has rows */
  readonly check: string;
  readonly clear: string;
}

/** On a connection of its own, which compares no foreign keys. */
export class SqliteForgeRows implements ForgeRows {
  readonly #db: DatabaseSync;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #filled: StatementSync;
  readonly #state: StatementSync;
  readonly #first: State;
  readonly #firstFilled: readonly string[];
  readonly #readAt = Date.now();

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 0 });
    this.#db.exec('pragma foreign_keys = off; pragma synchronous = off; pragma temp_store = memory');
    this.#tables = new Map(tablesOf(this.#db).map((table) => [table.name, table]));
    this.#filled = this.#db.prepare([...this.#tables.values()].map(({ check }) => check).join(' union all '));
    this.#state = this.#db.prepare(`select schema_version as schema, page_count as pages,
      exists (select 1 from jobs where leased_by is not null) as "isWorking" from pragma_schema_version, pragma_page_count`);
    passIds(this.#db);
    this.#first = this.#readState();
    this.#firstFilled = this.#listFilled();
    for (const name of this.#firstFilled)
      this.#db.exec(`create temp table "first ${name}" as select * from main."${name}"`);
  }

  async restore(): Promise<Restored> {
    try {
      this.#db.exec('begin immediate');
    } catch (error) {
      if (isBusy(error)) return 'in use';
      throw error;
    }
    const before = this.#readState();
    const isLost = before.schema !== this.#first.schema || before.pages > this.#first.pages + PAGES_ADDED_MAX;
    if (isLost || before.isWorking) {
      this.#db.exec('rollback');
      return isLost ? 'lost' : 'in use';
    }
    this.#db.exec(this.#restoring());
    return 'restored';
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #restoring(): string {
    return [
      ...BEFORE,
      ...this.#listFilled().map((name) => this.#tables.get(name)?.clear),
      ...this.#firstFilled.map((name) => `insert into main."${name}" select * from temp."first ${name}"`),
      ...afterwards(`${Date.now() - this.#readAt}`, "select seq from sqlite_sequence where name = 'events'"),
      'update search_versions set version = version + 1',
      'commit',
    ].join(';\n');
  }

  #listFilled(): readonly string[] {
    return this.#filled.all().map(({ name }) => String(name));
  }

  #readState(): State {
    const { schema, pages, isWorking } = this.#state.get() ?? {};
    return { schema: Number(schema), pages: Number(pages), isWorking: isWorking === 1 };
  }
}

function passIds(db: DatabaseSync): void {
  const tables = db.prepare(
    "select name from sqlite_master where type = 'table' and sql like '%autoincrement%'",
  );
  const known = db.prepare('update sqlite_sequence set seq = seq + ? where name = ?');
  const added = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)');
  for (const { name } of tables.all()) {
    if (known.run(IDS_PASSED, String(name)).changes === 0) added.run(String(name), IDS_PASSED);
  }
}

interface State {
  /** changes with the schema */
  readonly schema: number;
  readonly pages: number;
  /** whether a process runs a job */
  readonly isWorking: boolean;
}

/** Lists the tables with rows to restore. Those of full-text indexes belong to the indexes. */
function tablesOf(db: DatabaseSync): readonly Table[] {
  const all = db
    .prepare("select name, sql like 'create virtual%' as is_index from sqlite_master where type = 'table'")
    .all()
    .map(({ name, is_index }) => ({ name: String(name), isIndex: is_index === 1 }));
  const indexes = all.filter(({ isIndex }) => isIndex).map(({ name }) => name);
  const isPart = (name: string) => indexes.some((index) => name.startsWith(`${index}_`));
  return all
    .filter(({ name }) => !name.startsWith('sqlite_') && !LASTING_TABLES.includes(name) && !isPart(name))
    .map(({ name, isIndex }) => ({
      name,
      check: `select '${name}' as name where exists (select 1 from "${isIndex ? `${name}_docsize` : name}")`,
      // A full-text index without its texts knows this command only. https://www.sqlite.org/fts5.html#the_delete_all_command
      clear: isIndex
        ? `insert into "${name}" ("${name}") values ('delete-all')`
        : `delete from main."${name}"`,
    }));
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === BUSY;
}
