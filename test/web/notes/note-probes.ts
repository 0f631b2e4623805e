import { NOTE } from '../../../src/notes/notebooks/actions.ts';
import type { Probe } from '../../api/access/probe.ts';

const NOTE_PAGE = '/-/notes/:id(^\\d+$)';
const VERSION_PAGE = `${NOTE_PAGE}/history/:version(^[0-9a-f]{40,64}$)`;
const VERSION = { ':version': '0'.repeat(40) };
const FORM = {
  body: 'title=Looms&content=Cards',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
};

export const NOTE_PAGE_PROBES: readonly Probe[] = [
  { label: 'way to the notes', method: 'GET', url: '/notes', action: NOTE.read },
  { label: 'page of notes', method: 'GET', url: '/-/notes', action: NOTE.read },
  { label: 'page of deleted notes', method: 'GET', url: '/-/notes/deleted', action: NOTE.write },
  { label: 'page of a new note', method: 'GET', url: '/-/notes/new', action: NOTE.write },
  { label: 'page of a note', method: 'GET', url: NOTE_PAGE, action: NOTE.write },
  { label: 'history of a note', method: 'GET', url: `${NOTE_PAGE}/history`, action: NOTE.read },
  {
    label: 'earlier version of a note',
    method: 'GET',
    url: VERSION_PAGE,
    action: NOTE.write,
    filled: VERSION,
  },
  { label: 'form: new note', method: 'POST', url: '/-/notes', action: NOTE.write, sent: FORM },
  { label: 'form: change a note', method: 'POST', url: NOTE_PAGE, action: NOTE.write, sent: FORM },
  {
    label: 'form: delete a note',
    method: 'POST',
    url: `${NOTE_PAGE}/delete`,
    action: NOTE.write,
    sent: FORM,
  },
  {
    label: 'form: restore a note',
    method: 'POST',
    url: `${NOTE_PAGE}/restore`,
    action: NOTE.write,
    sent: FORM,
  },
  {
    label: 'form: restore a version',
    method: 'POST',
    url: `${VERSION_PAGE}/restore`,
    action: NOTE.write,
    filled: VERSION,
    sent: FORM,
  },
];
