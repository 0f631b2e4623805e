// Parts of the limits, in a file of their own for its length. Use `LIMITS`.

export const ARCHIVE_LIMITS = {
  /** Concurrent git processes that build archives. */
  archivesBuiltAtOnceMax: 4,
  /** Run time of one of them, and the memory that it may allocate. A million files take about 275 MiB. */
  archiveMs: 10 * 60_000,
  archiveMemoryBytesMax: 256 * 1024 * 1024,
  archiveBytesMax: 4 * 1024 * 1024 * 1024,
  /** Folders of a commit that are read before its archive is built, and what may be in them. */
  archiveFoldersCountedMax: 256,
  archiveFilesMax: 500_000,
  archivePathBytesMax: 48 * 1024 * 1024,
  /** All files together, if the same ones repeat. Their sizes are looked up for this many different ones. */
  archiveUnpackedBytesMax: 16 * 1024 * 1024 * 1024,
  archiveBlobsSizedMax: 1_000,
  /** Archives in the object store. A setting overrides it. */
  archivesKeptBytesMax: 10 * 1024 * 1024 * 1024,
  /** Archives that are being built, and built ones that a client still reads, in temporary files. */
  archiveSpoolMibMax: 32 * 1024,
  archiveSpoolMibPerCallerMax: 8 * 1024,
  /** Downloads of archives. */
  archiveDownloadsAtOnceMax: 256,
  archiveDownloadsPerCallerMax: 64,
  /** Archives that were found to be too large, so that they are not built again for a while. */
  hugeArchivesRememberedMax: 1_000,
  hugeArchiveRememberedMs: 60 * 60_000,
  /** Archives whose recorded last use may lag behind by this much. */
  archiveUseRememberedMax: 10_000,
  archiveUseLagMs: 60 * 60_000,
  /** Delay between storing an archive and removing the least recently used ones. */
  archiveTrimDelayMs: 5_000,
  archivesTrimmedInOneGo: 100,
} as const;

/** The object store, and downloads from it. */
export const OBJECT_LIMITS = {
  /** Lifetime of an address at which a client gets an object from the object store itself. */
  signedAddressMs: 15 * 60_000,
  /** Downloads from signed addresses of this server. */
  objectDownloadsAtOnceMax: 256,
  objectDownloadsPerCallerMax: 64,
  /** Connections to an S3 store, for downloads and for everything else. */
  s3DownloadsAtOnceMax: 512,
  s3CallsAtOnceMax: 64,
  s3AttemptsMax: 3,
  s3ConnectMs: 10_000,
  /** Time until the first byte of an answer, for small calls and for those that write or join parts. */
  s3AnswerMs: 20_000,
  s3WriteMs: 5 * 60_000,
  /** Time without a byte, in either direction. */
  s3SilenceMs: 30_000,
  /** Part of an upload, the least that S3 accepts. An upload has two of them in memory. */
  s3PartBytes: 5 * 1024 * 1024,
  /** S3 itself has these two. */
  s3PartsMax: 10_000,
  s3PartBytesMax: 5 * 1024 * 1024 * 1024,
  /** Bytes of all uploads that are in memory, of all callers and of one. */
  s3UploadBytesInMemoryMax: 512 * 1024 * 1024,
  s3UploadBytesPerCallerMax: 128 * 1024 * 1024,
  /** Attempts to store an object while another writer stores one with the same key. */
  s3RacesMax: 5,
  /** Objects that a move copies at once, and how often it reports. */
  objectsMovedAtOnce: 4,
  moveReportMs: 5_000,
  /** Clocks of this server and an S3 store may differ by this much. */
  s3ClockSkewMs: 5 * 60_000,
} as const;

/** Large files: objects of git-lfs, and locks. */
export const LFS_LIMITS = {
  /** Objects that one request may ask for. */
  lfsBatchObjectsMax: 1_000,
  /** Bytes of one object. A setting overrides it. */
  lfsObjectBytesMax: 64 * 1024 * 1024 * 1024,
  /** Bytes of a file that are written at once. As many may arrive meanwhile. */
  bytesWrittenAtOnce: 128 * 1024,
  /** Bytes of an upload that are in memory at once: those two, and a chunk that is being received. */
  objectBodyBytesInMemory: 320 * 1024,
  /** Objects that are being uploaded, and objects that clients download. */
  lfsUploadsAtOnceMax: 128,
  lfsUploadsPerCallerMax: 32,
  lfsDownloadsAtOnceMax: 256,
  lfsDownloadsPerCallerMax: 64,
  /** Lifetime of a token for transfers. A transfer that began with it may take longer. */
  transferTokenMs: 30 * 60_000,
  /** An object whose bytes are arriving is not collected for this long. An upload renews the time while it runs. */
  lfsReservationMs: 60 * 60_000,
  lfsReservationRenewedEveryMs: 10 * 60_000,
  lfsObjectsCollectedInOneGo: 100,
  /** Part of an upload that can continue after a cut. */
  lfsPartBytes: 64 * 1024 * 1024,
  /** Such uploads that are not complete, and how long they wait for their clients. */
  lfsUnfinishedUploadsPerAccountMax: 100,
  lfsUnfinishedUploadMs: 24 * 60 * 60_000,
  /** New pointers of one push or copy whose objects are looked up. */
  lfsPointersAtOnceMax: 100_000,
  pointerSearchesAtOnceMax: 4,
  /** A larger `.gitattributes` does not say which files of the API are large. Neither do lines beyond these. */
  lfsAttributesBytesMax: 256 * 1024,
  lfsAttributeLinesMax: 1_000,
  /** Locks of one repository, on one page, and the length of a path. */
  lfsLocksPerRepositoryMax: 20_000,
  lfsLocksPerPageMax: 50,
} as const;

/** Files that configure tools. */
export const CONFIGURATION_LIMITS = {
  /** A larger `.editorconfig` is ignored, and so is a section with a longer name. */
  editorConfigBytesMax: 64 * 1024,
  editorConfigSectionCharsMax: 1024,
  /** Steps of matching a path with all sections. */
  editorConfigStepsMax: 500_000,
  /** A larger file with a template for issues is ignored. */
  issueTemplateBytesMax: 64 * 1024,
  issueTemplatesMax: 100,
  /** Text of all templates for issues of a repository. Further ones are left out. */
  issueTemplateCharsMax: 512 * 1024,
  issueTemplatesCachedCharsMax: 8 * 1024 * 1024,
  /** A file in YAML, or the part of a file that is in YAML, and its value as JSON. */
  yamlBytesMax: 32 * 1024,
  yamlValueCharsMax: 256 * 1024,
} as const;

/** About protections of branches and tags. */
export const PROTECTION_LIMITS = {
  protectionsPerRepositoryMax: 100,
  protectionPatternCharsMax: 255,
  /** Alternatives of the braces in one pattern. */
  protectionAlternativesMax: 32,
  /** Patterns of files in one protection, with their separators. */
  protectionFilePatternsCharsMax: 4096,
  /** Accounts or teams of one list in a protection. */
  protectionListMax: 500,
  statusContextsPerProtectionMax: 100,
  requiredApprovalsMax: 1_000,
  /** Steps of comparing all names and paths of one request with the patterns of protections, and of one of them. */
  protectionMatchStepsMax: 200_000_000,
  protectionMatchStepsAtOnceMax: 200_000,
  /** Steps before other work gets a turn. */
  protectionMatchStepsInOneGo: 200_000,
  /** New commits of one push to a branch that requires signatures, and how many are read at a time. */
  signedCommitsPerPushMax: 1_000,
  signedCommitsInOneGo: 50,
  /** Entries of two trees whose differences are compared with the file patterns of a protection. */
  treeEntriesComparedMax: 200_000,
} as const;

/** About issues, and what they share with pull requests. */
export const ISSUE_LIMITS = {
  /** Labels of one repository or of one organization. */
  labelsPerHomeMax: 1_000,
  labelNameCharsMax: 255,
  labelDescriptionCharsMax: 1_024,
  milestonesPerRepositoryMax: 1_000,
  milestoneTitleCharsMax: 255,
  milestoneDescriptionCharsMax: 65_536,
} as const;

/** About keys of users and repositories. */
export const KEY_LIMITS = {
  /** Text of an SSH public key, with its comment. */
  sshKeyCharsMax: 16 * 1024,
  sshKeysPerAccountMax: 100,
  deployKeysPerRepositoryMax: 100,
  keyTitleCharsMax: 255,
  rsaKeyBitsMin: 2_048,
  /** Verifying a signature takes longer with a larger key. */
  rsaKeyBitsMax: 16_384,
  /** Text of an OpenPGP public key, with the signatures of others, which are not stored. */
  openPgpKeyCharsMax: 256 * 1024,
  openPgpKeysPerAccountMax: 50,
  openPgpSubkeysMax: 32,
  openPgpUserIdsMax: 64,
  /** Signatures of an OpenPGP key on its own user ids and subkeys. */
  openPgpOwnSignaturesMax: 500,
  /** Reading one key or verifying one signature, in a thread with this memory. */
  openPgpMs: 5_000,
  openPgpMemoryMib: 128,
  openPgpIdleMs: 30_000,
  /** Keys and signatures that wait for the thread. */
  openPgpQueueMax: 256,
  openPgpQueuePerCallerMax: 32,
  openPgpWaitMs: 30_000,
  /** A token that a user signs to prove the possession of a key is valid for one to two of these periods. */
  proofTokenMs: 10 * 60_000,
  /** Text of a signature of a commit or a tag, or of a token. */
  signatureCharsMax: 64 * 1024,
  /** A commit or a tag without its signature. A larger one is not verified. */
  signedBytesMax: 1024 * 1024,
  /** Signatures of which it is known whether a key made them. */
  signaturesRememberedMax: 50_000,
  keysTriedPerSignatureMax: 5,
  /** A signature that takes too long counts as invalid, and is tried again after this time. */
  slowSignatureRememberedMs: 10 * 60_000,
} as const;

/** About git objects, refs and patches that the API writes. */
export const GIT_DATA_LIMITS = {
  /** Requests that write objects without a ref. */
  objectWritesAtOnceMax: 32,
  objectWritesPerCallerMax: 8,
  objectWriteQueueMax: 512,
  objectWriteQueuePerCallerMax: 128,
  objectWriteQueueWaitMs: 60_000,
  /** Requests of one caller in a period that write objects without a ref. Each of these bytes counts as one more. */
  objectsKeptPerPeriodMax: 50_000,
  objectsKeptPeriodMs: 60 * 60_000,
  objectKeptUnitBytes: 256 * 1024,
  objectWritersRememberedMax: 10_000,
  /** Entries of one request that creates a tree. */
  treeEntriesCreatedMax: 10_000,
  parentsPerCommitMax: 100,
  signatureCharsMax: 64 * 1024,
  /** Entries of a folder of notes on commits. With more, a new note goes into a folder of its own. */
  notesPerFolderMax: 256,
  /** Text of a patch to apply, the body that has it, and the files that it changes. */
  patchBytesMax: 8 * 1024 * 1024,
  patchBodyBytesMax: 12 * 1024 * 1024,
  patchFilesMax: 2_000,
  /** Git processes that apply patches, and what one of them may use. */
  patchesAtOnceMax: 4,
  patchMs: 30_000,
  patchMemoryBytesMax: 256 * 1024 * 1024,
  /** Blobs of one request, and their content in the response. Further ones come without content. */
  blobsListedMax: 50,
  blobsListedBytesMax: 10 * 1024 * 1024,
} as const;

/** About searches in texts, such as those of notes. */
export const TEXT_SEARCH_LIMITS = {
  /** Start of a text whose words are indexed. */
  indexedTextCharsMax: 256 * 1024,
  /** Words of all texts of one row, the bytes of different ones, and the length of a word. */
  indexedWordsMax: 50_000,
  indexedWordBytesMax: 640 * 1024,
  indexedWordCharsMax: 64,
  /** A query, and the words in it. */
  wordQueryCharsMax: 500,
  wordQueryWordsMax: 64,
} as const;

export const NOTE_LIMITS = {
  noteTitleCharsMax: 100,
  /** Start of a text that is searched for its title. */
  noteTitleSearchedCharsMax: 2_000,
  notesPathCharsMax: 1_000,
  /** Suffixes that the users of one notebook have chosen. */
  suffixesPerNotebookMax: 20,
  fileSuffixCharsMax: 50,
  /** Larger files appear in a list by name, without their text. */
  noteBytesMax: 4 * 1024 * 1024,
  /** Body of a request that writes a note, with JSON escapes. */
  noteBodyBytesMax: 16 * 1024 * 1024,
  notesPerNotebookMax: 100_000,
  /** Pairs of notes that one change compares to detect renames. With more, only those that share rare lines count. */
  noteRenamePairsMax: 10_000,
  noteBlobsReadAtOnce: 32,
  /** A push that changes more notes, or notes of more notebooks, leaves them to the next call of the notes API. */
  notesIndexedInPushMax: 200,
  notebooksIndexedInPushMax: 8,
  /** Notes of a list whose texts are read and sent together. The last of them may exceed the bytes. */
  noteTextsReadAtOnceMax: 200,
  noteTextBytesReadAtOnce: 64 * 1024,
  /** What the server remembers of each note until its list is sent, about. */
  noteListedBytes: 400,
  /** Longer texts are not compared line by line. */
  noteComparedCharsMax: 256 * 1024,
  /** Commits of one push that are searched for renames one by one. For a longer push, only its two ends are compared. */
  noteRenameCommitsMax: 100,
  /** A deleted note keeps its id for this long, in case its file returns. */
  noteDeletedKeptMs: 90 * 24 * 60 * 60_000,
  /** Earlier versions of one note, and for how long they are known. An edit of an older one is not merged. */
  noteVersionsMax: 500,
  noteVersionsKeptMs: 90 * 24 * 60 * 60_000,
  /** Lists of one notebook that are remembered as sent to one credential. */
  noteListsRememberedMax: 500,
  /** Versions of a note with which an edit is compared, to find the one it was made from. */
  noteVersionsComparedMax: 16,
  /** Run time of one merge of texts, and size of its result: two notes of the largest size. */
  textMergeMs: 10_000,
  mergedTextBytesMax: 9 * 1024 * 1024,
  /** Notes whose words are brought up to date in one transaction, and characters before other work gets a turn. */
  notesMadeSearchableAtOnce: 64,
  /** Time that one search spends on that. What it has done stays, and the client tries again. */
  noteSearchPreparedMs: 15_000,
  noteCharsSplitInOneGo: 256 * 1024,
  /** The part of a text that a search shows, and the matches from which it is chosen. */
  noteSnippetCharsMax: 240,
  noteSnippetMatchesMax: 1_000,
  /** A file that a client uploads for a note. Larger ones than the second limit become objects of git-lfs. */
  attachmentBytesMax: 512 * 1024 * 1024,
  attachmentInGitBytesMax: 1024 * 1024,
  attachmentExtensionCharsMax: 20,
  /** The rest of the form that has the file: its other parts, and the headers of each. */
  attachmentFieldBytesMax: 64 * 1024,
  attachmentFormPartsMax: 20,
  /** Versions of one note that its history lists, and renames that it follows. The others are in git. */
  noteHistoryVersionsMax: 5_000,
  noteHistoryRenamesMax: 200,
  /** Commits that are listed and compared in one go, and versions that are remembered, of all notes. */
  noteHistoryListedAtOnce: 500,
  noteHistoryComparedAtOnce: 50,
  noteHistoryRememberedMax: 50_000,
  /** The text of a comparison of two versions. */
  comparedTextBytesMax: 9 * 1024 * 1024,
} as const;

/** Imports of notes, by a command. */
export const IMPORT_LIMITS = {
  importFilesMax: 200_000,
  importFoldersDeepMax: 100,
  importFileBytesMax: 64 * 1024 * 1024,
  importBytesMax: 16 * 1024 * 1024 * 1024,
  /** A larger file of an archive that unpacks to more than this many times its size is rejected. */
  importRatioBytesMin: 1024 * 1024,
  importRatioMax: 200,
  /** Files of one commit, and bytes after which a commit takes no further file. */
  importBatchFilesMax: 500,
  importBatchBytesMax: 16 * 1024 * 1024,
  /** Files that could not be taken and that the report names. */
  importNotTakenNamedMax: 1_000,
  /** How often the command reports its progress. */
  importReportMs: 5_000,
} as const;

/** Clients that sign in through a page. */
export const SIGN_IN_LIMITS = {
  /** After this, a client starts again. */
  signInRequestMs: 20 * 60_000,
  /** Requests of one network in that time. */
  signInRequestsPerPeriodMax: 60,
  signInCallersRememberedMax: 10_000,
  deviceNameCharsMax: 120,
} as const;
