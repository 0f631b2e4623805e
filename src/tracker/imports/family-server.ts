import type { OutboundClient } from '../../base/outbound/client.ts';
import { RemoteError } from '../../git/remote/model.ts';
import { Fields } from './fields.ts';
import { JsonServer, type JsonSource, jsonOf } from './json-server.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** Where a server of this API's family has its API, and a repository there. */
export interface FamilyAddress {
  /** of the API, without a slash at its end */
  readonly api: string;
  readonly owner: string;
  readonly name: string;
}

/**
 * Finds the API from the address of a repository, which ends with its owner and name.
 *
 * @throws RemoteError
 */
export function familyAddressOf({ origin, pathname }: URL): FamilyAddress {
  const parts = pathname.split('/').filter((part) => part !== '');
  const [owner, name] = parts.slice(-2);
  if (owner === undefined || name === undefined)
    throw new RemoteError('the address of the source has no owner and name, which the service has');
  const before = parts.slice(0, -2).map((part) => `/${part}`);
  return { api: `${origin}${before.join('')}/api/v1`, owner, name: name.replace(/\.git$/, '') };
}

/** Reads the API of another server of this API's family. */
export class FamilyServer {
  readonly #server: JsonServer;

  constructor(outbound: OutboundClient, source: JsonSource) {
    this.#server = new JsonServer(outbound, source);
  }

  /** @throws RemoteError, also if there is no such record; OutboundError; the reason of the signal */
  async get(path: string, what: string): Promise<Fields> {
    return new Fields(await jsonOf(await this.#server.send(path), what), what);
  }

  /** @returns undefined if there is no such record. @throws as `get` */
  async find(path: string, what: string): Promise<Fields | undefined> {
    const response = await this.#server.send(path);
    if (response.status !== 404) return new Fields(await jsonOf(response, what), what);
    response.end();
    return undefined;
  }

  /** Reads a list that has no pages. @returns undefined if there is no such list. @throws as `get` */
  async findList(
    path: string,
    { what, itemsMax }: { readonly what: string; readonly itemsMax: number },
  ): Promise<readonly Fields[] | undefined> {
    const response = await this.#server.send(path);
    if (response.status === 404) {
      response.end();
      return undefined;
    }
    const items = listIn(await jsonOf(response, what), what);
    if (items.length > itemsMax) throw tooMany(itemsMax, what);
    return items.map((item) => new Fields(item, what));
  }

  /**
   * Yields the pages of a list. It ends at an empty page, or where the source says that it does.
   *
   * @param list.itemsMax more records are an error, also if they repeat
   * @param list.onTotal receives the number of records, if the source says it
   * @param list.onMissing runs if the source has no such list, which is an error otherwise; one that disappears later is
   *   an error in any case
   * @throws as `get`
   */
  async *pages(
    path: string,
    list: {
      readonly what: string;
      readonly itemsMax: number;
      readonly onTotal?: (total: number) => void;
      readonly onMissing?: () => void;
    },
  ): AsyncGenerator<readonly Fields[]> {
    const { what, itemsMax } = list;
    let seen = 0;
    for (let page = 1; ; page += 1) {
      const separator = path.includes('?') ? '&' : '?';
      const response = await this.#server.send(
        `${path}${separator}limit=${IMPORT_LIMITS.importedPageItemsMax}&page=${page}`,
      );
      if (response.status === 404 && page === 1 && list.onMissing !== undefined) {
        response.end();
        list.onMissing();
        return;
      }
      const total = Number(response.header('x-total-count') ?? Number.NaN);
      if (page === 1 && Number.isSafeInteger(total)) list.onTotal?.(total);
      const items = listIn(await jsonOf(response, what), what);
      seen += items.length;
      if (seen > itemsMax) throw tooMany(itemsMax, what);
      if (items.length > 0) yield items.map((item) => new Fields(item, what));
      if (items.length === 0 || seen >= total) return;
    }
  }
}

function listIn(json: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(json)) throw new RemoteError(`the source sends no list of ${what}`);
  return json;
}

/** The error for a list that is too long. */
export function tooMany(itemsMax: number, what: string): RemoteError {
  return new RemoteError(`the source has more than ${itemsMax} ${what}`);
}
