import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { access, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SETTINGS } from '../../src/app/settings.ts';
import { LIMITS } from '../../src/base/core/limits.ts';
import { migrationRetryMs } from '../../src/hosting/mirrors/copy-repository.ts';
import { databaseLocation } from '../support/database-location.ts';
import { temporaryFolder } from '../support/git.ts';
import { ROOT, run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

const README = await readFile(join(ROOT, 'README.md'), 'utf8');
const LIMITS_PAGE = await readFile(join(ROOT, 'docs/limits.md'), 'utf8');
const PORT = 3000;

function section(title: string): string {
  const [, after = ''] = README.split(`\n## ${title}\n`);
  const [body = ''] = after.split('\n## ');
  assert.ok(body.length > 0, `the README has no section "${title}"`);
  return body;
}

/** Returns the cells of a table's rows, without the header. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const cells = line.split('|').slice(1, -1);
    return cells.map((cell) => cell.trim());
  });
}

const code = (cell: string) => /`([^`]*)`/.exec(cell)?.[1] ?? '';

interface Step {
  /** last line of the text above the commands */
  readonly about: string;
  readonly commands: string;
}

function tour(): Step[] {
  const text = section('Tour');
  const blocks = text.matchAll(/([^\n]+)\n\n```sh\n([\s\S]*?)```/g);
  return [...blocks].map(([, about = '', commands = '']) => ({ about, commands }));
}

/** The expected result of a step. */
interface Outcome {
  /** commands to run in the same shell, after those in the README */
  readonly check?: string;
  readonly printed: RegExp;
}

const OUTCOMES: readonly (readonly [about: RegExp, outcome: Outcome])[] = [
  [/Create a token/, { check: 'echo "token $TOKEN"', printed: /^token [0-9a-f]{40}$/m }],
  [/Create a repository/, { printed: /"full_name":"root\/engine"/ }],
  [
    /Push to it/,
    {
      check: 'git status -sb && git ls-remote origin',
      printed: /## main\.\.\.origin\/main\n[0-9a-f]{40}\tHEAD\n/,
    },
  ],
  [/Change the file/, { printed: /"message":"Say what it does/ }],
  [
    /Pull the change/,
    { printed: /^# Engine\n\nIt weaves patterns\.\n[0-9a-f]+ Say what it does\n[0-9a-f]+ Begin$/m },
  ],
  [/Write a note/, { printed: /"title":"Looms"/ }],
  [/The note is a file/, { printed: /Cards hold the pattern\.\n[\s\S]*Ask Charles\./ }],
];

function outcomeOf({ about }: Step): Outcome {
  const outcome = OUTCOMES.find(([pattern]) => pattern.test(about))?.[1];
  assert.ok(outcome, `this test expects no outcome for the step "${about}": add one to OUTCOMES`);
  return outcome;
}

test('the commands of the tour work, word for word', async (t) => {
  const [start, ...steps] = tour();
  assert.ok(start && steps.length >= 5, 'the tour has steps');
  const folder = await temporaryFolder(t);
  const environment = await shellEnvironment(t, folder);
  const port = (await listen(PORT)) ?? (await listen(0)) ?? 0;
  if (port !== PORT) {
    t.diagnostic(`port ${PORT} is in use: the tour uses ${port} instead`);
    environment.QUIRE_PORT = String(port);
  }
  const elsewhere = (text: string) => text.replaceAll(`localhost:${PORT}`, `localhost:${port}`);

  const server = run(t, 'bash', ['-c', start.commands.trim()], { environment });
  try {
    await server.line(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
    const printed = await runSteps(steps, { folder: join(folder, 'second'), environment, elsewhere });
    steps.forEach((step, index) => {
      assert.match(printed[index] ?? '', outcomeOf(step).printed, step.about);
    });
  } finally {
    server.child.kill('SIGTERM');
  }
  assert.deepEqual(await server.ended(), { code: 0, signal: null });
});

async function shellEnvironment(t: TestContext, folder: string): Promise<Record<string, string>> {
  const location = await databaseLocation(t, { schema: 'empty' });
  await mkdir(join(folder, 'second'));
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    TMPDIR: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...(location.kind === 'url' ? { DATABASE_URL: location.url } : {}),
  };
}

/** Runs all steps in one shell, as if a reader pasted them, and returns the output of each. */
async function runSteps(
  steps: readonly Step[],
  at: { folder: string; environment: Record<string, string>; elsewhere(text: string): string },
): Promise<string[]> {
  const end = '--- end of a step ---';
  const script = steps.map(
    (step) => `${at.elsewhere(step.commands)}\n${outcomeOf(step).check ?? ''}\necho; echo '${end}'\n`,
  );
  const shell = spawn('bash', ['-e'], {
    cwd: at.folder,
    env: at.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  shell.stdin.end(script.join('\n'));
  const [out, err] = await Promise.all([shell.stdout.toArray(), shell.stderr.toArray()]);
  const printed = Buffer.concat(out).toString().split(`${end}\n`);
  assert.equal(printed.length, steps.length + 1, `a step failed:\n${printed.at(-1)}\n${Buffer.concat(err)}`);
  assert.equal(Buffer.concat(err).toString(), '', 'no step prints an error');
  return printed;
}

/** Opens a port briefly. Returns its number, or undefined if it is in use. */
function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const free = address !== null && typeof address === 'object' ? address.port : undefined;
      server.close(() => resolve(free));
    });
  });
}

test('the table of settings lists all settings, with their defaults and descriptions', () => {
  const listed = rowsOf(section('Settings')).map((cells) => cells.map((cell) => cell.replaceAll('`', '')));
  const expected = Object.entries(SETTINGS).map(([name, setting]) => [
    'flag' in setting ? `--${setting.flag}` : '',
    setting.variable,
    name,
    'otherwise' in setting ? setting.otherwise : setting.fallback,
    setting.about,
  ]);
  assert.deepEqual(listed, expected);
});

/** Returns every command with its help text, as the program prints it. */
async function commandsOf(t: TestContext, words: readonly string[] = []): Promise<Map<string, string>> {
  const help = run(t, process.execPath, [PROGRAM, ...words, '--help']);
  assert.equal((await help.ended()).code, 0);
  const [, listed = ''] = help.output().split('\nCommands:\n');
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  if (names.length === 0) return new Map([[words.join(' '), help.output()]]);
  const commands = new Map<string, string>();
  for (const name of names.filter((each) => each !== 'help')) {
    for (const [command, text] of await commandsOf(t, [...words, name])) commands.set(command, text);
  }
  return commands;
}

test('the table of commands lists every command, and only flags that --help prints', async (t) => {
  const commands = await commandsOf(t);
  const rows = rowsOf(section('Commands')).map(([command = '']) => code(command));
  const named = rows.map((row) => /^[a-z -]*[a-z](?= [A-Z[-]|$)/.exec(row)?.[0] ?? row);
  assert.deepEqual([...named].sort(), [...commands.keys()].sort());
  rows.forEach((row, index) => {
    const help = commands.get(named[index] ?? '') ?? '';
    for (const [flag] of row.matchAll(/--[a-z-]+/g)) assert.ok(help.includes(flag), `${row}: ${flag}`);
  });
});

const MIB = 1024 * 1024;
const count = (number: number) => number.toLocaleString('en-US');

/** Rows of docs/limits.md: its first column, and the expected second one. */
const EXPECTED_LIMITS: Record<string, string> = {
  'items on one page of a list': `${LIMITS.pageItemsMax} (default ${LIMITS.pageItemsDefault})`,
  'files written over the API by one request': `${count(LIMITS.filesPerChangeMax)} files, ${LIMITS.fileBodyBytesMax / MIB} MiB, encoded as base64`,
  'a tree, commit or blob that the API creates without a ref': `${count(LIMITS.treeEntriesCreatedMax)} entries, ${count(LIMITS.filesPerChangeMax)} of them with content; ${LIMITS.parentsPerCommitMax} parents; a signature of ${LIMITS.signatureCharsMax / 1024} Ki characters; a blob as a file above`,
  'objects of one caller without a ref': `${count(LIMITS.objectsKeptPerPeriodMax)} in an hour, each ${LIMITS.objectKeptUnitBytes / 1024} KiB counting as one more; beyond them, 503`,
  'a patch that is applied over the API': `${LIMITS.patchBytesMax / MIB} MiB of text, ${count(LIMITS.patchFilesMax)} paths; ${LIMITS.patchMs / 1000} s and ${LIMITS.patchMemoryBytesMax / MIB} MiB of memory for git; beyond them, 422`,
  'folders in which one commit of the API changes files': `${count(LIMITS.treeEntriesEditedMax)} entries`,
  'request bodies in memory': `${LIMITS.bodyBytesInFlightMax / MIB} MiB, ${LIMITS.bodyBytesPerCallerMax / MIB} MiB of one caller; more wait up to ${LIMITS.bodyQueueWaitMs / 1000} s, then 503. A file that is being written counts ${LIMITS.fileFieldsBytesMax / MIB} MiB, a large file of git-lfs ${LIMITS.objectBodyBytesInMemory / 1024} KiB`,
  'a request body': `ends with 408 after ${LIMITS.bodyPatienceMs / 1000} s in which the client sends less than ${LIMITS.bodyBytesPerSecondMin / 1024} KiB per second`,
  'the rest of a request body that is rejected': `thrown away for ${LIMITS.unreadBodyMs / 1000} s, so that the client can read the rejection`,
  'large responses in memory that clients have not read': `${LIMITS.responseBytesInFlightMax / MIB} MiB, ${LIMITS.responseBytesPerCallerMax / MIB} MiB of one caller; more get 503. Responses up to ${LIMITS.responseBytesUncounted / 1024} KiB do not count`,
  'a response': `its connection ends after ${LIMITS.transferPatienceMs / 1000} s in which the client takes less than ${LIMITS.transferBytesPerSecondMin / 1024} KiB per second`,
  'requests of one connection': 'one at a time; the next one waits for the response',
  'headers of a request': `${LIMITS.headersMs / 1000} s`,
  'files that one request to `file-contents` reads': `${LIMITS.pageItemsDefault}; further ones are left out`,
  'blobs that one request to `git/blobs` reads': `${LIMITS.blobsListedMax}, and ${LIMITS.blobsListedBytesMax / MIB} MiB of content; further ones are left out, or their content is null`,
  'content in a response of the contents API': `${LIMITS.contentsBlobBytesMax / MIB} MiB; \`content\` and \`encoding\` of larger files are null: use the raw route`,
  'recursive list of a tree': `${count(LIMITS.treeEntriesListedMax)} entries`,
  'a listing at a commit that is not indexed yet': `walks over ${LIMITS.lastCommitStepsUnindexed} commits; with more, waits up to ${LIMITS.indexAwaitedMs / 60_000} minutes for the index; walks over ${count(LIMITS.lastCommitStepsMax)} commits in ${LIMITS.lastCommitWalkMs / 1000} s that are still not indexed; with more, 503 until they are`,
  'one archive': `${LIMITS.archiveBytesMax / MIB / 1024} GiB, built in ${LIMITS.archiveMs / 60_000} minutes with ${LIMITS.archiveMemoryBytesMax / MIB} MiB of memory (a bundle: without that limit); with more, 422 or a reset of the connection`,
  'files of one archive': `${count(LIMITS.archiveFilesMax)} with ${LIMITS.archivePathBytesMax / MIB} MiB of paths, and ${LIMITS.archiveUnpackedBytesMax / MIB / 1024} GiB together if the same ones repeat, as far as its first ${LIMITS.archiveFoldersCountedMax} folders show it; with more, 422 at once`,
  'an archive that is kept': 'a quarter of `--archive-mib`',
  'uploads to an S3 store in memory': `${LIMITS.s3UploadBytesInMemoryMax / MIB} MiB, ${LIMITS.s3UploadBytesPerCallerMax / MIB} MiB of one caller; more wait up to ${LIMITS.gitQueueWaitMs / 1000} s, then 503. An upload counts up to ${(2 * LIMITS.s3PartBytes) / MIB} MiB`,
  'an S3 store that sends nothing': `fails after ${LIMITS.s3SilenceMs / 1000} s, or ${LIMITS.s3AnswerMs / 1000} s before the first byte of an answer (${LIMITS.s3WriteMs / 60_000} minutes when it writes)`,
  'lifetime of a signed address': `${LIMITS.signedAddressMs / 60_000} minutes`,
  'a request to another server': `${LIMITS.outboundConnectMs / 1000} s to resolve its name and to connect, ${LIMITS.outboundIdleMs / 1000} s in which less than ${LIMITS.outboundBytesPerSecondMin / 1024} KiB per second arrive, ${LIMITS.outboundRedirectsMax} redirects; the name has at most ${LIMITS.outboundAddressesMax} addresses, ${LIMITS.outboundAddressesTriedMax} of which are tried`,
  'a source of a copy': `${count(LIMITS.sourceRefsMax)} refs, listed in ${LIMITS.sourceAnswerMs / 60_000} minutes; a pack as that of a push`,
  'a large pack that git indexes while it arrives': `from ${LIMITS.earlyIndexBytesPerSecondMin / 1024 / 1024} MiB/s on; the server waits for its sender for ${LIMITS.earlyIndexPatienceMs / 1000} s in all, and each ${LIMITS.earlyIndexBytesPerSecondMin / 1024 / 1024} MiB restore one; then git begins when the pack has arrived`,
  'a migration, or an update of a mirror': `${LIMITS.migrationMs / 60_000} minutes; ${LIMITS.migrationsAtOnceMax} migrations at once, ${LIMITS.migrationsPerCallerMax} of one caller, ${LIMITS.mirrorSyncsAtOnceMax} updates of mirrors and ${LIMITS.pushMirrorsAtOnceMax} of push mirrors, one of each for one owner; after ${LIMITS.mirrorPatienceMs / 60_000} minutes, an update gives way if other owners wait`,
  'migrations that wait for a place or their next attempt': `${LIMITS.migrationQueueMax}, ${LIMITS.migrationQueuePerCallerMax} of one caller; with more, 503. ${LIMITS.migrationAttemptsMax} attempts, after ${[0, 1, 2].map((failed) => migrationRetryMs(failed + 1) / 1000).join(', ')} s, which take ${LIMITS.migrationMs / 60_000} minutes together`,
  'records of migrations that have ended': `${LIMITS.migrationKeptMs / 86_400_000} days, ${LIMITS.migrationsKeptPerCallerMax} of one caller`,
  'push mirrors of a repository': `${LIMITS.pushMirrorsPerRepositoryMax}; a branch filter has ${LIMITS.pushMirrorFilterPatternsMax} patterns in ${count(LIMITS.pushMirrorFilterCharsMax)} characters`,
  'a push to a target': `${LIMITS.pushPackBytesMax / MIB / 1024} GiB packed, ${count(LIMITS.targetCommandsMax)} refs in one request; the target may check them for ${LIMITS.targetIdleMs / 60_000} minutes without an answer`,
  'an import from another server of the family':
    `${count(LIMITS.importedIssuesMax)} issues, ${count(LIMITS.importedCommentsMax)} comments, ` +
    `${count(LIMITS.importedTextCharsMax)} characters of their texts, ${count(LIMITS.labelsPerHomeMax)} labels and ` +
    `${count(LIMITS.milestonesPerRepositoryMax)} milestones; pages of ${LIMITS.importedPageItemsMax} records, ` +
    `${LIMITS.importedPageBytesMax / MIB} MiB and ${LIMITS.importedPageMs / 60_000} minutes each; numbers of issues up to ` +
    `${count(LIMITS.importedIssueNumberMax)}; ${count(LIMITS.importedListItemsMax)} labels, assignees or attachments in one ` +
    `record; ${LIMITS.importedNameCharsMax} characters of an original author. ${LIMITS.importedRowsAtOnce} rows are ` +
    `published and the words of ${LIMITS.importedTextsIndexedAtOnce} texts indexed at once`,
  'an import of a whole server': `${count(LIMITS.importedUsersMax)} users, ${count(LIMITS.importedUsersMax)} organizations, ${count(LIMITS.importedRepositoriesMax)} repositories of one owner`,
  'time between updates of a mirror': `${LIMITS.mirrorIntervalMsMin / 60_000} minutes to ${LIMITS.mirrorIntervalMsMax / 86_400_000} days (default ${LIMITS.mirrorIntervalMs / 3_600_000} hours), or none`,
  'archives that git builds at once': `${LIMITS.archivesBuiltAtOnceMax}, two of them for one caller`,
  'changes of the commits of one response': `what git lists in ${LIMITS.commitChangesMs / 1000} s, ${LIMITS.gitAnswerBytesMax / MIB} MiB of text and ${LIMITS.gitComparisonBytesMax / MIB} MiB of memory; with more, 422: ask for the commits without them`,
  'a diff or patch': `what git writes in ${LIMITS.diffMs / 1000} s, ${LIMITS.diffBytesMax / MIB} MiB of text and ${LIMITS.gitComparisonBytesMax / MIB} MiB of memory; with more, 422 or a broken connection`,
  'commits that a comparison lists': `${LIMITS.comparedCommitsListedMax}; more in pages, with \`page\` and \`limit\``,
  'an `.editorconfig`': `${LIMITS.editorConfigBytesMax / 1024} KiB; a larger one is ignored, and so is a section with a name over ${count(LIMITS.editorConfigSectionCharsMax)} characters. Matching takes ${count(LIMITS.editorConfigStepsMax)} steps; with more, 422`,
  'templates for issues': `${LIMITS.issueTemplatesMax} of ${LIMITS.issueTemplateBytesMax / 1024} KiB each, ${LIMITS.yamlBytesMax / 1024} KiB of it YAML, ${LIMITS.issueTemplateCharsMax / 1024} Ki characters together; others are left out`,
  'one batch of git-lfs': `${count(LIMITS.lfsBatchObjectsMax)} objects (\`--lfs-batch-objects\`), ${LIMITS.jsonBodyBytesMax / MIB} MiB of JSON`,
  'new pointers of git-lfs in one push or copy whose objects are looked up': `${count(LIMITS.lfsPointersAtOnceMax)}; with more, 422, or the push is denied`,
  'transfers of large files': `${LIMITS.lfsUploadsAtOnceMax} uploads at once, ${LIMITS.lfsUploadsPerCallerMax} of one caller; ${LIMITS.lfsDownloadsAtOnceMax} downloads, ${LIMITS.lfsDownloadsPerCallerMax} of one caller; more wait`,
  'an unfinished upload of a large file': `waits ${LIMITS.lfsUnfinishedUploadMs / 3_600_000} hours for its client; ${LIMITS.lfsUnfinishedUploadsPerAccountMax} of one account; counts against \`--lfs-owner-mib\` as the whole object. After ${count(LIMITS.lfsCutPartsMax)} pieces below ${LIMITS.lfsPartBytes / MIB} MiB it starts again`,
  'locks of files': `${count(LIMITS.lfsLocksPerRepositoryMax)} in a repository, ${LIMITS.lfsLocksPerPageMax} on a page`,
  'a token for transfers of git-lfs': `begins transfers for ${LIMITS.transferTokenMs / 60_000} minutes`,
  'one push': `${LIMITS.pushPackBytesMax / MIB / 1024} GiB packed, ${count(LIMITS.pushCommandsMax)} refs`,
  'a change or a push whose objects are rows of the database first, and that starts no git process': `${LIMITS.freshObjectsMax} objects, ${LIMITS.freshObjectsBytesMax / 1024} KiB of content; a push begins at the latest ${LIMITS.smallPackCommitsReadMax} commits of its branches or of the default branch, and changes ${LIMITS.smallPackTreesReadMax} folders with ${count(LIMITS.smallPackEntriesReadMax)} entries`,
  'concurrent password hashes': `one per core, at most ${LIMITS.passwordHashesAtOnceMax}; ${count(LIMITS.passwordHashQueueMax)} more wait, ${LIMITS.passwordHashQueuePerCallerMax} of them from one network or account`,
  'objects that a push sends whole': `inflate to ${LIMITS.pushExpansionMax} times the size of the pack, beyond one object of the largest size`,
  'unread response of one fetch, unread part of a large file': `${LIMITS.fetchSpoolBytesMax / MIB} MiB; with more, the reading waits for the client`,
  'files of more than 1 MiB that are read at once': `${LIMITS.blobStreamsAtOnceMax}, ${LIMITS.blobStreamsAtOnceMax / 2} of one caller; more wait up to ${LIMITS.gitQueueWaitMs / 1000} s. A file counts until all of it is read, not until its client has it`,
  'a large file that several clients read at once': `shared up to ${LIMITS.sharedBlobBytesMax / MIB / 1024} GiB, on disk; otherwise each client reads it alone`,
  'text of a note': `${LIMITS.noteBytesMax / MIB} MiB`,
  'title of a note': `${LIMITS.noteTitleCharsMax} characters`,
  'notes in one notebook': count(LIMITS.notesPerNotebookMax),
  'history of a note': `the newest ${count(LIMITS.noteHistoryVersionsMax)} versions, through ${LIMITS.noteHistoryRenamesMax} renames`,
  'comparing two versions of a note': `${LIMITS.textMergeMs / 1000} s, ${LIMITS.comparedTextBytesMax / MIB} MiB of text; with more, 400`,
  'an import of notes from a server':
    `${count(LIMITS.importServerNotesMax)} notes in chunks of ${LIMITS.importChunkNotesMax} and ` +
    `${LIMITS.importChunkBytesMax / MIB} MiB; ${LIMITS.importAttachmentsPerNoteMax} files that one note names, ` +
    `${LIMITS.importFileBytesMax / MIB} MiB each; ${LIMITS.importNamesTriedMax} names for a note whose name is taken`,
  'an import of notes':
    `${count(LIMITS.importFilesMax)} files, ${LIMITS.importFileBytesMax / MIB} MiB a file, ` +
    `${LIMITS.importBytesMax / 1024 / MIB} GiB together; a note of Evernote with its files ` +
    `${LIMITS.importNoteCharsMax / MIB} Mi characters of its export; a file of an archive above ${LIMITS.importRatioBytesMin / MIB} MiB may ` +
    `unpack to ${LIMITS.importRatioMax} times its size`,
  'a search of notes':
    `${LIMITS.wordQueryCharsMax} characters, ${LIMITS.wordQueryWordsMax} words; it looks at the first ` +
    `${LIMITS.indexedTextCharsMax / 1024} Ki characters and ${count(LIMITS.indexedWordsMax)} words of a note, fewer if ` +
    `their different words exceed ${LIMITS.indexedWordBytesMax / 1024} KiB, and at the first ${LIMITS.indexedWordCharsMax} characters of a word. ` +
    `Notes that have changed since the last search take it ${LIMITS.noteSearchPreparedMs / 1000} s at most; with more, 503 and the next one goes on`,
  'a search of issues':
    `looks at the newest ${count(LIMITS.searchedTextsMax)} texts of a repository with all of its words, in all repositories ` +
    `at the newest ${count(LIMITS.searchedTextsAnywhereMax)}; at half as many comments, and at half as many texts and comments ` +
    `with the words of a phrase. Without words, it looks at the newest ${count(LIMITS.searchedTextsAnywhereMax)} issues of the ` +
    `viewer, the owner or the server. It looks at all texts of the issues that match its filter if these are up to ` +
    `${count(LIMITS.issuesReadForSearchMax)} with ${LIMITS.issueTextsReadForSearchBytesMax / 1024} KiB of text; of more in all ` +
    `repositories, at the newest ${count(LIMITS.newestIssuesReadForSearchMax)} with as much text if that reaches further back. It finds ` +
    `${count(LIMITS.foundIssuesMax)} issues; of an owner or a team, in ` +
    `${LIMITS.searchedRepositoriesMax} repositories. Its words stand for ${LIMITS.searchedWordsMax} words together: themselves and the ` +
    `shortest ones that begin with them. The words are bounded as in a search of notes`,
  'an attachment of a note': `${LIMITS.attachmentBytesMax / MIB} MiB; above ${LIMITS.attachmentInGitBytesMax / MIB} MiB it becomes an object of git-lfs`,
  'an attachment of an issue or a comment': `${LIMITS.issueAttachmentBytesMax / MIB} MiB, its name ${LIMITS.issueAttachmentNameCharsMax} characters; ${LIMITS.issueAttachmentsMax} of each; ${LIMITS.issueUploadsAtOnceMax} uploads at once, ${LIMITS.issueUploadsPerCallerMax} of one caller; more wait`,
  'versions of a note from which an edit may have been made': `${LIMITS.noteVersionsMax}, for ${LIMITS.noteVersionsKeptMs / 24 / 60 / 60_000} days`,
  'account name': `${LIMITS.nameCharsMax} characters`,
  'repository name': `${LIMITS.repositoryNameCharsMax} characters`,
  'team name': `${LIMITS.teamNameCharsMax} characters`,
  'flags of a repository': `${LIMITS.flagsPerRepositoryMax}, each ${LIMITS.flagCharsMax} characters`,
  'topics of a repository': `${LIMITS.topicsPerRepositoryMax}, each ${LIMITS.topicCharsMax} characters`,
  'statuses of a commit': count(LIMITS.statusesPerCommitMax),
  'labels of a repository or an organization': `${count(LIMITS.labelsPerHomeMax)}, each name ${LIMITS.labelNameCharsMax} characters, its description ${count(LIMITS.labelDescriptionCharsMax)}`,
  'milestones of a repository': `${count(LIMITS.milestonesPerRepositoryMax)}, each title ${LIMITS.milestoneTitleCharsMax} characters, its description ${count(LIMITS.milestoneDescriptionCharsMax)}`,
  'references that count in a text': `${LIMITS.referencesPerTextMax} users, as many teams, issues and commits, in its first ${count(LIMITS.referenceTextCharsMax)} characters; issues of ${LIMITS.repositoriesReferredToMax} other repositories; ${LIMITS.mentionedUsersMax} users with the members of teams; of a push, its newest ${LIMITS.commitsReadForIssuesMax} commits`,
  issues: `title ${LIMITS.issueTitleCharsMax} characters, text ${count(LIMITS.issueBodyCharsMax)} (also of a comment), name of the branch or tag ${LIMITS.issueRefCharsMax}; ${LIMITS.issueLinksMax} labels and ${LIMITS.issueLinksMax} assignees; it depends on ${LIMITS.issueDependenciesMax} others, and ${LIMITS.issueDependenciesMax} depend on it; ${LIMITS.pinnedIssuesMax} are pinned in a repository; the reason of a lock ${LIMITS.issueLockReasonCharsMax}`,
  'rendering a text in Markdown':
    `${LIMITS.jsonBodyBytesMax / MIB} MiB of text, ${count(LIMITS.renderedCharsMax)} characters of HTML; ${LIMITS.markdownMs / 1000} s and ` +
    `${LIMITS.markdownMemoryMib} MiB of memory; with more, 422 (text: 413). ` +
    `Tags of HTML inside ${LIMITS.renderedNestingMax} others are dropped, and their contents stay; a table ends when the cells that its ` +
    `short rows lack are too many for the length of the text; a label of a footnote has 999 characters; a context above ` +
    `${LIMITS.markdownContextCharsMax / 1024} KiB is ignored. The pattern of an external tracker has ${count(LIMITS.trackerPatternCharsMax)} ` +
    `characters and ${LIMITS.trackerPatternMs} ms. A text of up to ${count(LIMITS.markdownSmallChars)} characters does not wait ` +
    `for larger ones. ${count(LIMITS.renderedLinksMax)} references become links, ` +
    `to ${LIMITS.renderedReferencesMax} different users, ${LIMITS.renderedReferencesMax} issues and ${LIMITS.renderedCommitsMax} commits`,
  'tracked times of an issue': `${count(LIMITS.timesPerIssueMax)}, each up to ${count(LIMITS.trackedSecondsMax)} seconds`,
  'protections of a repository': `${LIMITS.protectionsPerRepositoryMax}, each pattern ${LIMITS.protectionPatternCharsMax} characters, its patterns of files ${count(LIMITS.protectionFilePatternsCharsMax)}`,
  'comments on the page of an issue': `the first ${LIMITS.issuePageCommentsMax}, and ${count(LIMITS.issuePageCommentCharsMax)} characters of each; the API has the rest`,
  'marking many notifications': `the answer has the latest ${LIMITS.notificationsReturnedMax} of those marked`,
  'comparing a push with protections': `${count(LIMITS.protectionMatchStepsMax)} steps, ${count(LIMITS.protectionMatchStepsAtOnceMax)} of them for one name or path, and ${count(LIMITS.treeEntriesComparedMax)} entries of trees for one branch; beyond them, that branch or tag is denied`,
  'teams of an organization': count(LIMITS.teamsPerOrganizationMax),
  'tokens of an account': count(LIMITS.tokensPerAccountMax),
  'SSH keys of an account': `${LIMITS.sshKeysPerAccountMax}, each ${count(LIMITS.sshKeyCharsMax)} characters; an RSA key has ${count(LIMITS.rsaKeyBitsMin)} to ${count(LIMITS.rsaKeyBitsMax)} bits`,
  'OpenPGP keys of an account': `${LIMITS.openPgpKeysPerAccountMax}, each ${count(LIMITS.openPgpKeyCharsMax)} characters with ${LIMITS.openPgpSubkeysMax} subkeys and ${LIMITS.openPgpUserIdsMax} user ids`,
  'reading an OpenPGP key, or verifying one signature': `${LIMITS.openPgpMs / 1000} s, ${LIMITS.openPgpMemoryMib} MiB of memory; beyond them, the key is rejected and the signature not valid`,
  'a signature that is verified': `${count(LIMITS.signatureCharsMax)} characters, over an object of ${LIMITS.signedBytesMax / 1024 / 1024} MiB; others are not verified`,
  'new commits in one push to a branch that requires signatures': count(LIMITS.signedCommitsPerPushMax),
  'deploy keys of a repository': String(LIMITS.deployKeysPerRepositoryMax),
  'repositories that a limited token names': count(LIMITS.repositoriesPerTokenMax),
  'e-mail addresses of an account': count(LIMITS.emailsPerAccountMax),
  'path in a repository': `${count(LIMITS.treePathBytesMax)} bytes, each name in it ${LIMITS.treeNameBytesMax}`,
};

test('the README names the versions of the notes clients with which the tests try the server', async () => {
  const [commands, library] = await Promise.all(
    ['python', 'notes'].map((folder) =>
      readFile(join(ROOT, `.ci/clients/${folder}/requirements.txt`), 'utf8'),
    ),
  );
  for (const name of ['nncli', 'nc-py-api']) {
    const [, version = ''] = new RegExp(`^${name}==(.+)$`, 'm').exec(`${commands}\n${library}`) ?? [];
    assert.ok(README.includes(`${name} ${version},`), name);
  }
});

test('docs/limits.md states the limits of the program', () => {
  const listed = Object.fromEntries(rowsOf(LIMITS_PAGE).map(([what = '', limit = '']) => [what, limit]));
  assert.deepEqual(listed, EXPECTED_LIMITS);
});

test('every file that the README links to exists', async () => {
  const links = [...README.matchAll(/\]\(((?!https?:)[^)#]+)\)/g)].map(([, path = '']) => path);
  assert.ok(links.length > 0);
  for (const path of links) await assert.doesNotReject(access(join(ROOT, path)), path);
});
