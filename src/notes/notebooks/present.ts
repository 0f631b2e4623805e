import { NOTES_API_VERSIONS } from '../../http/errors/notes.ts';
import { APP_VERSION, type NoteProblem, type NoteSettings, PLATFORM, type SeenNote } from './model.ts';
import type { NoteRecord } from './schema.ts';
import { noteVersion, seconds } from './versions.ts';

const EXCLUDABLE = ['id', 'title', 'modified', 'category', 'favorite', 'readonly', 'content'] as const;

/** What a note shows instead of its text. */
export const PROBLEMS: Record<NoteProblem, string> = {
  'not-text': 'This file is not text and cannot be shown as a note.',
  'too-large': 'This file is too large to be shown as a note.',
};

/** @param exclude fields to leave out, except for the fields that every client needs */
export function presentNote(
  note: SeenNote,
  settings: NoteSettings,
  exclude: readonly string[] = [],
): NoteRecord {
  const record: { -readonly [Key in keyof NoteRecord]: NoteRecord[Key] } = {
    id: note.id,
    title: note.title,
    modified: seconds(note.modifiedAt),
    category: note.category,
    favorite: note.isFavorite,
    readonly: note.isReadOnly,
    content: note.problem === null ? note.content : PROBLEMS[note.problem],
    etag: noteVersion(note),
    internalPath: internalPath(note, settings),
    shareTypes: [],
    isShared: false,
    error: note.problem !== null,
    errorType: note.problem === null ? '' : 'Exception',
  };
  for (const key of EXCLUDABLE) {
    if (exclude.includes(key)) delete record[key];
  }
  return record;
}

export function presentSettings({ notesPath, fileSuffix, noteMode }: NoteSettings): NoteSettings {
  return { notesPath, fileSuffix, noteMode };
}

function internalPath(note: SeenNote, settings: NoteSettings): string {
  const folder = settings.notesPath === '' ? '' : `/${settings.notesPath}`;
  return `${folder}/${note.path}`;
}

/** @param settings null: the caller is not signed in and sees nothing about notes */
export function presentCapabilities(settings: NoteSettings | null) {
  const { major, minor, micro } = PLATFORM;
  const version = {
    ...PLATFORM,
    string: `${major}.${minor}.${micro}`,
    edition: '',
    extendedSupport: false,
  };
  const core = { pollinterval: 60 };
  if (settings === null) return { version, capabilities: { core } };
  const notes = {
    api_version: [...NOTES_API_VERSIONS],
    version: APP_VERSION,
    notes_path: settings.notesPath,
  };
  return { version, capabilities: { core, notes } };
}
