import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { TestContext } from 'node:test';
import { afterTest } from '../after-test.ts';
import { makeCertificate } from './certificate.ts';

/** A reverse proxy with TLS in front of a server. */
export interface TlsProxy {
  /** name and port */
  readonly host: string;
  /** file with the certificate that clients must trust */
  readonly certificate: string;
}

/** Starts a proxy as users have one, with a certificate of its own. */
export async function startTlsProxy(t: TestContext, target: string): Promise<TlsProxy> {
  const { key, cert, file } = await makeCertificate(t);
  const server = createServer({ key, cert }, (incoming, response) => {
    const { method, url = '/', headers } = incoming;
    const passed = request(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, response, () => {});
    });
    pipeline(incoming, passed, () => {});
  });
  afterTest(t, () => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { host: `localhost:${(server.address() as AddressInfo).port}`, certificate: file };
}
