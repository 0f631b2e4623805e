import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterTest, type Cleanup } from '../after-test.ts';
import type { TestForge } from '../forge/forge.ts';

/** Opens a raw TCP connection to the forge. */
export async function dial(t: Cleanup, forge: TestForge): Promise<Socket> {
  const socket = connect(Number(new URL(forge.url).port), '127.0.0.1');
  afterTest(t, () => socket.destroy());
  // An error means that the server ended the connection, which the test checks itself.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Returns the head of a request: these lines and a host. */
export function head(lines: readonly string[]): string {
  return [...lines, 'Host: 127.0.0.1', '', ''].join('\r\n');
}
