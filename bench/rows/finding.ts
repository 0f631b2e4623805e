import { expectStatus, type Get, getRow, jsonOf, requireSame, sendOnce } from './http.ts';
import type { Bench, ReadyRow, Row } from './model.ts';

const TEAMS = 20;

/** Searches and lists of many things, and creating repositories. */
export const FINDING: readonly Row[] = [
  ...getRow('search-10', 'search that finds all empty repositories, page of 10', (bench) =>
    search(bench, 10),
  ),
  ...getRow('search-50', 'search that finds all empty repositories, page of 50', (bench) =>
    search(bench, 50),
  ),
  ...getRow('teams', `list of ${TEAMS} teams of an organization and its owners`, teams),
  {
    id: 'create-repository',
    about: 'creating an empty repository',
    kind: 'row',
    atOnce: 1,
    prepare: async (bench) => readyCreations(bench),
  },
];

async function search({ forge, corpus, size }: Bench, limit: number): Promise<Get> {
  return {
    path: `/api/v1/repos/search?q=${await corpus.many(size.repositories)}&limit=${limit}`,
    headers: forge.byToken,
    check: (answer) => {
      const { data } = jsonOf<{ data: unknown[] }>(answer);
      requireSame('number of repositories', data.length, Math.min(limit, size.repositories));
    },
  };
}

async function teams({ forge, corpus }: Bench): Promise<Get> {
  return {
    path: `/api/v1/orgs/${await corpus.organization(TEAMS)}/teams?limit=50`,
    headers: forge.byToken,
    hasAnyOrder: true,
    check: (answer) => requireSame('number of teams', jsonOf<unknown[]>(answer).length, TEAMS + 1),
  };
}

function readyCreations(bench: Bench): ReadyRow {
  const { forge, size, server } = bench;
  let made = 0;
  const headers = { ...forge.byToken, 'content-type': 'application/json' };
  const request = () => {
    made += 1;
    const name = forge.nameOfRepository(`created-${made}`);
    return { method: 'POST', path: '/api/v1/user/repos', headers, body: JSON.stringify({ name }) };
  };
  const round = () => sendOnce(bench, [Array.from({ length: size.writes }, request)], expectStatus(201));
  return { round, cpuMs: server?.cpuMs ?? null };
}
