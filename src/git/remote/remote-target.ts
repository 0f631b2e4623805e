import type { OutboundClient } from '../../base/outbound/client.ts';
import type { StreamedBody } from '../../base/outbound/model.ts';
import type { ObjectFormat, Oid } from '../format/model.ts';
import { zeroOid } from '../format/object-format.ts';
import { FLUSH, pktLine } from '../format/pkt-line.ts';
import type { RefUpdate } from '../interface/refs.ts';
import { GIT_LIMITS } from '../limits.ts';
import { type Advertisement, malformed, readAdvertisement } from './advertisement.ts';
import { AGENT, below, movedTo, readAnswer } from './answers.ts';
import { RemoteError, type RemoteSource, type TargetReport } from './model.ts';
import { readReport } from './report-status.ts';

const SERVICE = 'git-receive-pack';
const RESULT = { type: `application/x-${SERVICE}-result`, from: 'target' } as const;

/** How a target takes packs. */
interface PackForm {
  /** It completes deltas against objects that it has. */
  readonly isThin: boolean;
  /** It reads deltas that name their base by its position. */
  readonly hasOffsets: boolean;
}

/** A repository on another server to which this one pushes. No git process connects to it. */
export class RemoteTarget {
  /** by full name; what clients may not see is not among them */
  readonly refs: ReadonlyMap<string, Oid>;
  readonly objectFormat: ObjectFormat;
  readonly packForm: PackForm;
  readonly deletesRefs: boolean;
  readonly #outbound: OutboundClient;
  /** after redirects, as git itself continues there */
  readonly #place: RemoteSource;
  readonly #capabilities: ReadonlySet<string>;
  readonly #signal: AbortSignal;

  private constructor(
    outbound: OutboundClient,
    place: RemoteSource,
    { refs, objectFormat, capabilities }: Advertisement,
    signal: AbortSignal,
  ) {
    // Protocol 2 has no pushes, and was not asked for. Without reports, a push could fail unseen.
    if (refs === null || !capabilities.has('report-status')) throw malformed();
    this.refs = refs.refs;
    this.objectFormat = objectFormat;
    this.packForm = { isThin: !capabilities.has('no-thin'), hasOffsets: capabilities.has('ofs-delta') };
    this.deletesRefs = capabilities.has('delete-refs');
    this.#outbound = outbound;
    this.#place = place;
    this.#capabilities = capabilities;
    this.#signal = signal;
  }

  /** @throws RemoteError, OutboundError; the reason of the signal */
  static async open(
    outbound: OutboundClient,
    place: RemoteSource,
    signal: AbortSignal,
  ): Promise<RemoteTarget> {
    const response = await outbound.send({
      method: 'GET',
      url: below(place.url, `info/refs?service=${SERVICE}`),
      headers: { 'user-agent': AGENT },
      authorization: place.authorization,
      deadlineMs: GIT_LIMITS.sourceAnswerMs,
      bytesMax: GIT_LIMITS.sourceRefsBytesMax,
      signal,
    });
    const type = `application/x-${SERVICE}-advertisement`;
    const advertised = await readAnswer(response, { type, from: 'target' }, (reader) =>
      readAdvertisement(reader, SERVICE),
    );
    return new RemoteTarget(outbound, movedTo(place, response.url), advertised, signal);
  }

  /**
   * Sends commands, and the pack with the objects that they need.
   *
   * @param pack null if all commands delete refs
   * @throws RemoteError, OutboundError; the errors of the pack; the reason of the signal
   */
  async push(
    updates: readonly RefUpdate[],
    pack: (() => AsyncIterable<Uint8Array>) | null,
    { deadlineMs }: { deadlineMs: number },
  ): Promise<TargetReport> {
    const commands = this.#commands(updates);
    const response = await this.#outbound.send({
      method: 'POST',
      url: below(this.#place.url, SERVICE),
      headers: {
        'user-agent': AGENT,
        'content-type': `application/x-${SERVICE}-request`,
        accept: RESULT.type,
      },
      authorization: this.#place.authorization,
      body: pack === null ? commands : streamOf(commands, pack),
      signal: this.#signal,
      deadlineMs,
      idleMs: GIT_LIMITS.targetIdleMs,
      bytesMax: GIT_LIMITS.targetReportBytesMax,
    });
    const hasSideBand = this.#capabilities.has('side-band-64k');
    return readAnswer(response, RESULT, (reader) => readReport(reader, { hasSideBand }));
  }

  #commands(updates: readonly RefUpdate[]): Buffer {
    const none = zeroOid(this.objectFormat);
    const wanted = ['report-status', 'side-band-64k', 'quiet', `object-format=${this.objectFormat}`];
    const capabilities = wanted.filter((capability) => this.#capabilities.has(capability)).join(' ');
    const lines = updates.map(({ ref, old, new: fresh }, index) => {
      const command = `${old ?? none} ${fresh ?? none} ${ref}`;
      return pktLine(index === 0 ? `${command}\0 ${capabilities}` : command);
    });
    return Buffer.concat([...lines, FLUSH]);
  }

  /** @throws RemoteError if the objects of a repository mean nothing there */
  requireFormat(format: ObjectFormat): void {
    if (this.objectFormat === format) return;
    throw new RemoteError(`the target has ${this.objectFormat} objects, and this repository ${format}`);
  }
}

function streamOf(commands: Buffer, pack: () => AsyncIterable<Uint8Array>): StreamedBody {
  return {
    bytesMax: GIT_LIMITS.pushPackBytesMax,
    read: async function* () {
      yield commands;
      yield* pack();
    },
  };
}
