import { withoutControls } from '../../base/core/text/text.ts';
import { PktReader } from '../format/pkt-line.ts';
import { GIT_LIMITS } from '../limits.ts';
import { failureIn, malformed, textOf } from './advertisement.ts';
import { RemoteError, type TargetReport } from './model.ts';

const DATA = 1;
const PROGRESS = 2;

/**
 * Reads what a target says about a push.
 *
 * @throws RemoteError, and the errors of `reader`
 * @see gitprotocol-pack(5), "Report Status"
 */
export async function readReport(
  reader: PktReader,
  { hasSideBand }: { hasSideBand: boolean },
): Promise<TargetReport> {
  return readStatus(hasSideBand ? new PktReader(dataIn(reader)) : reader);
}

async function* dataIn(reader: PktReader): AsyncGenerator<Buffer> {
  for (let line = await reader.next(); line !== null; line = await reader.next()) {
    if (line === undefined) throw endedEarly();
    const [band] = line;
    if (band === DATA) yield line.subarray(1);
    else if (band !== PROGRESS)
      throw failureIn(line) ?? new RemoteError('the target ended the transfer with an error');
  }
}

async function readStatus(reader: PktReader): Promise<TargetReport> {
  const first = await reader.next();
  if (first === undefined || first === null) throw endedEarly();
  const unpack = /^unpack (.*)$/s.exec(textOf(first))?.[1];
  if (unpack === undefined) throw failureIn(first) ?? malformed();
  const refs = new Map<string, string | null>();
  for (let line = await reader.next(); line !== null; line = await reader.next()) {
    if (line === undefined) throw endedEarly();
    const [, ok, ng, why = ''] = /^(?:ok (\S+)|ng (\S+) ?(.*))$/s.exec(textOf(line)) ?? [];
    if (ok !== undefined) refs.set(ok, null);
    else if (ng !== undefined) refs.set(ng, plainLine(why));
    if (refs.size > GIT_LIMITS.targetCommandsMax) throw malformed();
  }
  return { unpackError: unpack === 'ok' ? null : plainLine(unpack), refs };
}

/** The words are those of another server. */
function plainLine(text: string): string {
  return withoutControls(text).trim().slice(0, GIT_LIMITS.targetReasonCharsMax);
}

function endedEarly(): RemoteError {
  return new RemoteError('the target ended the transfer early', { isTemporary: true });
}
