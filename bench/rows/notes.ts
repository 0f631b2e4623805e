import { NOTES_PATH, type Note, type Notebook, notesOf } from '../corpus/notebook.ts';
import type { LoadRequest } from '../load/job.ts';
import type { Sample } from '../model.ts';
import { atOnceEach, expectStatus, type Get, readyGet, requireSame, sendOnce } from './http.ts';
import type { Bench, ReadyRow, Row } from './model.ts';

/** Requests of notes apps. */
export const NOTES: readonly Row[] = [
  {
    id: 'notes-first-list',
    about: 'first complete note list after a push of all notes',
    kind: 'row',
    atOnce: 1,
    prepare: async ({ corpus }) => {
      const { firstListMs } = await corpus.notebook();
      const sample = { latenciesMs: [firstListMs], elapsedMs: firstListMs };
      return { round: async () => sample, cpuMs: null };
    },
  },
  ...atOnceEach(
    { id: 'notes-list', about: 'complete note list, for a client that has nothing', kind: 'row' },
    (bench, atOnce) => readyGet(bench, atOnce, () => wholeList(bench)),
  ),
  ...atOnceEach(
    { id: 'notes-list-304', about: 'note list, nothing changed (304)', kind: 'row' },
    (bench, atOnce) => readyGet(bench, atOnce, () => unchangedList(bench)),
  ),
  {
    id: 'notes-list-changed',
    about: 'note list after one change, for a client that has the others',
    kind: 'row',
    atOnce: 1,
    prepare: readyChangedList,
  },
  ...atOnceEach({ id: 'notes-save', about: 'save of one note (PUT)', kind: 'row' }, async (bench, atOnce) =>
    readySaves(bench, await bench.corpus.notebook(), atOnce),
  ),
];

async function wholeList(bench: Bench): Promise<Get> {
  const { headers } = await bench.corpus.notebook();
  return {
    path: NOTES_PATH,
    headers,
    check: (answer) => requireSame('number of notes', notesOf(answer).length, bench.size.notes),
  };
}

async function unchangedList(bench: Bench): Promise<Get> {
  const { headers } = await bench.corpus.notebook();
  const list = await bench.forge.ask('GET', NOTES_PATH, { headers });
  return {
    path: NOTES_PATH,
    headers: { ...headers, 'if-none-match': list.headers.get('etag') ?? '' },
    status: 304,
    check: ({ body }) => requireSame('length of the response', body.length, 0),
  };
}

/** Times only the list, not the save before it. */
async function readyChangedList(bench: Bench): Promise<ReadyRow> {
  const { forge, size } = bench;
  const { headers, notes } = await bench.corpus.notebook();
  const list = await forge.ask('GET', NOTES_PATH, { headers });
  let etag = list.headers.get('etag') ?? '';
  let since = 0;
  let made = 0;
  const change = async (): Promise<Note> => {
    const note = noteAt(notes, made);
    made += 1;
    await sendOnce(bench, [[saveOf(note, `Changed ${made}\n`, headers)]], expectStatus(200));
    return note;
  };
  const listSince = async (note: Note): Promise<number> => {
    const startedAt = performance.now();
    const answer = await forge.ask('GET', `${NOTES_PATH}?pruneBefore=${since}`, {
      headers: { ...headers, 'if-none-match': etag },
    });
    const took = performance.now() - startedAt;
    requireChanged(notesOf(answer), note, size.notes);
    etag = answer.headers.get('etag') ?? '';
    since = Math.floor(Date.parse(answer.headers.get('last-modified') ?? '') / 1000);
    return took;
  };
  const round = async (): Promise<Sample> => {
    const latenciesMs: number[] = [];
    for (let turn = 0; turn < Math.ceil(size.writes / 5); turn += 1) {
      latenciesMs.push(await listSince(await change()));
    }
    return { latenciesMs, elapsedMs: latenciesMs.reduce((total, ms) => total + ms, 0) };
  };
  await listSince(await change());
  return { round, cpuMs: null };
}

/** Checks that the list names every note, because clients delete missing ones. */
function requireChanged(listed: readonly Note[], changed: Note, count: number): void {
  requireSame('number of notes', listed.length, count);
  const note = listed.find(({ id }) => id === changed.id);
  requireSame('start of the changed note', note?.content?.slice(0, 8), 'Changed ');
}

function readySaves(bench: Bench, { headers, notes }: Notebook, atOnce: number): ReadyRow {
  const { forge, size } = bench;
  const perLane = Math.ceil(size.writes / atOnce);
  let made = 0;
  let newest: { note: Note; text: string } | undefined;
  const round = (): Promise<Sample> => {
    const lanes = Array.from({ length: atOnce }, () =>
      Array.from({ length: perLane }, () => {
        made += 1;
        const note = noteAt(notes, made * 7);
        newest = { note, text: `Saved ${made} of ${atOnce}\n${note.content}` };
        return saveOf(note, newest.text, headers);
      }),
    );
    return sendOnce(bench, lanes, expectStatus(200));
  };
  const check = async () => {
    if (newest === undefined) return;
    const { body } = await forge.ask('GET', `${NOTES_PATH}/${newest.note.id}`, { headers });
    requireSame('the saved note', (JSON.parse(body.toString()) as Note).content, newest.text);
  };
  return { round, check, cpuMs: bench.server?.cpuMs ?? null };
}

function noteAt(notes: readonly Note[], index: number): Note {
  const note = notes[index % notes.length];
  if (note === undefined) throw new Error('the notebook has no notes');
  return note;
}

function saveOf(note: Note, content: string, headers: Readonly<Record<string, string>>): LoadRequest {
  return {
    method: 'PUT',
    path: `${NOTES_PATH}/${note.id}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  };
}
