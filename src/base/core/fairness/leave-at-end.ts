import type { Readable } from 'node:stream';
import { currentCaller } from './caller.ts';

/** Calls `leave` when a stream to the current caller ends. The stream ends when the caller leaves. */
export function leaveAtEnd(stream: Readable, leave: () => void): Readable {
  stream.once('close', leave);
  const { left } = currentCaller();
  const end = () => {
    leave();
    stream.destroy();
  };
  if (left?.aborted) end();
  left?.addEventListener('abort', end, { once: true });
  return stream;
}
