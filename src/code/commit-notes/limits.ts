export const COMMIT_NOTE_LIMITS = {
  /** Entries of a folder of notes on commits. With more, a new note goes into a folder of its own. */
  notesPerFolderMax: 256,
} as const;
