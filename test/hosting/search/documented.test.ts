import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { change, found } from './rows.ts';

// One test per row of the documented tables of the search.

const SEARCH = '/api/v1/repos/search';

/** Repositories that ben, the default caller, sees in alphabetical order. */
const ALL = ['ash', 'bay', 'elm', 'fir', 'Oak', 'yew'];

async function own(person: Person): Promise<number> {
  return (await person.get('/api/v1/user')).body.id;
}

/** Starts a forge whose repositories differ in every filter and order of the search. */
async function startTrees(t: Parameters<typeof startForge>[0]) {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const oak = await ada.repository('Oak', { description: 'Has acorns' });
  await ada.repository('elm', { template: true });
  await ada.repository('ash');
  await ada.repository('fir', { private: true });
  await ben.repository('bay');
  await ben.repository('yew', { description: 'Has acorns' });
  const done = [
    await ada.put('/api/v1/repos/ada/elm/topics', { topics: ['shade', 'shade-lover'] }),
    await ada.put('/api/v1/repos/ada/ash/topics', { topics: ['lover'] }),
    await ada.patch('/api/v1/repos/ada/ash', { archived: true }),
    await ada.put('/api/v1/repos/ada/fir/collaborators/ben', { permission: 'read' }),
    await ben.put('/api/v1/user/starred/ada/elm'),
  ];
  for (const { status, text } of done) assert.ok(status < 300, text);
  // Set in the row, because a fork created through the API is measured later.
  await change(forge, 'ben/yew', { parent_id: oak.id });
  await change(forge, 'ben/bay', { is_mirror: 1 });
  // The order of creation, of updates and of sizes differ.
  for (const [index, name] of ['ada/oak', 'ada/elm', 'ada/ash', 'ada/fir', 'ben/bay', 'ben/yew'].entries())
    await change(forge, name, {
      created_at: index,
      updated_at: 9 - index,
      size_bytes: [30, 10, 60, 20, 50, 40][index] ?? 0,
    });
  return { forge, ada, ben, adasId: await own(ada), bensId: await own(ben) };
}

type Trees = Awaited<ReturnType<typeof startTrees>>;
interface Row {
  readonly row: string;
  /** expected names in order */
  readonly finds: (trees: Trees) => readonly (readonly [query: string, names: readonly string[]])[];

  /** the same for an anonymous caller */
  readonly anonymous?: readonly (readonly [query: string, names: readonly string[]])[];
}

const PUBLIC = ['ash', 'bay', 'elm', 'Oak', 'yew'];

const ROWS: readonly Row[] = [
  {
    row: 'q: keyword, surrounding spaces trimmed',
    finds: () => [
      ['q=oa', ['Oak']],
      ['q=%20%20oAK%20', ['Oak']],
      ['q=%20', ALL],
      ['q=acorn', []],
    ],
  },
  {
    row: 'topic: limit matching to topics',
    finds: () => [
      ['q=shade&topic=true', ['elm']],
      ['q=elm&topic=true', []],
      ['q=elm&topic=false', ['elm']],
      ['q=lover&topic=true', ['ash']],
    ],
  },
  {
    row: 'includeDesc: also match keyword in description',
    finds: () => [
      ['q=acorn&includeDesc=true', ['Oak', 'yew']],
      ['q=oak&includeDesc=true', ['Oak']],
      ['q=acorn&includeDesc=false', []],
    ],
  },
  {
    row: 'uid: repositories the user owns or contributes to',
    finds: ({ adasId, bensId }) => [
      [`uid=${bensId}`, ['bay', 'fir', 'yew']],
      [`uid=${adasId}`, ['ash', 'elm', 'fir', 'Oak']],
    ],
  },
  {
    row: 'priority_owner_id: owner to rank first',
    finds: ({ adasId, bensId }) => [
      [`priority_owner_id=${bensId}`, ['bay', 'yew', 'ash', 'elm', 'fir', 'Oak']],
      [`priority_owner_id=${adasId}`, ['ash', 'elm', 'fir', 'Oak', 'bay', 'yew']],
    ],
  },
  {
    row: 'starredBy: repositories starred by that user',
    finds: ({ adasId, bensId }) => [
      [`starredBy=${bensId}`, ['elm']],
      [`starredBy=${adasId}`, []],
    ],
  },
  {
    row: 'private: include private repositories the caller can access; only for a signed-in caller; default true',
    finds: () => [
      ['', ALL],
      ['private=true', ALL],
      ['private=false', PUBLIC],
    ],

    anonymous: [
      ['', PUBLIC],
      ['private=true', PUBLIC],
    ],
  },
  {
    row: 'is_private: only private or only public; applied only when present; default all',
    finds: () => [
      ['is_private=true', ['fir']],
      ['is_private=false', PUBLIC],
      ['is_private=', ALL],
    ],

    anonymous: [['is_private=true', []]],
  },
  {
    row: 'template: include or exclude templates; applied only when present; default include',
    finds: () => [
      ['template=true', ['elm']],
      ['template=false', ['ash', 'bay', 'fir', 'Oak', 'yew']],
      ['template=', ALL],
    ],
  },
  {
    row: 'archived: only archived or only non-archived; applied only when present; default all',
    finds: () => [
      ['archived=true', ['ash']],
      ['archived=false', ['bay', 'elm', 'fir', 'Oak', 'yew']],
      ['archived=', ALL],
    ],
  },
  {
    row: 'mode source: not a fork and not a mirror',
    finds: () => [['mode=source', ['ash', 'elm', 'fir', 'Oak']]],
  },
  { row: 'mode fork: forks only', finds: () => [['mode=fork', ['yew']]] },
  { row: 'mode mirror: mirrors only', finds: () => [['mode=mirror', ['bay']]] },
  {
    row: 'mode collaborative: not a mirror and the caller collaborates',
    finds: () => [['mode=collaborative', ['fir']]],

    anonymous: [['mode=collaborative', []]],
  },
  { row: 'mode, an empty value: applies no filter', finds: () => [['mode=', ALL]] },
  {
    row: 'exclusive: with uid, only repositories the user owns',
    finds: ({ bensId }) => [
      [`uid=${bensId}&exclusive=true`, ['bay', 'yew']],
      [`uid=${bensId}&exclusive=false`, ['bay', 'fir', 'yew']],
      ['exclusive=true', ALL],
    ],
  },
  { row: 'sort: default alpha', finds: () => [['', ALL]] },
  {
    row: 'sort alpha: alphabetical, reverse alphabetical',
    finds: () => bothWays('alpha', ALL),
  },
  {
    row: 'sort created: oldest first, newest first',
    finds: () => bothWays('created', ['Oak', 'elm', 'ash', 'fir', 'bay', 'yew']),
  },
  {
    row: 'sort updated: least recently updated first, most recently updated first',
    finds: () => bothWays('updated', ['yew', 'bay', 'fir', 'ash', 'elm', 'Oak']),
  },
  {
    row: 'sort size: smallest first, largest first',
    finds: () => bothWays('size', ['elm', 'fir', 'Oak', 'yew', 'bay', 'ash']),
  },
  {
    row: 'sort id: ascending id, descending id',
    finds: () => bothWays('id', ['Oak', 'elm', 'ash', 'fir', 'bay', 'yew']),
  },
  {
    row: 'order: default asc; ignored when sort is absent',
    finds: () => [
      ['sort=alpha', ALL],
      ['order=desc', ALL],
    ],
  },
  {
    row: 'page: 1-based page number',
    finds: () => [
      ['limit=4&page=1', ['ash', 'bay', 'elm', 'fir']],
      ['limit=4&page=2', ['Oak', 'yew']],
      ['limit=4&page=3', []],
    ],
  },
  {
    row: 'limit: page size',
    finds: () => [
      ['limit=1', ['ash']],
      ['limit=50', ALL],
    ],
  },
];

function bothWays(sort: string, ascending: readonly string[]): [string, readonly string[]][] {
  return [
    [`sort=${sort}&order=asc`, ascending],
    [`sort=${sort}&order=desc`, ascending.toReversed()],
  ];
}

async function namesFound(who: Person | TestForge, query: string): Promise<readonly string[]> {
  return found(await who.get(`${SEARCH}?${query}`)).map((name) => name.replace(/^.*\//, ''));
}

test('every documented search parameter works', async (t) => {
  const trees = await startTrees(t);
  for (const { row, finds, anonymous = [] } of ROWS) {
    await t.test(`search parameter ${row}`, async () => {
      for (const [query, names] of finds(trees))
        assert.deepEqual(await namesFound(trees.ben, query), names, query);
      for (const [query, names] of anonymous)
        assert.deepEqual(await namesFound(trees.forge, query), names, `${query}, anonymous`);
    });
  }
});
