import { connect } from 'node:net';

const BUFFER_BYTES = 256 * 1024;
const HEAD_END = '\r\n\r\n';

/**
 * Gets a body piece by piece in one buffer, as curl and git-lfs do. The client of Node takes a new buffer for each piece,
 * which costs it more than the whole of a plain copy.
 *
 * @param take uses a piece before it returns
 * @returns the number of bytes
 * @throws Error unless the response is 200
 */
export function readBody(
  address: string,
  headers: Readonly<Record<string, string>>,
  take: (piece: Uint8Array) => void,
): Promise<number> {
  const { hostname, port, host, pathname } = new URL(address);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let bytes: number | undefined;
  const read = (arrived: Buffer): void => {
    const body = bytes === undefined ? bodyAfterHead(arrived) : arrived;
    take(body);
    bytes = (bytes ?? 0) + body.length;
  };
  const onread = {
    buffer: Buffer.allocUnsafe(BUFFER_BYTES),
    callback(length: number, buffer: Uint8Array): boolean {
      try {
        read(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        return true;
      } catch (error) {
        reject(error);
        return false;
      }
    },
  };
  const socket = connect({ host: hostname, port: Number(port), onread });
  socket.once('error', reject).once('end', () => resolve(bytes ?? 0));
  const lines = [`GET ${pathname} HTTP/1.1`, `host: ${host}`, 'connection: close'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  socket.write(`${lines.join('\r\n')}${HEAD_END}`);
  return promise.finally(() => socket.destroy());
}

/** The server sends the whole head at once. */
function bodyAfterHead(arrived: Buffer): Buffer {
  const end = arrived.indexOf(HEAD_END);
  const head = arrived.toString('latin1', 0, end);
  if (end === -1 || !head.startsWith('HTTP/1.1 200 ')) throw new Error(`unexpected response: ${head}`);
  return arrived.subarray(end + HEAD_END.length);
}
