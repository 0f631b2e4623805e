import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, createDeflate, deflate, deflateSync } from 'node:zlib';
import { writeDurably } from './durability.ts';
import type { GitObject, Oid } from './model.ts';
import { objectHeader } from './object-format.ts';
import { FOLDER_MODE } from './repository-layout.ts';

const deflateAsync = promisify(deflate);

/** Below this, compressing takes less time than handing the work to another thread. */
const SYNC_BYTES_MAX = 16 * 1024;
/** Above this, content is compressed in pieces and faster. */
const WHOLE_BYTES_MAX = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const OBJECT_MODE = 0o440;

/** Where git looks for an object of its own file, below an `objects` folder. */
export function loosePath(oid: Oid): string {
  return join(oid.slice(0, 2), oid.slice(2));
}

/** Writes an object into an `objects` folder that nobody else writes to. The file is synced, its name is not. */
export async function writeLooseObject(objectsFolder: string, object: GitObject): Promise<void> {
  await mkdir(join(objectsFolder, object.oid.slice(0, 2)), { recursive: true, mode: FOLDER_MODE });
  const path = join(objectsFolder, loosePath(object.oid));
  await writeDurably(path, await compress(object), { mode: OBJECT_MODE });
}

async function compress({ type, content }: GitObject): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  const header = Buffer.from(objectHeader(type, content.length), 'latin1');
  if (content.length > WHOLE_BYTES_MAX) return compressInPieces(header, content);
  const whole = Buffer.concat([header, content]);
  return whole.length <= SYNC_BYTES_MAX ? deflateSync(whole) : deflateAsync(whole);
}

function compressInPieces(header: Buffer, content: Uint8Array): AsyncIterable<Uint8Array> {
  const stream = createDeflate({ level: constants.Z_BEST_SPEED });
  stream.on('error', () => {});
  const feed = async () => {
    stream.write(header);
    for (let from = 0; from < content.length; from += PIECE_BYTES) {
      const room = stream.write(content.subarray(from, from + PIECE_BYTES));
      if (!room) await new Promise((resolve) => stream.once('drain', resolve));
    }
    stream.end();
  };
  void feed();
  return stream;
}
