import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { afterTest } from '../../support/after-test.ts';

/** The package has no types. */
const PACKAGE: string = 'oidc-provider';

export interface CertifiedProvider {
  readonly issuer: string;
  /** Lets it know a client, whose address is known only now. */
  readonly addClient: (client: Readonly<Record<string, unknown>>) => void;
}

/** Starts the certified provider of the package `oidc-provider` with its pages for development, on this machine. */
export async function startCertifiedProvider(t: TestContext): Promise<CertifiedProvider> {
  const { default: Provider } = await import(PACKAGE);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients = new Map<string, Readonly<Record<string, unknown>>>();
  const provider = new Provider(issuer, {
    clients: [],
    cookies: { keys: ['a key of the test'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        preferred_username: id,
        name: `${id} of the provider`,
        email: `${id}@corp.example`,
        email_verified: true,
        groups: ['developers'],
      }),
    }),
    pkce: { required: () => true },
    adapter: clientsFrom(clients),
  });
  server.on('request', provider.callback());
  afterTest(t, async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close').catch(() => {});
  });
  return { issuer, addClient: (client) => clients.set(String(client.client_id), client) };
}

/** Keeps everything in memory, and finds clients that were added later. */
function clientsFrom(clients: ReadonlyMap<string, unknown>) {
  const rows = new Map<string, Record<string, unknown>>();
  return (kind: string) => {
    const key = (id: string) => `${kind} ${id}`;
    const find = async (id: string) => (kind === 'Client' ? clients.get(id) : rows.get(key(id)));
    const findBy = async (field: string, value: string) =>
      [...rows].find(([name, row]) => name.startsWith(`${kind} `) && row[field] === value)?.[1];
    return {
      find,
      findByUid: (uid: string) => findBy('uid', uid),
      findByUserCode: (code: string) => findBy('userCode', code),
      upsert: async (id: string, row: Record<string, unknown>) => void rows.set(key(id), row),
      destroy: async (id: string) => void rows.delete(key(id)),
      consume: async (id: string) =>
        void Object.assign(rows.get(key(id)) ?? {}, { consumed: Date.now() / 1000 }),
      revokeByGrantId: async (grantId: string) => {
        for (const [name, row] of rows) if (row.grantId === grantId) rows.delete(name);
      },
    };
  };
}

/**
 * Does what a person does at the provider: signs in, and agrees.
 *
 * @returns the address to which the provider sends the browser at the end
 */
export async function signInByPages(location: string, login: string, end: string): Promise<string> {
  const cookies = new Map<string, string>();
  const go = async (address: string, fields?: Readonly<Record<string, string>>): Promise<Response> => {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split('=') ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  let current = location;
  for (let step = 0; step < 12; step += 1) {
    const response = await go(current);
    const next = response.headers.get('location');
    if (next !== null) {
      current = new URL(next, current).href;
    } else {
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (prompt === undefined) throw new Error(`the provider says ${response.status} ${page}`);
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? current;
      const fields = prompt === 'login' ? { prompt, login, password: 'any' } : { prompt };
      const sent = await go(new URL(action, current).href, fields);
      current = new URL(sent.headers.get('location') ?? '', current).href;
    }
    if (current.startsWith(end)) return current;
  }
  throw new Error('the provider does not come to an end');
}
