import type { OutboundClient } from '../../base/outbound/client.ts';
import type { OutboundRequest, OutboundResponse } from '../../base/outbound/model.ts';
import type { ObjectFormat } from '../format/model.ts';
import { DELIMITER, FLUSH, PktReader, pktLine } from '../format/pkt-line.ts';
import { GIT_LIMITS } from '../limits.ts';
import {
  type Advertisement,
  failureIn,
  malformed,
  readAdvertisement,
  readRefList,
  textOf,
} from './advertisement.ts';
import { AGENT, below, movedTo, readAnswer, remoteErrorOf, requireAnswer } from './answers.ts';
import { RemoteError, type RemoteFetch, type RemoteRefs, type RemoteSource } from './model.ts';

const SERVICE = 'git-upload-pack';

/**
 * A repository on another server, read over git's smart protocol. No git process takes part, so none resolves a name,
 * connects or has a credential.
 */
export class RemoteRepository {
  readonly #outbound: OutboundClient;
  /** after redirects, as git itself continues there */
  readonly #source: RemoteSource;
  readonly #advertised: Advertisement;
  readonly #signal: AbortSignal | undefined;

  private constructor(
    outbound: OutboundClient,
    source: RemoteSource,
    advertised: Advertisement,
    signal: AbortSignal | undefined,
  ) {
    this.#outbound = outbound;
    this.#source = source;
    this.#advertised = advertised;
    this.#signal = signal;
  }

  /** @throws RemoteError, OutboundError; the reason of the signal */
  static async open(
    outbound: OutboundClient,
    source: RemoteSource,
    signal?: AbortSignal,
  ): Promise<RemoteRepository> {
    const response = await outbound.send({
      method: 'GET',
      url: below(source.url, `info/refs?service=${SERVICE}`),
      headers: { 'git-protocol': 'version=2', 'user-agent': AGENT },
      authorization: source.authorization,
      deadlineMs: GIT_LIMITS.sourceAnswerMs,
      bytesMax: GIT_LIMITS.sourceRefsBytesMax,
      signal,
    });
    const type = `application/x-${SERVICE}-advertisement`;
    const advertised = await readAnswer(response, { type, from: 'source' }, (reader) =>
      readAdvertisement(reader, SERVICE),
    );
    return new RemoteRepository(outbound, movedTo(source, response.url), advertised, signal);
  }

  get objectFormat(): ObjectFormat {
    return this.#advertised.objectFormat;
  }

  /**
   * Lists refs.
   *
   * @param prefixes of their full names; an old server lists all
   * @throws RemoteError, OutboundError; the reason of the signal
   */
  async listRefs(prefixes: readonly string[]): Promise<RemoteRefs> {
    const { refs, objectFormat, capabilities } = this.#advertised;
    const isWanted = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
    const only = (all: RemoteRefs) => ({
      ...all,
      refs: new Map([...all.refs].filter(([name]) => isWanted(name))),
    });
    if (refs !== null) return only(refs);
    const canBeUnborn = [...capabilities].some((each) => /^ls-refs=.*\bunborn\b/.test(each));
    const names = ['HEAD', ...prefixes].map((prefix) => `ref-prefix ${prefix}`);
    const response = await this.#post(
      this.#command('ls-refs', ['symrefs', ...(canBeUnborn ? ['unborn'] : []), ...names]),
      { deadlineMs: GIT_LIMITS.sourceAnswerMs, bytesMax: GIT_LIMITS.sourceRefsBytesMax },
    );
    return only(await readAnswer(response, RESULT, (reader) => readRefList(reader, objectFormat)));
  }

  /**
   * Yields the pack of a fetch.
   *
   * @throws RemoteError, OutboundError; the reason of the signal
   */
  async *fetch(
    wanted: RemoteFetch,
    limits: { bytesMax: number; deadlineMs: number },
  ): AsyncGenerator<Buffer> {
    const isOld = this.#advertised.refs !== null;
    const response = await this.#post(isOld ? this.#oldRequest(wanted) : this.#newRequest(wanted), limits);
    try {
      requireAnswer(response, RESULT);
      const reader = new PktReader(response.body);
      yield* packIn(reader, isOld ? await firstOfOld(reader) : await firstOfNew(reader));
    } catch (error) {
      throw remoteErrorOf(error);
    } finally {
      response.end();
    }
  }

  #newRequest({ wants, haves }: RemoteFetch): Buffer {
    const lines = [
      'thin-pack',
      'ofs-delta',
      'no-progress',
      ...named('want', wants),
      ...named('have', haves),
      'done',
    ];
    return this.#command('fetch', lines);
  }

  #command(command: string, args: readonly string[]): Buffer {
    const hasFormats = [...this.#advertised.capabilities].some((each) => each.startsWith('object-format='));
    const format = hasFormats ? [`object-format=${this.#advertised.objectFormat}`] : [];
    const head = [`command=${command}`, ...format];
    return Buffer.concat([...head.map(line), DELIMITER, ...args.map(line), FLUSH]);
  }

  #oldRequest({ wants, haves }: RemoteFetch): Buffer {
    const { capabilities, objectFormat } = this.#advertised;
    if (!capabilities.has('side-band-64k')) throw malformed();
    const useful = [
      'side-band-64k',
      'thin-pack',
      'ofs-delta',
      'no-progress',
      `object-format=${objectFormat}`,
    ];
    const used = useful.filter((capability) => capabilities.has(capability)).join(' ');
    const [first = '', ...others] = named('want', wants);
    const lines = [`${first} ${used}`, ...others];
    return Buffer.concat([...lines.map(line), FLUSH, ...[...named('have', haves), 'done'].map(line)]);
  }

  #post(body: Buffer, limits: Pick<OutboundRequest, 'bytesMax' | 'deadlineMs'>): Promise<OutboundResponse> {
    const version = this.#advertised.refs === null ? { 'git-protocol': 'version=2' } : {};
    return this.#outbound.send({
      method: 'POST',
      url: below(this.#source.url, SERVICE),
      headers: {
        ...version,
        'user-agent': AGENT,
        'content-type': `application/x-${SERVICE}-request`,
        accept: RESULT.type,
      },
      authorization: this.#source.authorization,
      body,
      signal: this.#signal,
      ...limits,
    });
  }
}

const RESULT = { type: `application/x-${SERVICE}-result`, from: 'source' } as const;

function line(text: string): Buffer {
  return pktLine(`${text}\n`);
}

function named(word: 'want' | 'have', oids: readonly string[]): readonly string[] {
  return oids.map((oid) => `${word} ${oid}`);
}

/** Reads to the pack of protocol 2. */
async function firstOfNew(reader: PktReader): Promise<Buffer | null | undefined> {
  for (;;) {
    const next = await reader.next({ delimiter: true });
    if (next === null || next === undefined) throw malformed();
    const failure = failureIn(next);
    if (failure !== undefined) throw failure;
    const section = textOf(next);
    if (section === 'packfile') return reader.next();
    if (section === 'shallow-info')
      throw new RemoteError('the source is a shallow clone, without its whole history');
  }
}

/** Reads to the pack of the older protocols. */
async function firstOfOld(reader: PktReader): Promise<Buffer | null | undefined> {
  for (;;) {
    const next = await reader.next();
    if (next === null || next === undefined) throw malformed();
    const failure = failureIn(next);
    if (failure !== undefined) throw failure;
    if (!/^(?:NAK|ACK )/.test(textOf(next))) return next;
  }
}

const PACK = 1;
const PROGRESS = 2;

/** @see gitprotocol-pack(5), side-band-64k */
async function* packIn(reader: PktReader, first: Buffer | null | undefined): AsyncGenerator<Buffer> {
  let next = first;
  for (; next !== null; next = await reader.next()) {
    if (next === undefined)
      throw new RemoteError('the source ended the transfer early', { isTemporary: true });
    const [band] = next;
    if (band === PACK) yield next.subarray(1);
    else if (band !== PROGRESS)
      throw new RemoteError('the source ended the transfer with an error', {
        cause: new Error(next.toString('utf8', 1, 500)),
      });
  }
}
