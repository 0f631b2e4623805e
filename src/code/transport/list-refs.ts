import { ForgeError } from '../../base/core/failure.ts';
import type { ObjectFormat } from '../../git/format/model.ts';
import { DELIMITER, FLUSH, FLUSH_TEXT, type PktReader, pktLine, pktText } from '../../git/format/pkt-line.ts';
import { compareNames, visibleRefs } from '../../git/format/ref-names.ts';
import type { Snapshot } from '../../git/interface/snapshot.ts';
import { TRANSPORT_LIMITS } from './limits.ts';

/**
 * The parts of protocol version 2 that need only refs: the advertisement, and `ls-refs`. They are answered from rows,
 * without a git process. git's own upload-pack serves the other advertised commands.
 *
 * @see gitprotocol-v2(5)
 */

/** Encodes the capabilities of the server. git 2.39 or newer serves `fetch`. */
export function advertiseCapabilities(format: ObjectFormat, version: string): Buffer {
  const capabilities = [
    'version 2',
    `agent=quire/${version}`,
    'ls-refs=unborn',
    'fetch=shallow wait-for-done filter',
    'server-option',
    `object-format=${format}`,
  ];
  return Buffer.concat([...capabilities.map((capability) => pktLine(`${capability}\n`)), FLUSH]);
}

interface ListRefs {
  readonly peel: boolean;
  readonly symrefs: boolean;
  readonly unborn: boolean;
  /** none: every ref */
  readonly prefixes: readonly string[];
}

/**
 * Reads a request if it is `ls-refs`.
 *
 * @returns null for another command
 * @throws ForgeError `bad_request`
 */
export async function readListRefs(reader: PktReader, format: ObjectFormat): Promise<ListRefs | null> {
  const first = await reader.next();
  if (!first || lineOf(first) !== 'command=ls-refs') return null;
  const words = await readToEnd(reader);
  const end = words.indexOf(DELIMITER);
  const named = (end === -1 ? words : words.slice(0, end)).map(lineOf);
  requireFormat(named, format);
  const asked = end === -1 ? [] : words.slice(end + 1).map(lineOf);
  const prefixes = asked
    .filter((word) => word.startsWith('ref-prefix '))
    .map((word) => word.slice('ref-prefix '.length));
  return {
    peel: asked.includes('peel'),
    symrefs: asked.includes('symrefs'),
    unborn: asked.includes('unborn'),
    // Clients filter the refs themselves, and so many prefixes would cost more than they save.
    prefixes: prefixes.length > TRANSPORT_LIMITS.refPrefixesMax ? [] : prefixes,
  };
}

async function readToEnd(reader: PktReader): Promise<Buffer[]> {
  const words: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const word = await reader.next({ delimiter: true });
    if (word === null) return words;
    if (word === undefined) throw new ForgeError({ kind: 'bad_request', what: 'the request ends too early' });
    words.push(word);
    bytes += word.length;
    if (bytes > TRANSPORT_LIMITS.listRefsRequestBytesMax) {
      throw new ForgeError({ kind: 'bad_request', what: 'the request has too many lines' });
    }
  }
}

function lineOf(word: Buffer): string {
  return word.toString('utf8').replace(/\n$/, '');
}

function requireFormat(capabilities: readonly string[], format: ObjectFormat): void {
  const asked = capabilities.find((word) => word.startsWith('object-format='));
  // A client that names no format supports only SHA-1.
  if ((asked ?? 'object-format=sha1') === `object-format=${format}`) return;
  throw new ForgeError({
    kind: 'bad_request',
    what: `this repository uses ${format}: clone it again with a git that supports it`,
  });
}

/** Yields the packets of the response. */
export function* listRefs(snapshot: Snapshot, asked: ListRefs): Generator<string> {
  const prefixes = distinctPrefixes(asked.prefixes);
  if (prefixes.some((prefix) => 'HEAD'.startsWith(prefix))) yield* headLine(snapshot, asked);
  for (const prefix of prefixes) {
    for (const [name, oid, peeled] of visibleRefs(snapshot, prefix)) {
      const end = asked.peel && peeled !== null ? ` peeled:${peeled}\n` : '\n';
      yield pktText(`${oid} ${name}${end}`);
    }
  }
  yield FLUSH_TEXT;
}

/** Returns the prefixes in the order of names, without those that begin with another one; none means all. */
function distinctPrefixes(prefixes: readonly string[]): readonly string[] {
  if (prefixes.length === 0) return [''];
  const distinct: string[] = [];
  for (const prefix of [...prefixes].sort(compareNames)) {
    const last = distinct.at(-1);
    if (last === undefined || !prefix.startsWith(last)) distinct.push(prefix);
  }
  return distinct;
}

function headLine(snapshot: Snapshot, asked: ListRefs): readonly string[] {
  const oid = snapshot.ref(snapshot.head);
  const target = asked.symrefs ? ` symref-target:${snapshot.head}` : '';
  if (oid !== undefined) return [pktText(`${oid} HEAD${target}\n`)];
  return asked.unborn ? [pktText(`unborn HEAD${target}\n`)] : [];
}
