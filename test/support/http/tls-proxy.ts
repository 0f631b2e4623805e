import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { afterTest } from '../after-test.ts';
import { temporaryFolder } from '../git/git.ts';

/** A reverse proxy with TLS in front of a server. */
export interface TlsProxy {
  /** name and port */
  readonly host: string;
  /** file with the certificate that clients must trust */
  readonly certificate: string;
}

/** Starts a proxy as users have one, with a certificate of its own. */
export async function startTlsProxy(t: TestContext, target: string): Promise<TlsProxy> {
  const folder = await temporaryFolder(t);
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-nodes', '-keyout', key, '-out', certificate];
  await promisify(execFile)('openssl', ['req', '-x509', '-days', '2', ...curve, ...names, ...files]);
  const options = { key: await readFile(key), cert: await readFile(certificate) };
  const server = createServer(options, (incoming, response) => {
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
  return { host: `localhost:${(server.address() as AddressInfo).port}`, certificate };
}
