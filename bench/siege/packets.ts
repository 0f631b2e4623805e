import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants, createDeflate } from 'node:zlib';

// Requests of git's protocol, written by hand because no git would send them.

const FLUSH = '0000';
const DELIMITER = '0001';
const ZEROS = '0'.repeat(40);

/** @see gitprotocol-common(5), pkt-line */
function line(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;
}

/** A fetch of protocol version 2 for one commit and its whole history. */
export function fetchRequest(want: string, options: { filter?: string } = {}): string {
  const filter = options.filter === undefined ? '' : line(`filter ${options.filter}\n`);
  return [
    line('command=fetch\n'),
    line('object-format=sha1\n'),
    DELIMITER,
    line('no-progress\n'),
    line(`want ${want}\n`),
    filter,
    line('done\n'),
    FLUSH,
  ].join('');
}

/** The commands of a push that creates branches, without its pack. */
export function pushCommands(tips: readonly string[], prefix: string): string {
  const commands = tips.map((tip, index) => {
    const capabilities = index === 0 ? '\0report-status side-band-64k' : '';
    return line(`${ZEROS} ${tip} refs/heads/${prefix}-${index}${capabilities}\n`);
  });
  return commands.join('') + FLUSH;
}

/** Ids that no object has. */
export function unknownIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    createHash('sha1').update(`none ${index}`).digest('hex'),
  );
}

/** @see gitformat-pack(5): signature, version 2, number of objects */
export function packHeader(objects: number): Buffer {
  const header = Buffer.alloc(12, 'PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects, 8);
  return header;
}

export function emptyPack(): Buffer {
  return withChecksum([packHeader(0)]);
}

/** A small pack with one blob of `mebibytes` MiB of zeros. */
export async function packOfZeros(mebibytes: number): Promise<Buffer> {
  const zeros = Buffer.alloc(1024 * 1024);
  const deflate = createDeflate({ level: constants.Z_BEST_SPEED });
  const packed: Buffer[] = [];
  deflate.on('data', (chunk: Buffer) => packed.push(chunk));
  for (let written = 0; written < mebibytes; written += 1) {
    if (!deflate.write(zeros)) await once(deflate, 'drain');
  }
  deflate.end();
  await once(deflate, 'end');
  return withChecksum([packHeader(1), blobHeader(mebibytes * zeros.length), ...packed]);
}

/** @see gitformat-pack(5): type 3 is a blob; the size has 4 bits in the first byte and 7 in each further one */
function blobHeader(bytes: number): Buffer {
  const header = [(3 << 4) | (bytes & 15)];
  let rest = Math.floor(bytes / 16);
  while (rest > 0) {
    header[header.length - 1] = (header.at(-1) ?? 0) | 0x80;
    header.push(rest & 0x7f);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from(header);
}

function withChecksum(parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}
