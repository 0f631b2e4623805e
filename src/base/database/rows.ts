/** Makes a row from its values, in the order of the columns. */
export type MakeRow = (values: readonly unknown[]) => object;

const MAKERS_MAX = 1_000;
/** by the names of the columns: statements with the same columns share one */
const makers = new Map<string, MakeRow>();

/**
 * Returns a function that makes rows with these columns. It is compiled, so that all rows of a statement have the same
 * hidden class: setting one property after the other takes several times as long for a wide row.
 *
 * @param columns names from statements of this program, never from a request
 */
export function makerOfRows(columns: readonly string[]): MakeRow {
  const fields = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`).join(', ');
  const known = makers.get(fields);
  if (known !== undefined) return known;
  const make = new Function('values', `return { ${fields} };`) as MakeRow;
  if (makers.size >= MAKERS_MAX) makers.clear();
  makers.set(fields, make);
  return make;
}
