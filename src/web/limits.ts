export const WEB_LIMITS = {
  /** A page lists this many entries of a folder. */
  pageEntriesMax: 2_000,
  /** A page of a wiki is rendered up to this size, and links to the file of a larger one. */
  wikiPageBytesMax: 512 * 1024,
  /** Commits that the page of a comparison shows. */
  comparisonPageCommitsMax: 50,
  /** Issues or pull requests of a page of their list, and entries of a page of a thread. */
  issueListItemsMax: 25,
  threadEntriesMax: 100,
  /** A form with a long text. Each character of 262,144 may take nine bytes as a browser sends it. */
  textFormBytesMax: 3 * 1024 * 1024,
  /** A form with a page of a wiki of 1 MiB: each byte may take three as a browser sends it. */
  wikiFormBytesMax: 4 * 1024 * 1024,
  /** Pages of a wiki that are named beside a page. */
  wikiPagesBesideMax: 50,
  notificationsPageItemsMax: 30,
  /** Labels and milestones of a page of their lists. */
  labelsPageItemsMax: 100,
  milestonesPageItemsMax: 20,
  /** Dependencies and times beside a thread. */
  threadSideItemsMax: 50,
  /** Comments on lines that a page of a pull request shows, and lines of code above each. */
  pageLineCommentsMax: 500,
  threadHunkLinesMax: 8,
  /** Commits of a page of those of a pull request. */
  pullCommitsMax: 50,
  /** Statuses of a commit that a page shows. */
  statusesShownMax: 50,
  /** Labels, milestones and people that forms and filters offer, of each kind. */
  trackerChoicesMax: 300,
  /** Releases that their page shows, and characters of the text of each. */
  releasesPageItemsMax: 20,
  releasePageCharsMax: 20_000,
  /** Activities, releases, tags or commits in a feed for feed readers. */
  feedEntriesMax: 50,
  /** Tags of which the newest are in their feed: those with the highest names. */
  feedTagsReadMax: 300,
  /** Code is colored up to this length, in this time and memory. Colored code is kept up to this size. */
  highlightedCharsMax: 512 * 1024,
  highlightMs: 3_000,
  highlightMemoryMib: 256,
  highlightIdleMs: 60_000,
  highlightedCharsCachedMax: 16 * 1024 * 1024,
  /** Code that waits to be colored, and the speed that a caller is charged for. */
  highlightQueueMax: 64,
  highlightQueuePerCallerMax: 8,
  highlightWaitMs: 2_000,
  highlightCharsPerMs: 500,
  /** Entries of a folder, and branches and tags of the picker, before a page leads to the rest. */
  pickedRefsMax: 100,
  /** Rows and columns of a table that a page shows of a file with separated values. */
  tableRowsMax: 1_000,
  tableColumnsMax: 100,
  /** A README is rendered on the page of its folder up to this size. */
  readmeBytesMax: 256 * 1024,
  /** Notes, and versions of a note, that a page lists. */
  notesPageItemsMax: 50,
  noteVersionsPageMax: 30,
  /** Lines of differences on one page, of a page with one file, and of a file that is not folded. */
  diffPageLinesMax: 10_000,
  diffOneFileLinesMax: 20_000,
  diffFileOpenLinesMax: 400,
  /** The list of changed files is open up to this number. */
  diffListOpenFilesMax: 20,
  /** Words that differ are marked in hunks with up to this many changed lines, in lines up to this length. */
  markedLinesMax: 60,
  markedLineCharsMax: 400,
  markedWordPairsMax: 10_000,
  /** Commits, branches and tags of one page. */
  commitsPageItemsMax: 30,
  branchesPageItemsMax: 30,
  tagsPageItemsMax: 30,
  /** Files that the file finder shows. */
  foundFilesMax: 100,
  /** The form with an edited file, a commit message in it, and the files of one upload: each, all, and their number. */
  editFormBytesMax: 4 * 1024 * 1024,
  editMessageCharsMax: 200,
  editDescriptionCharsMax: 20_000,
  uploadFileBytesMax: 50 * 1024 * 1024,
  uploadFormBytesMax: 100 * 1024 * 1024,
  uploadFilesMax: 50,
  /** Checks of a commit that its page shows, and the size of the note that it shows. */
  commitChecksMax: 100,
  /** Repositories and accounts on a page of a list. */
  exploreItemsMax: 20,
  /** Activities on the dashboard and on the page of a user. */
  activitiesPageItemsMax: 20,
  /** Repositories on the dashboard and on the front page. */
  startRepositoriesMax: 10,
  /** Issues in each list of the dashboard, and characters of its search for repositories. */
  dashboardIssuesMax: 5,
  dashboardWordsCharsMax: 200,
  /** Organizations beside what a user says about themselves. */
  profileOrganizationsMax: 30,
  /** Organizations that a form offers as the owner of a new repository. */
  ownersOfferedMax: 50,
  /** Teams on the page of those who have access to a repository. */
  repositoryTeamsMax: 50,
  /** Deliveries on the page of a webhook. */
  webhookDeliveriesMax: 20,
  /** Users, entries of the audit log and kinds of recurring work on a page of the administration. */
  adminUsersMax: 30,
  auditEntriesMax: 50,
  cronTasksMax: 100,
  /** Characters of a filter of the audit log. */
  auditWordsCharsMax: 200,
  /** Subjects of commits and names of their authors, as pages repeat them. */
  shownSubjectCharsMax: 200,
  personNameCharsMax: 100,
  /** Texts that one page renders, together, and what it shows of a text beyond that. */
  renderedCharsOfPageMax: 1024 * 1024,
  unrenderedCharsMax: 2_000,
  /** Colored code may be this many times as long as its text. */
  highlightedGrowthMax: 12,
  /** Suggested changes that are shown of a comment. */
  suggestionsShownMax: 10,
} as const;
