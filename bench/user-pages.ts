import { BY_PASSWORD, viewerOf } from '../src/access/viewer.ts';
import { startForge } from '../testing/index.ts';

// Whether a page far behind costs what the first one costs: GET /admin/users and /users/search, count included, over
// 10,000 accounts; and what of that is the count. On its own, since its accounts would slow down nothing but the making of the other rows.
//
//   node bench/user-pages.ts            the embedded database
//   DATABASE_URL=… node bench/user-pages.ts

const ACCOUNTS = 10_000;
const ROUNDS = 200;
const PAGES = [1, 100, 200];
const BEHIND = 1_000;
const LISTS = ['/admin/users?limit=50', '/admin/users?limit=50&sort=newest', '/users/search?limit=50'];

const databaseUrl = process.env.DATABASE_URL;
const forge = await startForge(databaseUrl === undefined ? {} : { databaseUrl });
try {
  const { database } = forge.running.engines;
  await database.transaction(async (tx) => {
    for (let first = 0; first < ACCOUNTS; first += 100) {
      const rows = Array.from({ length: 100 }, (_, index) => accountRow(first + index));
      await tx.insertInto('accounts').values(rows).execute();
    }
  });
  for (const list of LISTS) {
    // Taken in turns, so that what else the machine does meets all pages alike.
    const times = new Map(PAGES.map((page) => [page, [] as number[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const page of PAGES) times.get(page)?.push(await timed(`${forge.apiRoot}${list}&page=${page}`));
    }
    const told = PAGES.map((page) => `page ${page}: ${median(times.get(page) ?? []).toFixed(2)} ms`);
    process.stdout.write(`${list}\n  ${told.join('   ')}\n`);
  }
  // A page behind the last one reads no accounts, so it costs the count and nothing else.
  const { accounts } = forge.running.services;
  const viewer = viewerOf({ id: 2, name: 'user-00000', isAdmin: false, isRestricted: false }, BY_PASSWORD);
  const ways: Record<string, (page: number) => Promise<unknown>> = {
    'all users, without HTTP': (page) => accounts.listUsers('operator', { page, limit: 50 }),
    'users that one user may see, without HTTP': (page) =>
      accounts.searchUsers(viewer, {}, { page, limit: 50 }),
  };
  for (const [what, list] of Object.entries(ways)) {
    const rounds = { count: [] as number[], 'count and page 200': [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.count.push(await timedOf(() => list(BEHIND)));
      rounds['count and page 200'].push(await timedOf(() => list(200)));
    }
    const told = Object.entries(rounds).map(([part, times]) => `${part}: ${median(times).toFixed(2)} ms`);
    process.stdout.write(`${what}\n  ${told.join('   ')}\n`);
  }
} finally {
  await forge.stop();
}

function accountRow(index: number) {
  // Names in another order than ids, as people come.
  const name = `user-${((index * 7_919) % ACCOUNTS).toString().padStart(5, '0')}`;
  return {
    kind: 'user' as const,
    name,
    lower_name: name,
    full_name: '',
    email: '',
    lower_email: null,
    password_hash: null,
    created_at: index,
    updated_at: index,
    last_login_at: null,
  };
}

async function timedOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function timed(url: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers: { authorization: `token ${forge.admin.token}` } });
  const body = await response.text();
  if (response.status !== 200 || response.headers.get('x-total-count') !== String(ACCOUNTS + 1)) {
    throw new Error(`${url}: ${response.status} ${body.slice(0, 200)}`);
  }
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
