import { invalid } from '../../../base/core/failure.ts';
import { BY_NAME, type RepositoryOrder } from '../selection.ts';

/** Names of the orders of `GET /user/repos` on the wire. */
const LIST_ORDERS: ReadonlyMap<string, RepositoryOrder> = new Map(
  Object.entries({
    name: ['name', 'asc'],
    id: ['id', 'asc'],
    newest: ['creation', 'desc'],
    oldest: ['creation', 'asc'],
    recentupdate: ['change', 'desc'],
    leastupdate: ['change', 'asc'],
    reversealphabetically: ['name', 'desc'],
    alphabetically: ['name', 'asc'],
    reversesize: ['size', 'desc'],
    size: ['size', 'asc'],
    // The size of a repository includes its large files. There is no order for either part alone.
    reversegitsize: ['size', 'desc'],
    gitsize: ['size', 'asc'],
    reverselfssize: ['id', 'desc'],
    lfssize: ['id', 'asc'],
    moststars: ['stars', 'desc'],
    feweststars: ['stars', 'asc'],
    mostforks: ['forks', 'desc'],
    fewestforks: ['forks', 'asc'],
  } as const satisfies Record<string, [RepositoryOrder['by'], 'asc' | 'desc']>).map(
    ([name, [by, direction]]) => [name, { by, isDescending: direction === 'desc' }],
  ),
);

/** @throws ForgeError `invalid` */
export function listOrderOf(name: string | undefined): RepositoryOrder {
  if (name === undefined || name === '') return BY_NAME;
  const order = LIST_ORDERS.get(name);
  if (order === undefined) throw invalid(`[OrderBy]: no such order: "${name}"`);
  return order;
}
