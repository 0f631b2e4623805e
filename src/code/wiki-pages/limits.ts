export const WIKI_PAGE_LIMITS = {
  /** Title of a page that is created or renamed over the API, and the name of its file, where letters take more bytes. */
  titleCharsMax: 255,
  fileNameBytesMax: 255,
  /** Content of a page that the API writes, and the body of the request, in base64 and JSON. */
  wikiPageWrittenBytesMax: 1024 * 1024,
  pageBodyBytesMax: 2 * 1024 * 1024,
  messageCharsMax: 64 * 1024,
  /** Content of a page that the API returns. git serves larger ones. */
  pageReadBytesMax: 10 * 1024 * 1024,
  /** A larger sidebar or footer is left out of the record of a page, and of pages for people. */
  asideBytesMax: 256 * 1024,
  /** Commits on a page of revisions, as in the reference. */
  revisionsPerPage: 50,
  /** Files and folders in the root of a wiki. One with more is served by git alone. */
  entriesMax: 20_000,
  /** Bytes of the tree object of its root. */
  rootBytesMax: 6 * 1024 * 1024,
  /** Pages of wikis whose names are cached, by the trees that have them. */
  pagesCachedMax: 50_000,
} as const;
