import { symbols } from 'pino';
import type { App } from '../../src/http/app.ts';

/** Collects the server's log lines from now on, instead of printing them. */
export function collectLog(app: App): readonly string[] {
  const lines: string[] = [];
  const { [symbols.streamSym]: stream } = app.log as unknown as { [symbols.streamSym]: { write: unknown } };
  stream.write = (line: string) => lines.push(line);
  return lines;
}
