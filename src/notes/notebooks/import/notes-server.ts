import { withoutEndSlashes } from '../../../base/core/text/text.ts';
import type { OutboundClient } from '../../../base/outbound/client.ts';
import { RemoteError } from '../../../git/remote/model.ts';
import type { Credentials } from '../../../hosting/mirrors/model.ts';
import { LAST_MS } from '../../../http/time.ts';
import { Fields } from '../../../tracker/imports/fields.ts';
import { bytesOf, JsonServer, jsonOf } from '../../../tracker/imports/json-server.ts';
import { NOTE_LIMITS } from '../limits.ts';

/** A note of another server. */
export interface RemoteNote {
  readonly id: number;
  readonly title: string;
  readonly category: string;
  readonly content: string;
  /** seconds */
  readonly modified: number;
  readonly isFavorite: boolean;
  readonly etag: string;
  /** extension of its file, with its dot; '' if unknown */
  readonly suffix: string;
}

/** A part of the list of all notes. */
export interface Chunk {
  readonly notes: readonly RemoteNote[];
  readonly notTaken: readonly { readonly name: string; readonly why: string }[];
  /** where the next chunk begins; null after the last one */
  readonly next: string | null;
  /** seconds, on the server's clock: when the first chunk was requested; null if the server does not report it */
  readonly startedAt: number | null;
}

/** Reads notes of another server over version 1 of the Notes API. */
export class NotesServer {
  readonly #server: JsonServer;
  /** names the server and the user there */
  readonly source: string;

  /** @param source.url address of the server, the part before `/index.php` */
  constructor(
    outbound: OutboundClient,
    source: { readonly url: URL; readonly credentials: Credentials; readonly signal: AbortSignal },
  ) {
    const { url, credentials, signal } = source;
    const base = withoutEndSlashes(url.href).replace(/\/index\.php(?:\/.*)?$/, '');
    this.source = `${credentials.username} ${base}`;
    this.#server = new JsonServer(outbound, {
      api: `${base}/index.php/apps/notes/api`,
      credentials,
      signal,
    });
  }

  /**
   * Reads a part of the notes that have changed. A server without support for chunks sends all of them.
   *
   * @throws RemoteError, OutboundError
   */
  async chunk({ since, cursor }: { since: number; cursor: string }): Promise<Chunk> {
    const query = new URLSearchParams({
      pruneBefore: `${since}`,
      chunkSize: `${NOTE_LIMITS.importChunkNotesMax}`,
      ...(cursor === '' ? {} : { chunkCursor: cursor }),
    });
    const response = await this.#server.send(`/v1/notes?${query}`, {
      bytesMax: NOTE_LIMITS.importChunkBytesMax,
    });
    const next = response.header('x-notes-chunk-cursor') ?? null;
    const startedAt = Date.parse(response.header('last-modified') ?? '');
    const list = await jsonOf(response, 'notes');
    if (!Array.isArray(list) || list.length > NOTE_LIMITS.importServerNotesMax)
      throw new RemoteError('the source sends no list of notes');
    const notes: RemoteNote[] = [];
    const notTaken: { name: string; why: string }[] = [];
    for (const item of list) {
      const fields = new Fields(item, 'note');
      const id = fields.id('id');
      // A note that has not changed appears only with its id.
      if (!fields.has('content')) continue;
      const note = remoteNote(fields, id);
      if ('why' in note) notTaken.push(note);
      else notes.push(note);
    }
    const isEmpty = notes.length + notTaken.length === 0;
    if (next !== null && (isEmpty || next.length > NOTE_LIMITS.importCursorCharsMax || next === cursor))
      throw new RemoteError('the source does not continue its list of notes');
    return { notes, notTaken, next, startedAt: Number.isNaN(startedAt) ? null : startedAt / 1000 };
  }

  /** @returns undefined if the server has no such file */
  async attachment(noteId: number, path: string): Promise<Buffer | undefined> {
    const query = new URLSearchParams({ path });
    const response = await this.#server.send(`/v1.4/attachment/${noteId}?${query}`, {
      bytesMax: NOTE_LIMITS.importFileBytesMax,
    });
    // Servers before version 1.4 answer 400.
    if (response.status === 404 || response.status === 400) {
      response.end();
      return undefined;
    }
    return bytesOf(response, 'an attachment');
  }
}

function remoteNote(
  fields: Fields,
  id: number,
): RemoteNote | { readonly name: string; readonly why: string } {
  const name = `note ${id}`;
  try {
    if (fields.flag('error')) return { name, why: 'its server cannot read it' };
    const [suffix = ''] = /\.[a-z0-9.-]{1,20}$/i.exec(suffixPart(fields)) ?? [];
    return {
      id,
      title: fields.line('title'),
      category: fields.line('category'),
      content: fields.text('content'),
      modified: Math.min(fields.count('modified'), LAST_MS / 1000),
      isFavorite: fields.flag('favorite'),
      etag: fields.line('etag'),
      suffix,
    };
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return { name, why: error.message };
  }
}

/** Returns the part of the file name after the title. */
function suffixPart(fields: Fields): string {
  const name = fields.text('internalPath').split('/').at(-1) ?? '';
  const title = fields.text('title');
  return name.startsWith(title) ? name.slice(title.length) : '';
}
