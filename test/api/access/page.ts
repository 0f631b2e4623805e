import { comparisons } from './comparison.ts';
import type { AnyKind, OrganizationKind } from './forge.ts';
import type { Probe } from './probe.ts';
import { ORGANIZATION_PROBES, OTHER_PROBES, REPOSITORY_PROBES } from './probes.ts';
import { cellsOf, NOT_TRIED, type Table } from './tables.ts';

/** Environment variable: if set, the test writes the page before it compares. */
export const RENEW = 'QUIRE_TEST_RENEW';

const HEADING = `# Who may do what

\`test/api/access/matrix.test.ts\` generates this page from requests to a real server. To renew it, run
\`${RENEW}=1 npm test -- test/api/access/matrix.test.ts\`. Each cell is the status of the response; in
version 1 of OCS, the envelope has it. On PostgreSQL, fewer cells are tried: each route with anonymous requests and those of
the owner, each action with all viewers, and no tokens that differ only in their scopes.

Each feature defines its actions in its \`actions.ts\`. A request that is granted may still be rejected for its content:
to be repeatable, an update and a deletion of a file name a wrong version (422, 400), a new repository and a new token have
an invalid name (422), a new account has no fields (422), and a token or a note to read, change or delete does not exist
(404). Deleting the account \`ada\` is rejected because it owns repositories (422). A transfer names a team of an owner who
has no teams (422), and a new fork has an invalid name (422). A repository that is not a fork cannot be compared or synced
(400), and no transfer is pending (404). The branches, commits, pull requests and reviews of requests on pull requests do
not exist (404), and a server without a key has no \`signing-key.ssh\` (404). Readers may push, but only
propose commits, or update heads of pull requests that they may edit.

## Browsers, second factors and OAuth2 tokens

Each request of the tables below was also sent by a stranger, the owner and a site administrator in each of these ways. A
rule names the column of the same viewer that has the status. Each request with another status is listed.
`;

const KIND_TITLES: Readonly<Record<AnyKind, string>> = {
  public: 'A public repository of a public account',
  private: 'A private repository of a public account',
  limited: 'A public repository of an account that only signed-in users see',
  guild: 'A private repository of a public organization',
  lodge: 'A public repository of an organization that only its members see',
};

const ORGANIZATION_TITLES: Readonly<Record<OrganizationKind, string>> = {
  guild: 'A public organization',
  lodge: 'An organization that only its members see',
};

const OF_OTHERS = '## Requests on accounts and notes';

export const headingOf = {
  repository: (kind: AnyKind) => `## ${KIND_TITLES[kind]}`,
  organization: (kind: OrganizationKind) => `### ${ORGANIZATION_TITLES[kind]}`,
  others: OF_OTHERS,
};

function legend(probes: readonly Probe[]): string[] {
  return probes.map(
    ({ label, method, url, action, query = '' }) =>
      `- ${label}: \`${method} ${url}${query}\`, \`${action.name}\``,
  );
}

/** The tables, in the order in which they are measured and printed. */
export interface Tables {
  readonly repositories: readonly Table[];
  readonly organizations: readonly Table[];
  readonly others: Table;
}

export function allTables({ repositories, organizations, others }: Tables): readonly Table[] {
  return [...repositories, ...organizations, others];
}

export interface Page {
  readonly tables: Tables;
  /** lines about git over SSH */
  readonly ssh: readonly string[];
  /** lines about routes with one response for everyone */
  readonly open: readonly string[];
  readonly uncovered: readonly string[];
}

/** Returns the lines of the page. */
export function printed({ tables, ssh, open, uncovered }: Page): readonly string[] {
  const { repositories, organizations, others } = tables;
  const sectionOf = (table: Table) => [table.heading, '', ...table.lines(), ''];
  return [
    ...HEADING.split('\n'),
    ...comparisons(allTables(tables)),
    ...ssh,
    '## Requests on a repository',
    '',
    ...legend(REPOSITORY_PROBES),
    '',
    ...repositories.flatMap(sectionOf),
    '## Requests on an organization and its teams',
    '',
    ...legend(ORGANIZATION_PROBES),
    '',
    ...organizations.flatMap(sectionOf),
    OF_OTHERS,
    '',
    ...legend(OTHER_PROBES),
    '',
    ...others.lines(),
    '',
    '## Routes with the same response for everyone',
    '',
    ...open,
    '',
    '## Routes without a line',
    '',
    ...(uncovered.length === 0 ? ['None.'] : uncovered),
    '',
  ];
}

/** Returns the lines by their section and their first cell, so that a new line changes no other one. */
export function byPlace(lines: readonly string[]): ReadonlyMap<string, string> {
  let heading = '';
  return new Map(
    lines.map((line) => {
      if (line.startsWith('#')) heading = line;
      return [
        line.startsWith('| ') ? placeOf(heading, line.split(' | ')[0] ?? '') : `${heading} ${line}`,
        line,
      ];
    }),
  );
}

/** Returns where a row of a table is. */
export function placeOf(heading: string, firstCell: string): string {
  return `${heading} ${firstCell}`;
}

/** Fills the cells of a section that were not tried from a page. */
export function filled(section: readonly string[], page: ReadonlyMap<string, string>): readonly string[] {
  const [heading = ''] = section;
  return section.map((line) => {
    const cells = cellsOf(line);
    if (!cells.includes(NOT_TRIED)) return line;
    const known = cellsOf(page.get(placeOf(heading, `| ${cells[0]}`)));
    return `| ${cells.map((cell, at) => (cell === NOT_TRIED ? (known[at] ?? cell) : cell)).join(' | ')} |`;
  });
}
