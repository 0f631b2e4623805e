import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { SeenNote } from '../model.ts';
import type { NoteRecord } from '../schema.ts';
import type { NoteList } from '../service.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a list as JSON. Sends a short list at once, and a longer one note by note while the client reads. */
export async function sendList(
  reply: FastifyReply,
  list: NoteList,
  present: (note: SeenNote) => NoteRecord,
): Promise<FastifyReply> {
  const pieces = jsonOf(list, present);
  const first = await pieces.next();
  const second = await pieces.next();
  reply.type(JSON_TYPE);
  if (second.done === true) return reply.send(first.value);
  return reply.send(Readable.from(all([first.value, second.value], pieces), { objectMode: false }));
}

/** Yields the JSON of a list, one piece for each part of its notes. */
async function* jsonOf(list: NoteList, present: (note: SeenNote) => NoteRecord): AsyncGenerator<string> {
  const others = list.others.map((id) => `{"id":${id}}`);
  let isFirst = true;
  let ready = '[';
  for await (const notes of list.withTexts()) {
    if (!isFirst) yield ready;
    const records = notes.map((note) => JSON.stringify(present(note))).join();
    ready = isFirst ? `[${records}` : `,${records}`;
    isFirst = false;
  }
  const separator = isFirst || others.length === 0 ? '' : ',';
  yield `${ready}${separator}${others.join()}]`;
}

async function* all(first: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* first;
  yield* rest;
}
