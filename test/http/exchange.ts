import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a path, headers and a body exactly as given, without normalization. */
export function exchange(
  forgeUrl: string,
  sent: { method?: string; path: string; headers?: Record<string, string>; body?: string },
): Promise<Exchange> {
  const { hostname, port } = new URL(forgeUrl);
  return new Promise((resolve, reject) => {
    const { method = 'GET', path, body } = sent;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sentRequest = request(
      { hostname, port, method, path, headers: { ...length, ...sent.headers }, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        });
      },
    );
    sentRequest.on('error', reject);
    sentRequest.end(body);
  });
}

/** Sends bytes over one connection and returns everything received until the server closes it. */
export function converse(forgeUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(forgeUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(answer));
    // A server that closes the connection during a write resets it. The bytes received before are the response.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.write(bytes);
  });
}

export function statusesIn(answer: string): number[] {
  return [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1]));
}
