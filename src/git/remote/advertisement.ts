import type { ObjectFormat, Oid } from '../format/model.ts';
import { isOid } from '../format/object-format.ts';
import type { PktReader } from '../format/pkt-line.ts';
import { BRANCHES, branchRef, decodeRefName } from '../format/ref-names.ts';
import { GIT_LIMITS } from '../limits.ts';
import { RemoteError, type RemoteRefs } from './model.ts';

/** What another server says first: in protocol 2 its capabilities, in the older ones also its refs. */
export interface Advertisement {
  /** null: protocol 2, which lists refs on request */
  readonly refs: RemoteRefs | null;
  readonly objectFormat: ObjectFormat;
  readonly capabilities: ReadonlySet<string>;
}

/**
 * Reads the response to `info/refs`.
 *
 * @throws RemoteError, and the errors of `reader`
 * @see gitprotocol-http(5), gitprotocol-v2(5), gitprotocol-pack(5)
 */
export async function readAdvertisement(
  reader: PktReader,
  service: 'git-upload-pack' | 'git-receive-pack',
): Promise<Advertisement> {
  let line = await reader.next();
  if (textOf(line) === `# service=${service}`) {
    if ((await reader.next()) !== null) throw malformed();
    line = await reader.next();
  }
  if (textOf(line) === 'version 2') return readCapabilities(reader);
  if (textOf(line) === 'version 1') line = await reader.next();
  return readRefs(reader, line);
}

async function readCapabilities(reader: PktReader): Promise<Advertisement> {
  const capabilities = new Set<string>();
  for (let line = await reader.next(); line !== null; line = await reader.next()) {
    if (line === undefined || capabilities.size >= GIT_LIMITS.sourceCapabilitiesMax) throw malformed();
    capabilities.add(textOf(line));
  }
  return { refs: null, capabilities, objectFormat: formatOf(capabilities) };
}

async function readRefs(reader: PktReader, first: Buffer | null | undefined): Promise<Advertisement> {
  if (first === undefined) throw malformed();
  // An empty repository of an old server.
  if (first === null) return emptyAdvertisement();
  const nul = first.indexOf(0);
  if (nul === -1) throw failureIn(first) ?? malformed();
  const capabilities = new Set(textOf(first.subarray(nul + 1)).split(' '));
  const objectFormat = formatOf(capabilities);
  const collected = new CollectedRefs(objectFormat);
  for (
    let line: Buffer | null | undefined = first.subarray(0, nul);
    line !== null;
    line = await reader.next()
  ) {
    if (line === undefined) throw malformed();
    collected.add(line);
  }
  const prefix = 'symref=HEAD:';
  const symref = [...capabilities].find((capability) => capability.startsWith(prefix));
  const head = symref === undefined ? collected.guessedHead() : symref.slice(prefix.length);
  return { refs: { objectFormat, head, refs: collected.refs }, capabilities, objectFormat };
}

function emptyAdvertisement(): Advertisement {
  const objectFormat = 'sha1';
  return { refs: { objectFormat, head: null, refs: new Map() }, capabilities: new Set(), objectFormat };
}

/**
 * Reads the response to `ls-refs` of protocol 2.
 *
 * @throws RemoteError, and the errors of `reader`
 */
export async function readRefList(reader: PktReader, objectFormat: ObjectFormat): Promise<RemoteRefs> {
  const collected = new CollectedRefs(objectFormat);
  let head: string | null = null;
  for (let line = await reader.next(); line !== null; line = await reader.next()) {
    if (line === undefined) throw malformed();
    const failure = failureIn(line);
    if (failure !== undefined) throw failure;
    const [, target] = /^\S+ HEAD .*?symref-target:(\S+)/.exec(textOf(line)) ?? [];
    if (target !== undefined) head = target;
    else collected.add(withoutAttributes(line));
  }
  return { objectFormat, head: head ?? collected.guessedHead(), refs: collected.refs };
}

const SPACE = 0x20;

/** Cuts `OID NAME ATTRIBUTES` after the name. */
function withoutAttributes(line: Buffer): Buffer {
  const end = line.indexOf(SPACE, line.indexOf(SPACE) + 1);
  return end === -1 ? line : line.subarray(0, end);
}

class CollectedRefs {
  readonly refs = new Map<string, Oid>();
  readonly #format: ObjectFormat;
  #headOid: Oid | undefined;

  constructor(format: ObjectFormat) {
    this.#format = format;
  }

  /** Adds `OID NAME`. Ignores names that are not UTF-8, which this server cannot have either. */
  add(line: Buffer): void {
    const space = line.indexOf(SPACE);
    const oid = line.toString('latin1', 0, space);
    if (oid === 'shallow')
      throw new RemoteError('the other repository is a shallow clone, without its whole history');
    const name = decodeRefName(trimmed(line.subarray(space + 1)));
    if (oid === 'unborn' || name === 'capabilities^{}' || name?.endsWith('^{}') === true) return;
    if (space === -1 || !isOid(this.#format, oid)) throw malformed();
    if (name === undefined) return;
    if (name === 'HEAD') this.#headOid = oid;
    else if (name.startsWith('refs/')) this.refs.set(name, oid);
    if (this.refs.size > GIT_LIMITS.sourceRefsMax)
      throw new RemoteError(`the other repository has more than ${GIT_LIMITS.sourceRefsMax} refs`);
  }

  /** Old servers send only the commit of HEAD. */
  guessedHead(): string | null {
    const usual = [branchRef('main'), branchRef('master')];
    const branches = [...this.refs.keys()].filter((name) => name.startsWith(BRANCHES));
    return (
      [...usual, ...branches].find((name) => this.refs.get(name) === this.#headOid && this.refs.has(name)) ??
      null
    );
  }
}

function trimmed(name: Buffer): Buffer {
  return name.at(-1) === 0x0a ? name.subarray(0, -1) : name;
}

function formatOf(capabilities: ReadonlySet<string>): ObjectFormat {
  if (capabilities.has('object-format=sha256') && !capabilities.has('object-format=sha1')) return 'sha256';
  return 'sha1';
}

export function textOf(line: Buffer | null | undefined): string {
  return line?.toString('utf8').replace(/\n$/, '') ?? '';
}

/** Returns the error that another server sends in place of a line; undefined for any other line. */
export function failureIn(line: Buffer): RemoteError | undefined {
  const text = textOf(line);
  if (!text.startsWith('ERR ')) return undefined;
  // The words are those of another server, so they belong only in the log.
  const isTemporary = /not our ref|not a valid|unadvertised/.test(text);
  return new RemoteError('the other server reports an error', {
    cause: new Error(text.slice(0, 500)),
    isTemporary,
  });
}

export function malformed(): RemoteError {
  return new RemoteError('the address does not answer in the smart protocol of git');
}
