import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { type Backend, commitTo, startBackend } from './backend.ts';

/**
 * How a source answers one fetch. cut: it ends the connection. begin: it sends the beginning of a pack of three objects, and
 * then nothing, until the test ends the answer. A number is a status.
 */
export type Step = 'pass' | 'cut' | 'begin' | number;

export interface SteppedSource {
  readonly source: Backend;
  /** for the next fetches; afterwards they pass */
  readonly steps: Step[];
  /** answers that have begun */
  readonly begun: ServerResponse[];
  /** begun answers whose connection has ended */
  readonly ended: () => number;
}

/** Starts a source with one commit, whose fetches a test controls. */
export async function startSteppedSource(
  t: TestContext,
  options: { authorization?: string } = {},
): Promise<SteppedSource> {
  const steps: Step[] = [];
  const begun: ServerResponse[] = [];
  let ended = 0;
  const source = await startBackend(t, {
    ...options,
    intercept: async (request, response, body) => {
      if (request.url?.endsWith('git-upload-pack') !== true || !body.includes('want')) return false;
      const step = steps.shift() ?? 'pass';
      if (step === 'pass') return false;
      if (step === 'cut') request.socket.destroy();
      else if (step === 'begin') {
        response.once('close', () => {
          ended += 1;
        });
        response.setHeader('content-type', 'application/x-git-upload-pack-result');
        response.write('000dpackfile\n0011\x01PACK\0\0\0\x02\0\0\0\x03');
        begun.push(response);
      } else response.writeHead(step).end();
      return true;
    },
  });
  await commitTo(source.folder, 'main', 'first');
  return { source, steps, begun, ended: () => ended };
}
