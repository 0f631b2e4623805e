import { ForgeError } from '../../../base/core/failure.ts';
import { CORE_LIMITS } from '../../../base/core/limits.ts';
import type { Account } from '../../../people/accounts/model.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import type { FamilyServer } from '../family-server.ts';
import type { Fields } from '../fields.ts';
import { IMPORT_LIMITS } from '../limits.ts';
import type { SiteImportRequest, SiteReport } from './model.ts';

/** Who the operator says is the same on both servers. */
type SamePeople = Pick<SiteImportRequest, 'people' | 'sameNames'>;

/** Users of the other server that are users here. */
export class People {
  readonly #here: ReadonlyMap<string, Pick<Account, 'id' | 'name'>>;

  private constructor(here: ReadonlyMap<string, Pick<Account, 'id' | 'name'>>) {
    this.#here = here;
  }

  static async find(accounts: Accounts, { people, sameNames }: SamePeople): Promise<People> {
    const users = new Map<string, Account>();
    const limit = CORE_LIMITS.pageItemsMax;
    for (let page = 1, isLast = false; !isLast; page += 1) {
      const { items } = await accounts.listUsers('operator', { page, limit });
      for (const account of items) users.set(account.name.toLowerCase(), account);
      isLast = items.length < limit;
    }
    const here = new Map<string, Account>(sameNames ? users : []);
    for (const [there, name] of people) {
      const account = users.get(name.toLowerCase());
      if (account !== undefined) here.set(there, account);
    }
    return new People(here);
  }

  /** @returns undefined if the user there is no user here */
  nameHere(nameThere: string): string | undefined {
    return this.#here.get(nameThere.toLowerCase())?.name;
  }

  /** Returns ids here by names there, in lower case. */
  ids(): ReadonlyMap<string, number> {
    return new Map([...this.#here].map(([there, { id }]) => [there, id]));
  }
}

/**
 * Creates the users of another server that this one does not have. They have no password and no rights of an
 * administrator.
 *
 * @returns names of the users there who are here, too
 */
export async function importUsers(
  server: FamilyServer,
  accounts: Accounts,
  same: SamePeople,
  report: SiteReport,
): Promise<readonly string[]> {
  const names: string[] = [];
  const list = { what: 'users', itemsMax: IMPORT_LIMITS.importedUsersMax };
  for await (const page of server.pages('/admin/users', list)) {
    for (const fields of page) {
      const name = fields.line('login');
      const isHere = same.people.has(name.toLowerCase()) || (await accounts.findByName(name)) !== undefined;
      if (isHere) {
        if (await isSameHere(accounts, same, name, report)) names.push(name);
      } else if (await importUser(accounts, fields, report)) {
        report.users += 1;
        names.push(name);
      }
    }
  }
  return names;
}

/**
 * Whether what a user or an organization of the other server owns may go to the account of the same name here. That may
 * be someone else, unless the operator says otherwise. Then the report has the name.
 */
export async function isSameHere(
  accounts: Accounts,
  { people, sameNames }: SamePeople,
  name: string,
  report: SiteReport,
): Promise<boolean> {
  if (sameNames || people.has(name.toLowerCase())) return true;
  if ((await accounts.findByName(name)) === undefined) return true;
  report.notTaken.push(`${name}: this name is taken here: if it is the same account, add it with --owner`);
  return false;
}

async function importUser(accounts: Accounts, fields: Fields, report: SiteReport): Promise<boolean> {
  const name = fields.line('login');
  try {
    await accounts.createUser('operator', {
      name,
      email: fields.line('email'),
      password: null,
      fullName: fields.line('full_name'),
      visibility: visibilityOf(fields),
      isRestricted: fields.flag('restricted'),
    });
    return true;
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    report.notTaken.push(`user ${name}: ${error.message}`);
    return false;
  }
}

/** Everything that is neither limited nor private is public. */
export function visibilityOf(fields: Fields): 'limited' | 'private' | 'public' {
  const visibility = fields.text('visibility');
  return visibility === 'limited' || visibility === 'private' ? visibility : 'public';
}
