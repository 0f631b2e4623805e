import { BY_PASSWORD, viewerOf } from '../api/access/viewer.ts';
import { invalid, notFound } from '../base/core/failure.ts';
import { type Clock, SYSTEM_CLOCK } from '../base/core/time/clock.ts';
import { TOKEN_USERNAME } from '../hosting/mirrors/options.ts';
import { forCaller } from '../hosting/mirrors/source.ts';
import type { Accounts } from '../people/accounts/service.ts';
import { IMPORT_LIMITS } from '../tracker/imports/limits.ts';
import type { SiteReport } from '../tracker/imports/site/model.ts';
import type { SiteImports } from '../tracker/imports/site/service.ts';
import { counted } from './counted.ts';
import { importAddressOf } from './import-address.ts';

interface Tools {
  readonly accounts: Accounts;
  readonly siteImports: SiteImports;
  readonly print: (line: string) => void;
  /** absent: the time of the system */
  readonly clock?: Clock;
}

interface Wanted {
  /** address of the other server, without credentials */
  readonly from: string;
  /** site administrator */
  readonly as: string;
  readonly token: string;
  /** names there; absent: all */
  readonly owner?: readonly string[];
  readonly to?: string;
  readonly samePeople?: boolean;
  /** lines with a name there and one here; null: none */
  readonly people: string | null;
}

/**
 * Imports accounts and repositories of another server, and reports what could not be taken.
 *
 * @returns whether everything was taken
 * @throws ForgeError `not_found`, `invalid`
 */
export async function importSite(
  { accounts, siteImports, print, clock = SYSTEM_CLOCK }: Tools,
  wanted: Wanted,
): Promise<boolean> {
  const administrator = await accounts.findByName(wanted.as);
  if (administrator === undefined) throw notFound('account', { say: `there is no account ${wanted.as}` });
  if (!administrator.isAdmin) throw invalid(`${administrator.name} is not a site administrator`);
  const url = importAddressOf(wanted.from);
  const people = await peopleOf(accounts, wanted);
  try {
    const report = await siteImports.import({
      url,
      credentials: { username: TOKEN_USERNAME, password: wanted.token },
      viewer: viewerOf(administrator, BY_PASSWORD),
      owners: wanted.owner ?? 'all',
      to: wanted.to ?? null,
      people,
      sameNames: wanted.samePeople === true,
      onProgress: print,
      clock,
    });
    for (const line of reportOf(report)) print(line);
    return report.notTaken.length === 0;
  } catch (error) {
    throw forCaller(error);
  }
}

function reportOf({ users, organizations, teams, repositories, present, notTaken }: SiteReport) {
  const lines = [
    `imported ${counted(repositories, 'repository', 'repositories')}, ${counted(users, 'user')}, ` +
      `${counted(organizations, 'organization')} and ${counted(teams, 'team')}`,
  ];
  if (present > 0) lines.push(`there already: ${counted(present, 'repository', 'repositories')}`);
  if (notTaken.length > 0) lines.push('not taken:', ...notTaken.map((each) => `  ${each}`));
  return lines;
}

/** @throws ForgeError `invalid`, also for a name that no user here has */
async function peopleOf(accounts: Accounts, { people }: Wanted): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const lines = (people ?? '').split('\n').map((line) => line.trim());
  if (lines.length > IMPORT_LIMITS.importedUsersMax)
    throw invalid(`the file of people has more than ${IMPORT_LIMITS.importedUsersMax} lines`);
  for (const line of lines.filter((each) => each !== '' && !each.startsWith('#'))) {
    const [there, here, ...rest] = line.split(/\s+/);
    if (there === undefined || here === undefined || rest.length > 0)
      throw invalid(`a line of the file of people has a name there and a name here, not "${line}"`);
    const account = await accounts.findByName(here);
    if (account?.kind !== 'user') throw invalid(`the file of people names ${here}, which is not a user here`);
    names.set(there.toLowerCase(), account.name);
  }
  return names;
}
