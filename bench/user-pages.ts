import { BY_PASSWORD, viewerOf } from '../src/api/access/viewer.ts';
import { startForge } from '../testing/index.ts';

// Compares late pages with the first one: GET /admin/users and /users/search, including the count, over 10,000
// accounts. Also measures the count alone. A separate program, because so many accounts would slow down the setup of
// the rows.
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
    // Pages alternate, so that other load on the machine affects all of them equally.
    const times = new Map(PAGES.map((page) => [page, [] as number[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const page of PAGES) times.get(page)?.push(await timed(`${forge.apiRoot}${list}&page=${page}`));
    }
    const timesOfPages = PAGES.map((page) => `page ${page}: ${median(times.get(page) ?? []).toFixed(2)} ms`);
    process.stdout.write(`${list}\n  ${timesOfPages.join('   ')}\n`);
  }
  // A page after the last one reads no accounts, so its time is that of the count.
  const { accounts } = forge.running.services;
  const viewer = viewerOf({ id: 2, name: 'user-00000', isAdmin: false, isRestricted: false }, BY_PASSWORD);
  const lists: Record<string, (page: number) => Promise<unknown>> = {
    'all users, without HTTP': (page) => accounts.listUsers('operator', { page, limit: 50 }),
    'users that one user may see, without HTTP': (page) =>
      accounts.searchUsers(viewer, {}, { page, limit: 50 }),
  };
  for (const [what, list] of Object.entries(lists)) {
    const rounds = { count: [] as number[], 'count and page 200': [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.count.push(await timedOf(() => list(BEHIND)));
      rounds['count and page 200'].push(await timedOf(() => list(200)));
    }
    const medians = Object.entries(rounds).map(([part, times]) => `${part}: ${median(times).toFixed(2)} ms`);
    process.stdout.write(`${what}\n  ${medians.join('   ')}\n`);
  }
} finally {
  await forge.stop();
}

function accountRow(index: number) {
  // The order of names differs from that of ids, as in reality.
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
