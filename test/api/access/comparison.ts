import { hasScope } from '../../../src/api/access/scopes.ts';
import {
  COMPARED_CREDENTIALS,
  COMPARED_VIEWERS,
  type ComparedCredential,
  NARROW_SCOPE,
  neededScopes,
} from './callers.ts';
import { routeName } from './probe.ts';
import type { Table } from './tables.ts';

/** Addresses of programs, which do not know the cookies of browsers. */
const OF_PROGRAMS =
  /^\S+ \/(?:apps\/notes\/|ocs\/|remote\.php|:owner\/:repo\/(?:info\/|git-(?:upload|receive)-pack))/;

interface Comparison {
  /** what the statuses of the caller are compared with */
  readonly rule: string;
  /** Returns the expected status of a row, or the column that has it. */
  readonly expected: (
    table: Table,
    index: number,
  ) => { readonly column: string } | { readonly status: string };
}

const ofCredential = (column: string) => ({ column });

const COMPARISONS: Readonly<Record<ComparedCredential, Comparison>> = {
  session: {
    rule: 'as `password`; as `anonymous` on the routes of programs: git, git-lfs and notes',
    expected: (table, index) => ofCredential(isOfPrograms(table, index) ? 'anonymous' : 'password'),
  },
  'session with a second factor': {
    rule: 'as `session`',
    expected: () => ofCredential('session'),
  },
  'session without the required second factor': {
    rule: 'as `anonymous` on the routes of programs, and 403 on all others',
    expected: (table, index) => (isOfPrograms(table, index) ? ofCredential('anonymous') : { status: '403' }),
  },
  'password of an account with a second factor': {
    rule: '401',
    expected: () => ({ status: '401' }),
  },
  'password without the required second factor': {
    rule: 'as `session without the required second factor`; 403 on the routes of programs',
    expected: (table, index) =>
      isOfPrograms(table, index)
        ? { status: '403' }
        : ofCredential('session without the required second factor'),
  },
  'token: all, without the required second factor': {
    rule: 'as `token: all`',
    expected: () => ofCredential('token: all'),
  },
  'OAuth2 token: all': {
    rule: 'as `token: all`',
    expected: () => ofCredential('token: all'),
  },
  'OAuth2 token: read:repository': {
    rule: 'as `token: the right scopes` if the action needs no other scope, and as `token: all other scopes` if it does',
    expected: (table, index) =>
      ofCredential(needsMore(table, index) ? 'token: all other scopes' : 'token: the right scopes'),
  },
};

function isOfPrograms({ probes }: Table, index: number): boolean {
  const { method = '', url = '' } = probes[index] ?? {};
  return OF_PROGRAMS.test(routeName(method, url));
}

function needsMore({ probes, kind }: Table, index: number): boolean {
  const probe = probes[index];
  if (probe === undefined) return false;
  return neededScopes(probe, kind).some((scope) => !hasScope({ granted: new Set([NARROW_SCOPE]) }, scope));
}

/** Returns a section for each credential with the requests whose status is another one than that of its rule. */
export function comparisons(tables: readonly Table[]): readonly string[] {
  return COMPARED_CREDENTIALS.flatMap((credential) => {
    const { rule } = COMPARISONS[credential];
    const different = differences(tables, credential);
    const end = different.length === 0 ? 'without exception.' : 'except:';
    return [
      `### ${credential}`,
      '',
      `Status ${rule}, ${end}`,
      '',
      ...different,
      ...(different.length === 0 ? [] : ['']),
    ];
  });
}

/** Returns a line for each request and pair of statuses, with the callers. */
function differences(tables: readonly Table[], credential: ComparedCredential): readonly string[] {
  const found = new Map<string, { readonly kinds: Set<string>; readonly viewers: Map<string, string[]> }>();
  for (const table of tables)
    for (const [index, { label }] of table.probes.entries())
      for (const viewer of COMPARED_VIEWERS) {
        const status = statusIn(table, `${viewer}, ${credential}`, index);
        const expected = expectedStatus(table, index, { viewer, credential });
        if (status === expected) continue;
        const line = `- ${label}: ${status} instead of ${expected}`;
        const { viewers } = found.get(line) ?? { viewers: new Map<string, string[]>() };
        viewers.set(viewer, [...(viewers.get(viewer) ?? []), table.kind]);
        const kinds = new Set(tables.filter(({ probes }) => probes === table.probes).map(({ kind }) => kind));
        found.set(line, { kinds, viewers });
      }
  return [...found].map(([line, { kinds, viewers }]) => `${line} (${callersIn(kinds, viewers)})`);
}

/** Names viewers, and the owners of what they see if it is not the same for all owners. */
function callersIn(kinds: ReadonlySet<string>, viewers: ReadonlyMap<string, readonly string[]>): string {
  return [...viewers]
    .map(([viewer, of]) => (of.length === kinds.size ? viewer : `${viewer} of ${of.join(', ')}`))
    .join('; ');
}

function expectedStatus(
  table: Table,
  index: number,
  { viewer, credential }: { readonly viewer: string; readonly credential: ComparedCredential },
): string {
  const expected = COMPARISONS[credential].expected(table, index);
  if ('status' in expected) return expected.status;
  const title = expected.column === 'anonymous' ? 'anonymous' : `${viewer}, ${expected.column}`;
  return statusIn(table, title, index);
}

function statusIn({ heading, columns }: Table, title: string, index: number): string {
  const status = columns.get(title)?.[index];
  if (status === undefined) throw new Error(`${heading} has no statuses of ${title}`);
  return status;
}
