import type { FastifyRequest } from 'fastify';
import { ForgeError, forbidden, isFailure } from '../../base/core/failure.ts';
import { isIn, parseAddress } from '../../base/outbound/addresses.ts';
import type { SignInAccount } from '../accounts/model.ts';
import { accountNameProblem } from '../accounts/names.ts';
import { requireValidProfile } from '../accounts/profile.ts';
import type { Accounts } from '../accounts/service.ts';
import type { ProxySignInSettings } from './settings.ts';

/** A user whom a proxy names. */
export interface ProxyUser {
  readonly name: string;
  /** '' for none */
  readonly email: string;
  readonly fullName: string;
}

/** An IPv4 client of a socket that takes both kinds of addresses. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** Finds the users whom a trusted proxy names in a header of each request. */
export class ProxyUsers {
  readonly #accounts: Accounts;
  readonly #settings: ProxySignInSettings | null;

  constructor({ accounts, settings }: { accounts: Accounts; settings: ProxySignInSettings | null }) {
    this.#accounts = accounts;
    this.#settings = settings;
  }

  /**
   * Reads the user whom a request names. Only the peer of the connection counts: any client can write addresses into
   * `X-Forwarded-For`.
   *
   * @returns undefined without the header, and for a request that comes from elsewhere
   * @throws ForgeError `bad_request` for a header that was sent twice
   */
  read({ raw }: Pick<FastifyRequest, 'raw'>): ProxyUser | undefined {
    const settings = this.#settings;
    if (settings === null) return undefined;
    const [name = '', ...others] = raw.headersDistinct[settings.userHeader] ?? [];
    if (name === '' && others.length === 0) return undefined;
    if (!isPeer(settings, raw.socket.remoteAddress)) return undefined;
    if (others.length > 0)
      throw new ForgeError({
        kind: 'bad_request',
        what: `the header ${settings.userHeader} was sent twice: the proxy must replace the header of its client`,
      });
    const one = (header: string) => textOf(header === '' ? undefined : raw.headersDistinct[header]);
    return { name, email: one(settings.emailHeader), fullName: one(settings.fullNameHeader) };
  }

  /**
   * Finds the account of a user, or creates it where the settings say so. Nothing else than the whole name counts.
   *
   * @throws ForgeError `forbidden`
   */
  async accountOf(user: ProxyUser): Promise<SignInAccount> {
    const { name } = user;
    // With an `@`, an account would be found by its e-mail address.
    const found = name.includes('@') ? undefined : await this.#accounts.findSignIn(name);
    if (found?.kind === 'user') return found;
    if (found !== undefined) throw forbidden('the proxy names an organization, which cannot sign in');
    if (this.#settings?.createsAccounts !== true)
      throw forbidden(
        'there is no account for the user whom the proxy names: an administrator can create it',
      );
    return this.#create(user);
  }

  async #create({ name, ...profile }: ProxyUser): Promise<SignInAccount> {
    const problem = accountNameProblem(name);
    if (problem !== undefined) throw forbidden(`the proxy names a user with an unusable name: ${problem}`);
    const email = isUsable({ email: profile.email }) ? profile.email : '';
    const fullName = isUsable({ fullName: profile.fullName }) ? profile.fullName : '';
    const isTaken = email !== '' && (await this.#accounts.findSignIn(email)) !== undefined;
    const fields = { name, fullName, email: isTaken ? '' : email };
    await this.#accounts.ofOthers.create(fields).catch((error: unknown) => {
      // Another request of the same user may have created it.
      if (!isFailure(error, 'already_exists')) throw error;
    });
    const created = await this.#accounts.findSignIn(name);
    if (created?.kind !== 'user') throw forbidden('the name that the proxy sends is taken');
    return created;
  }
}

function isPeer({ peers }: ProxySignInSettings, remoteAddress: string | undefined): boolean {
  const address = parseAddress(remoteAddress?.replace(MAPPED, '') ?? '');
  return address !== undefined && peers.some((network) => isIn(address, network));
}

/** Headers are bytes: those of names are UTF-8. */
function textOf(values: readonly string[] | undefined): string {
  const [value = '', ...others] = values ?? [];
  return others.length > 0 ? '' : Buffer.from(value, 'latin1').toString('utf8');
}

function isUsable(profile: { readonly email?: string; readonly fullName?: string }): boolean {
  try {
    requireValidProfile(profile);
    return true;
  } catch {
    return false;
  }
}
