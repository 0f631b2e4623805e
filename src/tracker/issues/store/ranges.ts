import { type Fragment, fragment, raw } from '../../../base/database/fragment.ts';

/** A row of a list, with its sort keys. */
export interface Row {
  readonly id: number;
  readonly k0: number;
  readonly k1?: number;
}

function keysOf({ k0, k1 }: Row): readonly number[] {
  return k1 === undefined ? [k0] : [k0, k1];
}

/** A range of an index. */
export interface Range {
  /** All rows have the same first key, so the second key sorts them. */
  readonly isOfOneKey?: boolean;
  readonly conditions: readonly Fragment[];
}

export const WHOLE: Range = { conditions: [] };

/**
 * Ranges of an index that together have the rows from `from` up to, but not including, `to`. Comparing both keys at
 * once would not be a range of the index if the first key is an expression.
 */
export function rangesBetween(
  { keys, isAscending }: { readonly keys: readonly Fragment[]; readonly isAscending: boolean },
  from: Row | undefined,
  to?: Row | undefined,
): readonly Range[] {
  const [first = raw(''), second] = keys;
  const [after, before] = isAscending ? [raw('>'), raw('<')] : [raw('<'), raw('>')];
  const [low, lowNext = 0] = from === undefined ? [] : keysOf(from);
  const [high, highNext = 0] = to === undefined ? [] : keysOf(to);
  if (second === undefined)
    return [
      {
        conditions: [
          ...(low === undefined ? [] : [fragment`${first} ${after}= ${low}`]),
          ...(high === undefined ? [] : [fragment`${first} ${before} ${high}`]),
        ],
      },
    ];
  const is = (value: number) => fragment`${first} = ${value}`;
  const fromNext = fragment`${second} ${after}= ${lowNext}`;
  const upToNext = fragment`${second} ${before} ${highNext}`;
  if (low !== undefined && low === high)
    return [{ isOfOneKey: true, conditions: [is(low), fromNext, upToNext] }];
  return [
    ...(low === undefined ? [] : [{ isOfOneKey: true, conditions: [is(low), fromNext] }]),
    {
      conditions: [
        ...(low === undefined ? [] : [fragment`${first} ${after} ${low}`]),
        ...(high === undefined ? [] : [fragment`${first} ${before} ${high}`]),
      ],
    },
    ...(high === undefined ? [] : [{ isOfOneKey: true, conditions: [is(high), upToNext] }]),
  ];
}
