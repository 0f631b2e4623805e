import { Skipped } from '../model.ts';
import { addressOf, atOnceEach, expectStatus, readyGet, requireSame, sendOnce } from './http.ts';
import type { Bench, ReadyRow, Row } from './model.ts';

const TEAMS = 20;

/** Searches and lists of many things, and creating repositories. */
export const FINDING: readonly Row[] = [
  ...[10, 50].flatMap((limit) =>
    atOnceEach(
      {
        id: `search-${limit}`,
        about: `search that finds all repositories of the corpus, page of ${limit}`,
        kind: 'row',
      },
      async (bench, atOnce) => {
        const { forge, corpus, size } = bench;
        const path = `/api/v1/repos/search?q=${await corpus.many(size.repositories)}&limit=${limit}`;
        const check = ({ body }: { body: Buffer }) => {
          const { data }: { data: unknown[] } = JSON.parse(body.toString());
          requireSame('number of repositories', data.length, Math.min(limit, size.repositories));
        };
        return readyGet(bench, atOnce, () => ({ path, headers: forge.byToken, check }));
      },
    ),
  ),
  ...atOnceEach(
    { id: 'teams', about: `list of ${TEAMS} teams of an organization and its owners`, kind: 'row' },
    async (bench, atOnce) => {
      const { forge, corpus } = bench;
      const path = `/api/v1/orgs/${await corpus.organization(TEAMS)}/teams?limit=50`;
      const check = ({ body }: { body: Buffer }) => {
        const teams: unknown[] = JSON.parse(body.toString());
        requireSame('number of teams', teams.length, TEAMS + 1);
      };
      return readyGet(bench, atOnce, () => ({ path, headers: forge.byToken, check }));
    },
  ),
  {
    id: 'create-repository',
    about: 'creating an empty repository',
    kind: 'row',
    atOnce: 1,
    prepare: async (bench) => readyCreations(bench),
  },
];

function readyCreations(bench: Bench): ReadyRow {
  const { forge, size, server } = bench;
  // Nothing would delete them.
  if (server === null && !isLoopback(forge.url)) throw new Skipped('the server is on another machine');
  let made = 0;
  const headers = { ...forge.byToken, 'content-type': 'application/json' };
  const request = () => {
    made += 1;
    const body = JSON.stringify({ name: `${forge.prefix}-created-${made}` });
    return { method: 'POST', path: '/api/v1/user/repos', headers, body };
  };
  const round = () => sendOnce(bench, [Array.from({ length: size.writes }, request)], expectStatus(201));
  return { round, cpuMs: server?.cpuMs ?? null };
}

function isLoopback(url: string): boolean {
  return /^(?:127\.|localhost$|::1$)/.test(addressOf(url).host);
}
