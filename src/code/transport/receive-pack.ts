import { ForgeError } from '../../base/core/failure.ts';
import type { ObjectFormat, Oid } from '../../git/format/model.ts';
import { isOid, zeroOid } from '../../git/format/object-format.ts';
import { FLUSH, FLUSH_TEXT, type PktReader, pktLine, pktText } from '../../git/format/pkt-line.ts';
import { visibleRefs } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import { TRANSPORT_LIMITS } from './limits.ts';

/**
 * The server's side of a push, without a git process: gitprotocol-pack(5), "Pushing Data To a Server".
 */

const CAPABILITIES =
  'report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta push-options';

const SHALLOW = 'shallow ';

export interface PushRequest {
  readonly updates: readonly RefUpdate[];
  /** commits whose parents the sender does not have */
  readonly shallow: readonly Oid[];
  readonly options: readonly string[];
  readonly capabilities: ReadonlySet<string>;
}

/** Yields the refs and capabilities that a client reads before it decides what to push. */
export function* advertiseRefs(
  snapshot: Pick<Snapshot, 'objectFormat' | 'refs'>,
  options: { version: string; protocol: 0 | 1 },
): Generator<string> {
  if (options.protocol === 1) yield pktText('version 1\n');
  const capabilities = `${CAPABILITIES} object-format=${snapshot.objectFormat} agent=quire/${options.version}`;
  let isFirst = true;
  for (const [name, oid] of visibleRefs(snapshot)) {
    yield pktText(isFirst ? `${oid} ${name}\0${capabilities}\n` : `${oid} ${name}\n`);
    isFirst = false;
  }
  if (isFirst) yield pktText(`${zeroOid(snapshot.objectFormat)} capabilities^{}\0${capabilities}\n`);
  yield FLUSH_TEXT;
}

/**
 * Reads the commands and options before the pack.
 *
 * @returns undefined for the empty request that clients probe with before a large one
 * @throws ForgeError `bad_request`
 */
export async function readPushRequest(
  reader: PktReader,
  format: ObjectFormat,
): Promise<PushRequest | undefined> {
  const lines = await readList(reader, {
    countMax: TRANSPORT_LIMITS.pushCommandsMax,
    bytesMax: TRANSPORT_LIMITS.pushCommandBytesMax,
  });
  if (lines.length === 0) return undefined;
  const isShallow = (line: Buffer) => line.toString('latin1', 0, SHALLOW.length) === SHALLOW;
  const { commands, capabilities } = splitCapabilities(lines.filter((line) => !isShallow(line)));
  requireObjectFormat(capabilities, format);
  return {
    updates: commands.map((line) => readCommand(textOf(line), format)),
    shallow: lines.filter(isShallow).map((line) => readOid(textOf(line).slice(SHALLOW.length), format)),
    options: capabilities.has('push-options') ? await readOptions(reader) : [],
    capabilities,
  };
}

/** The capabilities follow the first command. `shallow` lines may come before it. */
function splitCapabilities(lines: readonly Buffer[]): { commands: Buffer[]; capabilities: Set<string> } {
  const [first, ...others] = lines;
  if (first === undefined) throw malformed('the request has no command');
  const nul = first.indexOf(0);
  if (nul === -1) return { commands: [first, ...others], capabilities: new Set() };
  const words = textOf(first.subarray(nul + 1)).split(' ');
  return {
    commands: [first.subarray(0, nul), ...others],
    capabilities: new Set(words.filter((word) => word !== '')),
  };
}

async function readList(
  reader: PktReader,
  limits: { countMax: number; bytesMax: number },
): Promise<Buffer[]> {
  const lines: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const line = await reader.next();
    if (line === null) return lines;
    if (line === undefined) {
      if (lines.length === 0) return lines;
      throw malformed('the request ends in the middle of a list');
    }
    lines.push(line);
    bytes += line.length;
    if (lines.length > limits.countMax || bytes > limits.bytesMax)
      throw malformed('the request has too many lines');
  }
}

async function readOptions(reader: PktReader): Promise<readonly string[]> {
  const bytesMax = TRANSPORT_LIMITS.pushOptionsMax * TRANSPORT_LIMITS.pushOptionBytesMax;
  const lines = await readList(reader, { countMax: TRANSPORT_LIMITS.pushOptionsMax, bytesMax });
  return lines.map((line) => {
    const option = textOf(line);
    if (line.length > TRANSPORT_LIMITS.pushOptionBytesMax || /[\0\n]/.test(option))
      throw malformed('malformed push option');
    return option;
  });
}

function requireObjectFormat(capabilities: ReadonlySet<string>, format: ObjectFormat): void {
  for (const capability of capabilities) {
    if (!capability.startsWith('object-format=') || capability === `object-format=${format}`) continue;
    throw malformed(`this repository uses ${format}: clone it again`);
  }
}

function readCommand(line: string, format: ObjectFormat): RefUpdate {
  const [old = '', fresh = ''] = line.split(' ', 2);
  const ref = line.slice(old.length + fresh.length + 2);
  const update = {
    ref,
    old: presentOid(readOid(old, format), format),
    new: presentOid(readOid(fresh, format), format),
  };
  if (ref === '') throw malformed('malformed command');
  return update;
}

function readOid(text: string, format: ObjectFormat): Oid {
  if (!isOid(format, text)) throw malformed('malformed object id');
  return text;
}

/** All zeros mean an absent ref. */
function presentOid(oid: Oid, format: ObjectFormat): Oid | null {
  return oid === zeroOid(format) ? null : oid;
}

function textOf(line: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line).replace(/\n$/, '');
  } catch (error) {
    throw new ForgeError({ kind: 'bad_request', what: 'a ref name is not UTF-8' }, { cause: error });
  }
}

function malformed(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}

export interface PushReport {
  /** null: the pack was stored */
  readonly unpackError: string | null;
  /** what the operator must know about, for the log */
  readonly fault?: unknown;
  readonly refs: readonly ReportedRef[];
}

interface ReportedRef {
  /** as the client named it */
  readonly ref: string;
  readonly rejected: string | null;
  /** absent unless another ref has moved in place of the named one */
  readonly instead?: { readonly moved: RefUpdate; readonly isForced: boolean };
}

/** Returns the report of a push whose pack was not stored. */
export function unstoredPush({ updates }: PushRequest, why: string): PushReport {
  return { unpackError: why, refs: updates.map(({ ref }) => ({ ref, rejected: 'unpacker error' })) };
}

/**
 * Encodes the result of each ref as git shows it to the user: report-status.
 *
 * @param options.namesRefs names other refs that have moved, as in report-status-v2
 */
export function encodeReport(report: PushReport, options: { namesRefs: boolean }): Buffer {
  const lines = [
    report.unpackError === null ? 'unpack ok' : `unpack ${oneLine(report.unpackError)}`,
    ...report.refs.flatMap((result) => [
      result.rejected === null ? `ok ${result.ref}` : `ng ${result.ref} ${oneLine(result.rejected)}`,
      ...(options.namesRefs ? optionLines(result) : []),
    ]),
  ];
  return Buffer.concat([...lines.map((line) => pktLine(`${line}\n`)), FLUSH]);
}

/** Returns the lines about another ref that has moved. For a missing line, the client uses the value of its command. */
function optionLines({ instead }: ReportedRef): readonly string[] {
  if (instead === undefined) return [];
  const { moved, isForced } = instead;
  return [
    `option refname ${moved.ref}`,
    ...(moved.old === null ? [] : [`option old-oid ${moved.old}`]),
    ...(moved.new === null ? [] : [`option new-oid ${moved.new}`]),
    ...(isForced ? ['option forced-update'] : []),
  ];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
