import { CompiledQuery, type QueryResult } from 'kysely';
import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import { type Db, dialectOf } from './database.ts';
import { directReadOf } from './direct-reads.ts';
import { type Fragment, fragment, raw, withoutIndexes } from './fragment.ts';

/**
 * Runs a statement and returns its rows.
 *
 * Building a statement with Kysely costs several times what running a prepared one costs. Use this for statements that
 * many requests run, and for those that Kysely cannot express.
 */
export async function query<Row>(db: Db, statement: Fragment): Promise<Row[]> {
  const read = directReadOf(db);
  if (read !== undefined) return read(statement.sql, statement.parameters) as Row[];
  const text = dialectOf(db) === 'postgres' ? numbered(statement.sql) : statement.sql;
  const result: QueryResult<Row> = await db.executeQuery<Row>(
    CompiledQuery.raw(text, [...statement.parameters]),
  );
  return result.rows;
}

/** Returns the first row of a statement. */
export async function queryFirst<Row>(db: Db, statement: Fragment): Promise<Row | undefined> {
  const [row] = await query<Row>(db, statement);
  return row;
}

/** What a list consists of: `select … from … order by …`. */
interface ListStatement {
  readonly select: Fragment;
  /** tables and conditions */
  readonly from: Fragment;
  readonly orderBy: Fragment;
}

/** Returns one page of a list, and the number of all its rows. */
export async function queryPage<Row, Item>(
  db: Db,
  { select, from, orderBy }: ListStatement,
  paging: Paging,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const rows = await query<Row>(
    db,
    fragment`select ${select} from ${from} order by ${orderBy} limit ${paging.limit} offset ${offsetOf(paging)}`,
  );
  return { items: rows.map(itemOf), total: await queryCount(db, from) };
}

/** Returns how many rows `from` has. */
export async function queryCount(db: Db, from: Fragment): Promise<number> {
  const counted = await queryFirst<{ total: number }>(db, fragment`select count(*) as total from ${from}`);
  return counted?.total ?? 0;
}

const NUMBERED_MAX = 500;
/** Texts by the same text with `?`. */
const numberedTexts = new Map<string, string>();

/** PostgreSQL's form of a text: `$1`, `$2` and so on instead of `?`. */
function numbered(text: string): string {
  const known = numberedTexts.get(text);
  if (known !== undefined) return known;
  let count = 0;
  const found = withoutIndexes(text).replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
  if (numberedTexts.size >= NUMBERED_MAX) numberedTexts.clear();
  numberedTexts.set(text, found);
  return found;
}

/** A statement that returns the members of a list, with one parameter however long it is. */
export function listed(db: Db, column: string, list: readonly (string | number)[]): Fragment {
  const json = JSON.stringify(list);
  if (dialectOf(db) === 'sqlite') return fragment`select value as ${raw(column)} from json_each(${json})`;
  const type = raw(typeof list[0] === 'number' ? 'bigint' : 'text');
  return fragment`select cast(value as ${type}) as ${raw(column)} from json_array_elements_text(cast(${json} as json))`;
}
