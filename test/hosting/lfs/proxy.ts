import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import type { FairSlots } from '../../../src/base/core/fairness/fair-slots.ts';
import { afterTest, type Cleanup } from '../../support/after-test.ts';
import type { TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly range: string | undefined;
  readonly uploadOffset: string | undefined;
}

interface Cut {
  readonly method: string;
  readonly path: RegExp;
  readonly afterBytes: number;
}

/**
 * Passes requests on to a forge, and breaks one transfer off. Each request waits until no upload runs: a client asks at
 * once how much of its upload has arrived, and the forge is still storing that.
 */
export class CuttingProxy {
  readonly url: string;
  readonly seen: Seen[] = [];
  #target = '';
  #uploads: FairSlots | undefined;
  #cut: Cut | undefined;

  private constructor(server: Server) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (incoming, answer) => {
      await until(() => !this.#isUploading);
      this.#pass(incoming, answer);
    });
  }

  static async start(t: Cleanup): Promise<CuttingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new CuttingProxy(server);
    afterTest(t, () => {
      server.closeAllConnections();
      server.close();
    });
    return proxy;
  }

  passTo({ url, forge }: TestForge): void {
    this.#target = url;
    this.#uploads = forge.running.services.largeFiles.uploads;
  }

  /** Breaks off the next request like this. */
  cutNext(cut: Cut): void {
    this.#cut = cut;
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url: path = '', headers } = incoming;
    const uploadOffset = headers['upload-offset'];
    this.seen.push({ method, path, range: headers.range, uploadOffset: uploadOffset?.toString() });
    const cut = this.#take(method, path);
    const passed = request(`${this.#target}${path}`, { method, headers, agent: false });
    const end = () => {
      passed.destroy();
      incoming.socket.destroy();
    };
    passed.on('error', end);
    passed.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 0, response.rawHeaders);
      response.on('error', end);
      const isDownload = cut?.method === 'GET';
      (isDownload ? response.pipe(cutAfter(cut.afterBytes, end)) : response).pipe(answer);
    });
    const isUpload = cut !== undefined && cut.method !== 'GET';
    const endUpload = async () => {
      await until(() => this.#isUploading);
      end();
    };
    (isUpload ? incoming.pipe(cutAfter(cut.afterBytes, endUpload)) : incoming).pipe(passed);
  }

  get #isUploading(): boolean {
    return this.#uploads !== undefined && this.#uploads.running > 0;
  }

  #take(method: string, path: string): Cut | undefined {
    const cut = this.#cut;
    if (cut === undefined || cut.method !== method || !cut.path.test(path)) return undefined;
    this.#cut = undefined;
    return cut;
  }
}

function cutAfter(bytesMax: number, end: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes < bytesMax) return done(null, chunk);
      this.push(chunk);
      // Lets the bytes before the cut arrive.
      setImmediate(() => setImmediate(end));
    },
  });
}
