export const NOTE_LIMITS = {
  noteTitleCharsMax: 100,
  /** Name of a new file or folder. File systems hold 255, and programs add the endings of their temporary files. */
  noteNameBytesMax: 240,
  /** Start of a title, or of a folder in a category, that is read. The search for dots and spaces takes quadratic time. */
  noteNameCharsReadMax: 2_000,
  /** Start of a category that is read. Longer ones fit into no path. */
  noteCategoryCharsReadMax: 16 * 1024,
  /** Start of a text that is searched for its title. */
  noteTitleSearchedCharsMax: 2_000,
  notesPathCharsMax: 1_000,
  /** Suffixes that the users of one notebook have chosen. */
  suffixesPerNotebookMax: 20,
  fileSuffixCharsMax: 50,
  /**
   * The same size as the largest file in a response of the contents API. A list shows larger files without their text.
   */
  noteBytesMax: 10 * 1024 * 1024,
  /** Body of a request that writes a note, including JSON escapes. */
  noteBodyBytesMax: 24 * 1024 * 1024,
  notesPerNotebookMax: 100_000,
  /**
   * Pairs of notes that one change compares to detect renames. With more, only pairs that share rare lines are
   * compared.
   */
  noteRenamePairsMax: 10_000,
  noteBlobsReadAtOnce: 32,
  /** One request indexes a notebook that keeps changing at most this many times; then its caller receives `busy`. */
  notebookIndexAttemptsMax: 20,
  /** If a push changes more notes, or notes of more notebooks, the next call of the notes API indexes them. */
  notesIndexedInPushMax: 200,
  notebooksIndexedInPushMax: 8,
  /** Notes of a list whose texts are read and sent together. The last note may exceed the bytes. */
  noteTextsReadAtOnceMax: 200,
  noteTextBytesReadAtOnce: 64 * 1024,
  /** Approximate memory for each note until its list is sent. */
  noteListedBytes: 150,
  /** Longer texts are not compared line by line. */
  noteComparedCharsMax: 256 * 1024,
  /** Commits of one push that are searched for renames one by one. Of a longer push, only the two ends are compared. */
  noteRenameCommitsMax: 100,
  /** A deleted note keeps its id for this long, in case its file returns. */
  noteDeletedKeptMs: 90 * 24 * 60 * 60_000,
  /** Earlier versions of one note, and for how long they are known. An edit of an older version is not merged. */
  noteVersionsMax: 500,
  noteVersionsKeptMs: 90 * 24 * 60 * 60_000,
  /** Lists of one notebook that are remembered as sent to one credential. */
  noteListsRememberedMax: 500,
  /** Versions of a note with which an edit is compared, to find the version that was edited. */
  noteVersionsComparedMax: 16,
  /** Delay between a large push and work on the words of its notes, so that the first list does not wait for it. */
  noteWordsDelayMs: 3_000,
  /** Notes whose words are updated in one transaction, and characters before other work gets a turn. */
  notesMadeSearchableAtOnce: 64,
  /** Time that one search spends on this work. The finished part is stored, and the client tries again. */
  noteSearchPreparedMs: 15_000,
  noteCharsSplitInOneGo: 256 * 1024,
  /** Shortest beginning of a word that finds the word. */
  searchedNoteBeginningCharsMin: 2,
  /** The part of a text that a search shows, and the matches from which it is chosen. */
  noteSnippetCharsMax: 240,
  noteSnippetMatchesMax: 1_000,
  /** A file that a client uploads for a note. Files larger than the second limit become objects of git-lfs. */
  attachmentBytesMax: 512 * 1024 * 1024,
  attachmentInGitBytesMax: 1024 * 1024,
  attachmentExtensionCharsMax: 20,
  /** Versions of one note that its history lists, and renames that it follows. Older versions are in git. */
  noteHistoryVersionsMax: 5_000,
  noteHistoryRenamesMax: 200,
  /** Commits that are listed and compared in one go, and versions that are remembered, of all notes. */
  noteHistoryListedAtOnce: 500,
  noteHistoryComparedAtOnce: 50,
  noteHistoryRememberedMax: 50_000,
  /** Files of one import, and folders in folders. */
  importFilesMax: 200_000,
  importFoldersDeepMax: 100,
  importFileBytesMax: 64 * 1024 * 1024,
  importBytesMax: 16 * 1024 * 1024 * 1024,
  /**
   * The start of a file, by which its format is recognized, and the longest note in an export of Evernote, including
   * its files.
   */
  importStartBytesMax: 16 * 1024,
  importNoteCharsMax: 256 * 1024 * 1024,
  /** A file of an archive that is larger than this, and more than this many times its packed size, is rejected. */
  importRatioBytesMin: 1024 * 1024,
  importRatioMax: 200,
  /** Files of one commit, and bytes after which no further file is added to a commit. */
  importBatchFilesMax: 500,
  importBatchBytesMax: 16 * 1024 * 1024,
  /** Files that the report names because they could not be imported. */
  importNotTakenNamedMax: 1_000,
  /** Names that an import tries for a note if another file has its name. */
  importNamesTriedMax: 100,
  /** Notes of one chunk that an import asks another server for, and all notes of one import. */
  importChunkNotesMax: 50,
  importServerNotesMax: 200_000,
  importChunkBytesMax: 256 * 1024 * 1024,
  importCursorCharsMax: 200,
  /** Attachments that one note names. */
  importAttachmentsPerNoteMax: 200,
} as const;
