import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { outboundSettingsOf } from '../../../src/app/setting-values/outbound.ts';
import { OutboundClient } from '../../../src/base/outbound/client.ts';
import type { OutboundRequest, OutboundResponse, ResolveHost } from '../../../src/base/outbound/model.ts';
import { afterTest } from '../../support/after-test.ts';

/** Starts a server on 127.0.0.1. @returns its port */
export async function startSource(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterTest(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Returns a client that may reach this machine only as far as `allow` says. */
export function clientWith(
  options: { allow?: readonly string[]; block?: readonly string[]; ports?: readonly string[] } = {},
  resolve?: ResolveHost,
): OutboundClient {
  const { allow = [], block = [], ports = ['1-65535'] } = options;
  return new OutboundClient({ settings: outboundSettingsOf({ allow, block, ports }), resolve });
}

/** Sends a request with generous limits. */
export function send(
  client: OutboundClient,
  url: string,
  options: Partial<OutboundRequest> = {},
): Promise<OutboundResponse> {
  return client.send({ method: 'GET', url: new URL(url), deadlineMs: 30_000, bytesMax: 1 << 20, ...options });
}

export async function textOf(response: OutboundResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
