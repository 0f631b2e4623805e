import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { access, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ACCESS_LIMITS } from '../../src/api/access/limits.ts';
import { APP_LIMITS } from '../../src/app/limits.ts';
import { SETTINGS } from '../../src/app/settings.ts';
import { THROWAWAY_LIMITS } from '../../src/app/throwaway/limits.ts';
import { CORE_LIMITS } from '../../src/base/core/limits.ts';
import { OUTBOUND_LIMITS } from '../../src/base/outbound/limits.ts';
import { TEXT_SEARCH_LIMITS } from '../../src/base/text-search/limits.ts';
import { ARCHIVE_LIMITS } from '../../src/code/archives/limits.ts';
import { COMMIT_LIMITS } from '../../src/code/commits/limits.ts';
import { CONTENTS_LIMITS } from '../../src/code/contents/limits.ts';
import { EDITORCONFIG_LIMITS } from '../../src/code/editorconfig/limits.ts';
import { GIT_DATA_LIMITS } from '../../src/code/git-data/limits.ts';
import { KEY_LIMITS } from '../../src/code/keys/limits.ts';
import { PROTECTION_LIMITS } from '../../src/code/protection/limits.ts';
import { SSH_LIMITS } from '../../src/code/ssh/limits.ts';
import { STATUS_LIMITS } from '../../src/code/statuses/limits.ts';
import { TRANSPORT_LIMITS } from '../../src/code/transport/limits.ts';
import { VERIFICATION_LIMITS } from '../../src/code/verification/limits.ts';
import { WIKI_PAGE_LIMITS } from '../../src/code/wiki-pages/limits.ts';
import { GIT_LIMITS } from '../../src/git/limits.ts';
import { ADOPTION_LIMITS } from '../../src/hosting/adoption/limits.ts';
import { FLAG_LIMITS } from '../../src/hosting/flags/limits.ts';
import { LFS_LIMITS } from '../../src/hosting/lfs/limits.ts';
import { MAINTENANCE_LIMITS } from '../../src/hosting/maintenance/limits.ts';
import { migrationRetryMs } from '../../src/hosting/mirrors/copy-repository.ts';
import { MIRROR_LIMITS } from '../../src/hosting/mirrors/limits.ts';
import { NODE_INFO_LIMITS } from '../../src/hosting/node-info/limits.ts';
import { PUSH_MIRROR_LIMITS } from '../../src/hosting/push-mirrors/limits.ts';
import { QUOTA_LIMITS } from '../../src/hosting/quota/limits.ts';
import { REPOSITORY_LIMITS } from '../../src/hosting/repositories/limits.ts';
import { TOPIC_LIMITS } from '../../src/hosting/topics/limits.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { NOTE_LIMITS } from '../../src/notes/notebooks/limits.ts';
import { LINK_LIMITS } from '../../src/people/account-links/limits.ts';
import { ACCOUNT_LIMITS } from '../../src/people/accounts/limits.ts';
import { AUDIT_LIMITS } from '../../src/people/audit/limits.ts';
import { AUTHENTICATION_LIMITS } from '../../src/people/authentication/limits.ts';
import { AVATAR_LIMITS } from '../../src/people/avatars/limits.ts';
import { BLOCK_LIMITS } from '../../src/people/blocks/limits.ts';
import { EMAIL_CHANGE_LIMITS } from '../../src/people/email-changes/limits.ts';
import { EXTERNAL_LIMITS } from '../../src/people/external/limits.ts';
import { FOLLOW_LIMITS } from '../../src/people/follows/limits.ts';
import { OAUTH_LIMITS } from '../../src/people/oauth/limits.ts';
import { OAUTH_GRANT_LIMITS } from '../../src/people/oauth-grants/limits.ts';
import { RECOVERY_LIMITS } from '../../src/people/recovery/limits.ts';
import { SECOND_FACTOR_LIMITS } from '../../src/people/second-factor/limits.ts';
import { SESSION_LIMITS } from '../../src/people/sessions/limits.ts';
import { SIGN_UP_LIMITS } from '../../src/people/sign-up/limits.ts';
import { TEAM_LIMITS } from '../../src/people/teams/limits.ts';
import { TOKEN_LIMITS } from '../../src/people/tokens/limits.ts';
import { STORAGE_LIMITS } from '../../src/storage/limits.ts';
import { ACTIVITY_LIMITS } from '../../src/tracker/activities/limits.ts';
import { EVENT_FEED_LIMITS } from '../../src/tracker/event-feed/limits.ts';
import { IMPORT_LIMITS } from '../../src/tracker/imports/limits.ts';
import { ISSUE_TEMPLATE_LIMITS } from '../../src/tracker/issue-templates/limits.ts';
import { ISSUE_LIMITS } from '../../src/tracker/issues/limits.ts';
import { LABEL_LIMITS } from '../../src/tracker/labels/limits.ts';
import { MAIL_LIMITS } from '../../src/tracker/mail/limits.ts';
import { MARKDOWN_LIMITS } from '../../src/tracker/markdown/limits.ts';
import { MILESTONE_LIMITS } from '../../src/tracker/milestones/limits.ts';
import { NOTIFICATION_LIMITS } from '../../src/tracker/notifications/limits.ts';
import { PULL_LIMITS } from '../../src/tracker/pulls/limits.ts';
import { CODE_OWNER_LIMITS } from '../../src/tracker/pulls/reviews/owners/limits.ts';
import { REFERENCE_LIMITS } from '../../src/tracker/references/limits.ts';
import { RELEASE_LIMITS } from '../../src/tracker/releases/limits.ts';
import { WEBHOOK_LIMITS } from '../../src/tracker/webhooks/limits.ts';
import { WEB_LIMITS } from '../../src/web/limits.ts';
import { databaseLocation } from '../support/database/database-location.ts';
import { temporaryFolder } from '../support/git/git.ts';
import { ROOT, run } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

// Runs once: no outcome depends on the database.

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
  [/Create a token/, { check: 'echo "token $TOKEN"', printed: /^token quirep_[0-9A-Za-z]{33}$/m }],
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
  [/Propose a change/, { printed: /"title":"Name the cards"[\s\S]*\n[0-9a-f]+ Name the cards \(#1\)\n/ }],
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
  // git shows what the server says after a push: where to open a pull request.
  const errors = Buffer.concat(err)
    .toString()
    .replaceAll(/^remote: .*\n/gm, '');
  assert.equal(errors, '', 'no step prints an error');
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

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;

/** Rows of docs/limits.md: its first column, and the expected second one. */
const AVATAR =
  `${AVATAR_LIMITS.avatarBytesMax / MIB} MiB, ${count(AVATAR_LIMITS.avatarSideMax)} pixels on a side, ` +
  `${count(AVATAR_LIMITS.avatarPixelsMax)} in all, decoded within ${AVATAR_LIMITS.avatarMs / 1000} s; it becomes a square ` +
  `of at most ${AVATAR_LIMITS.storedAvatarSideMax} pixels on a side. One is decoded at a time, ` +
  `${AVATAR_LIMITS.avatarQueueMax} wait, ${AVATAR_LIMITS.avatarQueuePerCallerMax} of one caller, who uses ` +
  `${AVATAR_LIMITS.avatarMsPerPeriodMax / 1000} s of decoding in ${AVATAR_LIMITS.avatarPeriodMs / 60_000} minutes; with more, 503`;

const EXPECTED_LIMITS: Record<string, string> = {
  'items on one page of a list': `${CORE_LIMITS.pageItemsMax} (default ${CORE_LIMITS.pageItemsDefault})`,
  'files written over the API by one request': `${count(CONTENTS_LIMITS.filesPerChangeMax)} files, ${CONTENTS_LIMITS.fileBodyBytesMax / MIB} MiB, encoded as base64`,
  'a tree, commit or blob that the API creates without a ref': `${count(GIT_DATA_LIMITS.treeEntriesCreatedMax)} entries, ${count(CONTENTS_LIMITS.filesPerChangeMax)} of them with content; ${GIT_DATA_LIMITS.parentsPerCommitMax} parents; a signature of ${KEY_LIMITS.signatureCharsMax / 1024} Ki characters; a blob as a file above`,
  'objects of one caller without a ref': `${count(REPOSITORY_LIMITS.unreferencedObjectsPerPeriodMax)} in an hour, each ${REPOSITORY_LIMITS.unreferencedObjectUnitBytes / 1024} KiB counting as one more; beyond them, 503`,
  'a patch that is applied over the API': `${CONTENTS_LIMITS.patchBytesMax / MIB} MiB of text, ${count(GIT_LIMITS.patchFilesMax)} paths; ${GIT_LIMITS.patchMs / 1000} s and ${GIT_LIMITS.patchMemoryBytesMax / MIB} MiB of memory for git; beyond them, 422`,
  'folders in which one commit of the API changes files': `${count(GIT_LIMITS.treeEntriesEditedMax)} entries`,
  'request bodies in memory': `${HTTP_LIMITS.bodyBytesInFlightMax / MIB} MiB, ${HTTP_LIMITS.bodyBytesPerCallerMax / MIB} MiB of one caller; more wait up to ${HTTP_LIMITS.bodyQueueWaitMs / 1000} s, then 503. A file that is being written counts ${CONTENTS_LIMITS.fileFieldsBytesMax / MIB} MiB, a large file of git-lfs ${HTTP_LIMITS.objectBodyBytesInMemory / 1024} KiB`,
  'objects and arrays within each other in a request body': `${HTTP_LIMITS.jsonBodyDepthMax}`,
  'a request body': `ends with 408 after ${HTTP_LIMITS.bodyPatienceMs / 1000} s in which the client sends less than ${HTTP_LIMITS.bodyBytesPerSecondMin / 1024} KiB per second`,
  'the rest of a request body that is rejected': `thrown away for ${HTTP_LIMITS.unreadBodyMs / 1000} s, so that the client can read the rejection`,
  'large responses in memory that clients have not read': `${HTTP_LIMITS.responseBytesInFlightMax / MIB} MiB, ${HTTP_LIMITS.responseBytesPerCallerMax / MIB} MiB of one caller; more get 503. Responses up to ${HTTP_LIMITS.responseBytesUncounted / 1024} KiB do not count`,
  'a response': `its connection ends after ${GIT_LIMITS.transferPatienceMs / 1000} s in which the client takes less than ${GIT_LIMITS.transferBytesPerSecondMin / 1024} KiB per second`,
  'requests of one connection': 'one at a time; the next one waits for the response',
  'headers of a request': `${HTTP_LIMITS.headersMs / 1000} s`,
  'files that one request to `file-contents` reads': `${CORE_LIMITS.pageItemsDefault}; further ones are left out`,
  'blobs that one request to `git/blobs` reads': `${GIT_DATA_LIMITS.blobsListedMax}, and ${GIT_DATA_LIMITS.blobsListedBytesMax / MIB} MiB of content; further ones are left out, or their content is null`,
  'content in a response of the contents API': `${CONTENTS_LIMITS.contentsBlobBytesMax / MIB} MiB; \`content\` and \`encoding\` of larger files are null: use the raw route`,
  'recursive list of a tree': `${count(GIT_DATA_LIMITS.treeEntriesListedMax)} entries`,
  'a listing at a commit that is not indexed yet': `walks over ${CONTENTS_LIMITS.lastCommitStepsUnindexed} commits; with more, waits up to ${CONTENTS_LIMITS.indexAwaitedMs / 60_000} minutes for the index; walks over ${count(CONTENTS_LIMITS.lastCommitStepsMax)} commits in ${CONTENTS_LIMITS.lastCommitWalkMs / 1000} s that are still not indexed; with more, 503 until they are`,
  'one archive': `${ARCHIVE_LIMITS.archiveBytesMax / MIB / 1024} GiB, built in ${GIT_LIMITS.archiveMs / 60_000} minutes with ${GIT_LIMITS.archiveMemoryBytesMax / MIB} MiB of memory (a bundle: without that limit); with more, 422 or a reset of the connection`,
  'files of one archive': `${count(ARCHIVE_LIMITS.archiveFilesMax)} with ${ARCHIVE_LIMITS.archivePathBytesMax / MIB} MiB of paths, and ${ARCHIVE_LIMITS.archiveUnpackedBytesMax / MIB / 1024} GiB together if the same ones repeat, as far as its first ${ARCHIVE_LIMITS.archiveFoldersCountedMax} folders show it; with more, 422 at once`,
  'an archive that is kept': 'a quarter of `--archive-mib`',
  'uploads to an S3 store in memory': `${STORAGE_LIMITS.s3UploadBytesInMemoryMax / MIB} MiB, ${STORAGE_LIMITS.s3UploadBytesPerCallerMax / MIB} MiB of one caller; more wait up to ${CORE_LIMITS.gitQueueWaitMs / 1000} s, then 503. An upload counts up to ${(2 * STORAGE_LIMITS.s3PartBytes) / MIB} MiB`,
  'an S3 store that sends nothing': `fails after ${STORAGE_LIMITS.s3SilenceMs / 1000} s, or ${STORAGE_LIMITS.s3AnswerMs / 1000} s before the first byte of an answer (${STORAGE_LIMITS.s3WriteMs / 60_000} minutes when it writes)`,
  'lifetime of a signed address': `${STORAGE_LIMITS.signedAddressMs / 60_000} minutes`,
  'the name of another server':
    `${OUTBOUND_LIMITS.outboundNameAnswerMs / 1000} s for an answer of a name server, ${OUTBOUND_LIMITS.outboundNameTries} attempts. ` +
    `Names that only this machine knows: ${OUTBOUND_LIMITS.outboundLookupsAtOnceMax} at once, 1 of one caller; ` +
    `${OUTBOUND_LIMITS.outboundLookupsWaitingMax} wait, ${OUTBOUND_LIMITS.outboundLookupsWaitingPerCallerMax} of one caller`,
  'a request to another server': `${OUTBOUND_LIMITS.outboundConnectMs / 1000} s to resolve its name and to connect, ${OUTBOUND_LIMITS.outboundIdleMs / 1000} s in which less than ${OUTBOUND_LIMITS.outboundBytesPerSecondMin / 1024} KiB per second arrive, ${OUTBOUND_LIMITS.outboundRedirectsMax} redirects; the name has at most ${OUTBOUND_LIMITS.outboundAddressesMax} addresses, ${OUTBOUND_LIMITS.outboundAddressesTriedMax} of which are tried`,
  'a source of a copy': `${count(GIT_LIMITS.sourceRefsMax)} refs, listed in ${GIT_LIMITS.sourceAnswerMs / 60_000} minutes; a pack as that of a push`,
  'a large pack that git indexes while it arrives': `from ${GIT_LIMITS.earlyIndexBytesPerSecondMin / 1024 / 1024} MiB/s on; the server waits for its sender for ${GIT_LIMITS.earlyIndexPatienceMs / 1000} s in all, and each ${GIT_LIMITS.earlyIndexBytesPerSecondMin / 1024 / 1024} MiB restore one; then git begins when the pack has arrived`,
  'a migration, or an update of a mirror': `${MIRROR_LIMITS.migrationMs / 60_000} minutes; ${MIRROR_LIMITS.migrationsAtOnceMax} migrations at once, ${MIRROR_LIMITS.migrationsPerCallerMax} of one caller, ${MIRROR_LIMITS.mirrorSyncsAtOnceMax} updates of mirrors and ${PUSH_MIRROR_LIMITS.pushMirrorsAtOnceMax} of push mirrors, one of each for one owner; after ${MIRROR_LIMITS.mirrorPatienceMs / 60_000} minutes, an update gives way if other owners wait`,
  'migrations that wait for a place or their next attempt': `${MIRROR_LIMITS.migrationQueueMax}, ${MIRROR_LIMITS.migrationQueuePerCallerMax} of one caller; with more, 503. ${MIRROR_LIMITS.migrationAttemptsMax} attempts, after ${[0, 1, 2].map((failed) => migrationRetryMs(failed + 1) / 1000).join(', ')} s, which take ${MIRROR_LIMITS.migrationMs / 60_000} minutes together`,
  'records of migrations that have ended': `${MIRROR_LIMITS.migrationKeptMs / 86_400_000} days, ${MIRROR_LIMITS.migrationsKeptPerCallerMax} of one caller`,
  'push mirrors of a repository': `${PUSH_MIRROR_LIMITS.pushMirrorsPerRepositoryMax}; a branch filter has ${PUSH_MIRROR_LIMITS.pushMirrorFilterPatternsMax} patterns in ${count(PUSH_MIRROR_LIMITS.pushMirrorFilterCharsMax)} characters`,
  'a push to a target': `${GIT_LIMITS.pushPackBytesMax / MIB / 1024} GiB packed, ${count(GIT_LIMITS.targetCommandsMax)} refs in one request; the target may check them for ${GIT_LIMITS.targetIdleMs / 60_000} minutes without an answer`,
  'an import from another server of the family':
    `${count(IMPORT_LIMITS.importedIssuesMax)} issues, ${count(IMPORT_LIMITS.importedCommentsMax)} comments, ` +
    `${count(IMPORT_LIMITS.importedPullsMax)} pull requests, ${count(IMPORT_LIMITS.importedReviewsMax)} reviews ` +
    `(${count(PULL_LIMITS.reviewsPerPullMax)} of one pull request; more are left out), ` +
    `${count(IMPORT_LIMITS.importedReviewCommentsMax)} comments on lines (${count(PULL_LIMITS.reviewCommentsPerPullMax)}), ` +
    `${count(IMPORT_LIMITS.importedTextCharsMax)} characters of their texts, ${count(LABEL_LIMITS.labelsPerOwnerMax)} labels and ` +
    `${count(MILESTONE_LIMITS.milestonesPerRepositoryMax)} milestones, ${count(IMPORT_LIMITS.importedReleasesMax)} releases and ` +
    `${count(IMPORT_LIMITS.importedAssetsMax)} assets of them, ${IMPORT_LIMITS.importedAssetMs / 60_000} minutes for a file; pages of ${IMPORT_LIMITS.importedPageItemsMax} records, ` +
    `${IMPORT_LIMITS.importedPageBytesMax / MIB} MiB and ${IMPORT_LIMITS.importedPageMs / 60_000} minutes each; numbers of issues up to ` +
    `${count(IMPORT_LIMITS.importedIssueNumberMax)}; ${count(IMPORT_LIMITS.importedListItemsMax)} labels, assignees or attachments in one ` +
    `record; ${IMPORT_LIMITS.importedNameCharsMax} characters of an original author; ` +
    `of a comment on lines, ${count(IMPORT_LIMITS.importedPathCharsMax)} characters of the path and line numbers up to ` +
    `${count(IMPORT_LIMITS.importedLineMax)}; longer differences than ` +
    `${count(IMPORT_LIMITS.importedHunkCharsMax)} characters are left out. Reviews of ${IMPORT_LIMITS.importedReviewListsAtOnce} pull requests ` +
    `are read at once, and no more after ${IMPORT_LIMITS.importedReviewListsMissingMax} pull requests without a list of them. ${ISSUE_LIMITS.importedRowsAtOnce} rows are ` +
    `published and the words of ${ISSUE_LIMITS.importedTextsIndexedAtOnce} texts indexed at once`,
  'an import of a whole server': `${count(IMPORT_LIMITS.importedUsersMax)} users, ${count(IMPORT_LIMITS.importedUsersMax)} organizations, ${count(IMPORT_LIMITS.importedRepositoriesMax)} repositories of one owner`,
  'time between updates of a mirror': `${REPOSITORY_LIMITS.mirrorIntervalMsMin / 60_000} minutes to ${REPOSITORY_LIMITS.mirrorIntervalMsMax / 86_400_000} days (default ${MIRROR_LIMITS.mirrorIntervalMs / 3_600_000} hours), or none`,
  'archives that git builds at once': `${GIT_LIMITS.archivesBuiltAtOnceMax}, two of them for one caller`,
  'changes of the commits of one response': `what git lists in ${GIT_LIMITS.commitChangesMs / 1000} s, ${GIT_LIMITS.gitAnswerBytesMax / MIB} MiB of text and ${GIT_LIMITS.gitComparisonBytesMax / MIB} MiB of memory; with more, 422: ask for the commits without them`,
  'a diff or patch': `what git writes in ${GIT_LIMITS.diffMs / 1000} s, ${GIT_LIMITS.diffBytesMax / MIB} MiB of text and ${GIT_LIMITS.gitComparisonBytesMax / MIB} MiB of memory. If the memory is too small, the lines of files of ${GIT_LIMITS.largeFileBytesMin / 1024} KiB or more are left out of a diff, and patches have them as binary files; with more, 422`,
  'files that differ between two commits, with their lines counted': `${count(GIT_LIMITS.comparedFilesMax)}, and what git finds in ${GIT_LIMITS.comparedFilesMs / 1000} s, ${GIT_LIMITS.comparedFilesBytesMax / MIB} MiB of their names and ${GIT_LIMITS.gitComparisonBytesMax / MIB} MiB of memory; with more, the lines of files of ${GIT_LIMITS.largeFileBytesMin / 1024} KiB or more are not counted, or those of no file, and with more names, 422. Renames with changes are found among ${count(GIT_LIMITS.renamesSoughtMax)} removed and ${count(GIT_LIMITS.renamesSoughtMax)} added files, others always`,
  'the diff of one file': `${GIT_LIMITS.fileDiffBytesMax / MIB} MiB, ${count(GIT_LIMITS.fileDiffLinesMax)} lines, ${GIT_LIMITS.textMergeMs / 1000} s; with more, the file counts as too large. A line is cut after ${count(GIT_LIMITS.diffLineCharsMax)} characters`,
  'merged pull requests among which the one that brought a commit is searched': `the first ${count(PULL_LIMITS.mergesSearchedMax)} that were merged after the commit was made; of a rebase, ${count(PULL_LIMITS.rebasedCommitsMax)} of its commits and ${count(PULL_LIMITS.rebasedMessageCharsReadMax)} characters of their messages`,
  'commits that a comparison lists': `${COMMIT_LIMITS.comparedCommitsListedMax}; more in pages, with \`page\` and \`limit\``,
  'an `.editorconfig`': `${EDITORCONFIG_LIMITS.editorConfigBytesMax / 1024} KiB; a larger one is ignored, and so is a section with a name over ${count(EDITORCONFIG_LIMITS.editorConfigSectionCharsMax)} characters. Matching takes ${count(EDITORCONFIG_LIMITS.editorConfigStepsMax)} steps; with more, 422`,
  'templates for issues': `${ISSUE_TEMPLATE_LIMITS.issueTemplatesMax} of ${ISSUE_TEMPLATE_LIMITS.issueTemplateBytesMax / 1024} KiB each, ${CORE_LIMITS.yamlBytesMax / 1024} KiB of it YAML, nested ${CORE_LIMITS.yamlDepthMax} deep, ${ISSUE_TEMPLATE_LIMITS.issueTemplateCharsMax / 1024} Ki characters together; others are left out`,
  quotas: `${count(QUOTA_LIMITS.quotaRulesMax)} rules, ${count(QUOTA_LIMITS.quotaGroupsMax)} groups, ${QUOTA_LIMITS.quotaRulesPerGroupMax} rules and ${count(QUOTA_LIMITS.quotaAccountsPerGroupMax)} accounts of a group, ${QUOTA_LIMITS.quotaGroupsPerAccountMax} groups of an account`,
  'unadopted repositories': `${count(GIT_LIMITS.unadoptedMax)}; each with ${count(GIT_LIMITS.unadoptedRefsMax)} refs, and ${count(GIT_LIMITS.unadoptedFilesMax)} packs and loose objects: pack them first; a configuration of ${GIT_LIMITS.unadoptedConfigBytesMax / MIB} MiB. A pack as that of a push, which git makes in ${GIT_LIMITS.unadoptedReadMs / 3_600_000} hour`,
  'a pattern of unadopted repositories': `${ADOPTION_LIMITS.unadoptedPatternCharsMax} characters, ${ADOPTION_LIMITS.unadoptedPatternAlternativesMax} alternatives, ${count(ADOPTION_LIMITS.unadoptedPatternStepsMax)} steps; with more, 422`,
  'counts of `GET /nodeinfo`': `up to ${NODE_INFO_LIMITS.countsRememberedMs / 3_600_000} hour old`,
  'one batch of git-lfs': `${count(LFS_LIMITS.lfsBatchObjectsMax)} objects (\`--lfs-batch-objects\`), ${HTTP_LIMITS.jsonBodyBytesMax / MIB} MiB of JSON`,
  'new pointers of git-lfs in one push or copy whose objects are looked up': `${count(LFS_LIMITS.lfsPointersAtOnceMax)}; with more, 422, or the push is denied`,
  'transfers of large files': `${LFS_LIMITS.lfsUploadsAtOnceMax} uploads at once, ${LFS_LIMITS.lfsUploadsPerCallerMax} of one caller; ${LFS_LIMITS.lfsDownloadsAtOnceMax} downloads, ${LFS_LIMITS.lfsDownloadsPerCallerMax} of one caller; more wait`,
  'an unfinished upload of a large file': `waits ${LFS_LIMITS.lfsUnfinishedUploadMs / 3_600_000} hours for its client; ${LFS_LIMITS.lfsUnfinishedUploadsPerAccountMax} of one account; counts against \`--lfs-owner-mib\` as the whole object, for each account and repository. It starts again after ${count(LFS_LIMITS.lfsCutPartsMax)} pieces below ${LFS_LIMITS.lfsPartBytes / MIB} MiB, and with another size of the object`,
  'locks of files': `${count(LFS_LIMITS.lfsLocksPerRepositoryMax)} in a repository, ${LFS_LIMITS.lfsLocksPerPageMax} on a page`,
  'a token for transfers of git-lfs': `begins transfers for ${AUTHENTICATION_LIMITS.transferTokenMs / 60_000} minutes`,
  'one push': `${GIT_LIMITS.pushPackBytesMax / MIB / 1024} GiB packed, ${count(TRANSPORT_LIMITS.pushCommandsMax)} refs, ${TRANSPORT_LIMITS.pushOptionsMax} options of ${TRANSPORT_LIMITS.pushOptionBytesMax / 1024} KiB`,
  'commits that one push proposes to `refs/for/`': `${TRANSPORT_LIMITS.proposalsPerPushMax}; a topic has ${PULL_LIMITS.topicBytesMax} bytes`,
  'pull requests that the answer to a push names': `${PULL_LIMITS.remarksPerPushMax}, if they are found within ${TRANSPORT_LIMITS.remarksMs / 1000} s`,
  'merges of pull requests on trial': `${PULL_LIMITS.checksAtOnceMax} at a time, ${PULL_LIMITS.checksPerCallerMax} of one caller; a request waits ${PULL_LIMITS.checkAwaitedMs / 1000} s for one`,
  'commits that a rebase of a pull request applies': `${count(PULL_LIMITS.rebasedCommitsMax)}; with more, 409`,
  'merges of trees': `${GIT_LIMITS.mergeMs / 1000} s and ${GIT_LIMITS.mergeMemoryBytesMax / MIB} MiB of memory that git reserves; with more, 409. ${count(GIT_LIMITS.mergedFolderDepthMax)} folders inside each other, or 409; renames are sought among ${count(GIT_LIMITS.mergeRenamesMax)} files of each side`,
  'merges by hand': `sought in the newest ${count(PULL_LIMITS.manualMergeCommitsMax)} commits that the base has and the head lacks`,
  'scheduled merges': `tried again every ${PULL_LIMITS.scheduledTriedEveryMs / 60_000} minutes, besides when something changes`,
  'commits of a push that the timeline names': `the newest ${PULL_LIMITS.pushedCommitsNamedMax}`,
  'messages of dismissals and of suggested commits': `${count(PULL_LIMITS.dismissalMessageCharsMax)} characters`,
  'file of the signing key': `${APP_LIMITS.signingKeyBytesMax / 1024} KiB`,
  'message of a merge': `${count(PULL_LIMITS.mergeMessageCharsMax)} characters; a template has ${PULL_LIMITS.mergeTemplateBytesMax / 1024} KiB, and a larger one is ignored, as one that makes a longer message; a squash names the authors of ${PULL_LIMITS.squashedCommitsReadMax} commits`,
  'a change or a push whose objects are rows of the database first, and that starts no git process': `${GIT_LIMITS.freshObjectsMax} objects, ${GIT_LIMITS.freshObjectsBytesMax / 1024} KiB of content; a push begins at the latest ${GIT_LIMITS.smallPackCommitsReadMax} commits of its branches or of the default branch, and changes ${GIT_LIMITS.smallPackTreesReadMax} folders with ${count(GIT_LIMITS.smallPackEntriesReadMax)} entries`,
  'concurrent password hashes': `one per core, at most ${ACCOUNT_LIMITS.passwordHashesAtOnceMax}; ${count(ACCOUNT_LIMITS.passwordHashQueueMax)} more wait, ${ACCOUNT_LIMITS.passwordHashQueuePerCallerMax} of them from one network or account`,
  'objects that a push sends whole': `inflate to ${GIT_LIMITS.pushExpansionMax} times the size of the pack, beyond one object of the largest size`,
  'unread response of one fetch, unread part of a large file': `${GIT_LIMITS.fetchSpoolBytesMax / MIB} MiB; with more, the reading waits for the client`,
  'files of more than 1 MiB that are read at once': `${GIT_LIMITS.blobStreamsAtOnceMax}, ${GIT_LIMITS.blobStreamsAtOnceMax / 2} of one caller; more wait up to ${CORE_LIMITS.gitQueueWaitMs / 1000} s. A file counts until all of it is read, not until its client has it`,
  'a large file that several clients read at once': `shared up to ${GIT_LIMITS.sharedBlobBytesMax / MIB / 1024} GiB, on disk; otherwise each client reads it alone`,
  'text of a note': `${NOTE_LIMITS.noteBytesMax / MIB} MiB`,
  'title of a note': `${NOTE_LIMITS.noteTitleCharsMax} characters, of the first ${count(NOTE_LIMITS.noteNameCharsReadMax)} that a client sends; the same for each folder of a category, and ${count(NOTE_LIMITS.noteCategoryCharsReadMax)} characters of a category`,
  'notes in one notebook': count(NOTE_LIMITS.notesPerNotebookMax),
  'history of a note': `the newest ${count(NOTE_LIMITS.noteHistoryVersionsMax)} versions, through ${NOTE_LIMITS.noteHistoryRenamesMax} renames`,
  'comparing two versions of a note': `${GIT_LIMITS.textMergeMs / 1000} s, ${GIT_LIMITS.comparedTextBytesMax / MIB} MiB of text; with more, 400`,
  'an import of notes from a server':
    `${count(NOTE_LIMITS.importServerNotesMax)} notes in chunks of ${NOTE_LIMITS.importChunkNotesMax} and ` +
    `${NOTE_LIMITS.importChunkBytesMax / MIB} MiB; ${NOTE_LIMITS.importAttachmentsPerNoteMax} files that one note names, ` +
    `${NOTE_LIMITS.importFileBytesMax / MIB} MiB each; ${NOTE_LIMITS.importNamesTriedMax} names for a note whose name is taken`,
  'an import of notes':
    `${count(NOTE_LIMITS.importFilesMax)} files, ${NOTE_LIMITS.importFileBytesMax / MIB} MiB a file, ` +
    `${NOTE_LIMITS.importBytesMax / 1024 / MIB} GiB together; a note of Evernote with its files ` +
    `${NOTE_LIMITS.importNoteCharsMax / MIB} Mi characters of its export; a file of an archive above ${NOTE_LIMITS.importRatioBytesMin / MIB} MiB may ` +
    `unpack to ${NOTE_LIMITS.importRatioMax} times its size`,
  'a search of notes':
    `${TEXT_SEARCH_LIMITS.wordQueryCharsMax} characters, ${TEXT_SEARCH_LIMITS.wordQueryWordsMax} words; it looks at the first ` +
    `${TEXT_SEARCH_LIMITS.indexedTextCharsMax / 1024} Ki characters and ${count(TEXT_SEARCH_LIMITS.indexedWordsMax)} words of a note, fewer if ` +
    `their different words exceed ${TEXT_SEARCH_LIMITS.indexedWordBytesMax / 1024} KiB, and at the first ${TEXT_SEARCH_LIMITS.indexedWordCharsMax} characters of a word. ` +
    `Notes that have changed since the last search take it ${NOTE_LIMITS.noteSearchPreparedMs / 1000} s at most; with more, 503 and the next one goes on`,
  'a search of issues':
    `finds ${count(ISSUE_LIMITS.foundIssuesMax)} issues. It looks at the newest ${count(ISSUE_LIMITS.textsComparedMax)} texts of a repository with ` +
    `all of its words, in all repositories at ${count(ISSUE_LIMITS.textsComparedAnywhereMax)}; if it reads rows of each, at ${count(ISSUE_LIMITS.textsCheckedMax)} issues and ${count(ISSUE_LIMITS.commentsCheckedMax)} comments; on PostgreSQL ${ISSUE_LIMITS.textsSearchedLessOnPostgresql} times fewer. ` +
    `Of an owner or a team, it looks into ${ISSUE_LIMITS.searchedRepositoriesMax} repositories. Of its words without ` +
    `quotation marks, the last ${ISSUE_LIMITS.searchedBeginningsMax} with ${ISSUE_LIMITS.searchedBeginningCharsMin} characters or more also find the words that begin so. The words are bounded as in ` +
    'a search of notes. If it may have missed issues, the response has `X-Search-Incomplete: true`',
  'an attachment of a note': `${NOTE_LIMITS.attachmentBytesMax / MIB} MiB; above ${NOTE_LIMITS.attachmentInGitBytesMax / MIB} MiB it becomes an object of git-lfs`,
  'a release': `title ${RELEASE_LIMITS.releaseTitleCharsMax} characters, text ${count(RELEASE_LIMITS.releaseBodyCharsMax)}, target ${RELEASE_LIMITS.releaseTargetCharsMax}; ${count(RELEASE_LIMITS.releasesPerRepositoryMax)} of a repository, with their drafts; a search for ${RELEASE_LIMITS.releaseSearchCharsMax} characters`,
  'an asset of a release': `${RELEASE_LIMITS.releaseAssetBytesMax / MIB / 1024} GiB, its name ${ISSUE_LIMITS.issueAttachmentNameCharsMax} characters, an address on another server ${count(RELEASE_LIMITS.releaseAssetUrlCharsMax)}; ${RELEASE_LIMITS.releaseAssetsMax} of a release; ${RELEASE_LIMITS.releaseUploadsAtOnceMax} uploads at once, ${RELEASE_LIMITS.releaseUploadsPerCallerMax} of one caller; more wait`,
  'an attachment of an issue or a comment': `${ISSUE_LIMITS.issueAttachmentBytesMax / MIB} MiB, its name ${ISSUE_LIMITS.issueAttachmentNameCharsMax} characters; ${ISSUE_LIMITS.issueAttachmentsMax} of each; ${ISSUE_LIMITS.issueUploadsAtOnceMax} uploads at once, ${ISSUE_LIMITS.issueUploadsPerCallerMax} of one caller; more wait`,
  'versions of a note from which an edit may have been made': `${NOTE_LIMITS.noteVersionsMax}, for ${NOTE_LIMITS.noteVersionsKeptMs / 24 / 60 / 60_000} days`,
  'a page of a wiki over the API': `title ${WIKI_PAGE_LIMITS.titleCharsMax} characters, and ${WIKI_PAGE_LIMITS.fileNameBytesMax} bytes as the name of its file, where a letter beyond ASCII takes 6 to 12; content ${WIKI_PAGE_LIMITS.wikiPageWrittenBytesMax / MIB} MiB, message ${count(WIKI_PAGE_LIMITS.messageCharsMax)} characters. The API returns pages of ${WIKI_PAGE_LIMITS.pageReadBytesMax / MIB} MiB, and git has no such limit`,
  'files and folders in the root of a wiki': `${count(WIKI_PAGE_LIMITS.entriesMax)}, ${WIKI_PAGE_LIMITS.rootBytesMax / MIB} MiB of their names; with more, git alone serves it, and the API answers 422`,
  'a sidebar or footer of a wiki': `${WIKI_PAGE_LIMITS.asideBytesMax / 1024} KiB; a larger one is left out`,
  'a page of a wiki that is shown as HTML': `${WEB_LIMITS.wikiPageBytesMax / 1024} KiB; a larger one links to its file`,
  'revisions of a wiki page': `${WIKI_PAGE_LIMITS.revisionsPerPage} on a page`,
  'account name': `${ACCOUNT_LIMITS.nameCharsMax} characters`,
  'repository name': `${REPOSITORY_LIMITS.repositoryNameCharsMax} characters`,
  'team name': `${TEAM_LIMITS.teamNameCharsMax} characters`,
  'flags of a repository': `${FLAG_LIMITS.flagsPerRepositoryMax}, each ${FLAG_LIMITS.flagCharsMax} characters`,
  'accounts that a user follows': count(FOLLOW_LIMITS.followingPerAccountMax),
  'users whom an account blocks': count(BLOCK_LIMITS.blockedPerAccountMax),
  'an uploaded avatar': AVATAR,
  'topics of a repository': `${TOPIC_LIMITS.topicsPerRepositoryMax}, each ${TOPIC_LIMITS.topicCharsMax} characters`,
  'statuses of a commit': count(STATUS_LIMITS.statusesPerCommitMax),
  'labels of a repository or an organization': `${count(LABEL_LIMITS.labelsPerOwnerMax)}, each name ${LABEL_LIMITS.labelNameCharsMax} characters, its description ${count(LABEL_LIMITS.labelDescriptionCharsMax)}`,
  'milestones of a repository': `${count(MILESTONE_LIMITS.milestonesPerRepositoryMax)}, each title ${MILESTONE_LIMITS.milestoneTitleCharsMax} characters, its description ${count(MILESTONE_LIMITS.milestoneDescriptionCharsMax)}`,
  'references that count in a text': `${REFERENCE_LIMITS.referencesPerTextMax} users, as many teams, issues and commits, in its first ${count(REFERENCE_LIMITS.referenceTextCharsMax)} characters; issues of ${ISSUE_LIMITS.repositoriesReferredToMax} other repositories; ${REPOSITORY_LIMITS.mentionedUsersMax} users with the members of teams; of a push, its newest ${ISSUE_LIMITS.commitsReadForIssuesMax} commits`,
  issues: `title ${ISSUE_LIMITS.issueTitleCharsMax} characters, text ${count(ISSUE_LIMITS.issueBodyCharsMax)} (also of a comment), name of the branch or tag ${ISSUE_LIMITS.issueRefCharsMax}; ${ISSUE_LIMITS.issueLinksMax} labels and ${ISSUE_LIMITS.issueLinksMax} assignees; it depends on ${ISSUE_LIMITS.issueDependenciesMax} others, and ${ISSUE_LIMITS.issueDependenciesMax} depend on it; ${ISSUE_LIMITS.pinnedIssuesMax} are pinned in a repository; the reason of a lock ${ISSUE_LIMITS.issueLockReasonCharsMax}`,
  'rendering a text in Markdown':
    `${HTTP_LIMITS.jsonBodyBytesMax / MIB} MiB of text, ${count(MARKDOWN_LIMITS.renderedCharsMax)} characters of HTML; ${MARKDOWN_LIMITS.markdownMs / 1000} s and ` +
    `${MARKDOWN_LIMITS.markdownMemoryMib} MiB of memory; with more, 422 (text: 413). ` +
    `Tags of HTML inside ${MARKDOWN_LIMITS.renderedNestingMax} others are dropped, and their contents stay; a table ends when the cells that its ` +
    `short rows lack are too many for the length of the text; a label of a footnote has 999 characters; a context above ` +
    `${MARKDOWN_LIMITS.markdownContextCharsMax / 1024} KiB is ignored. The pattern of an external tracker has ${count(REPOSITORY_LIMITS.trackerPatternCharsMax)} ` +
    `characters and ${MARKDOWN_LIMITS.trackerPatternMs} ms. A text of up to ${count(MARKDOWN_LIMITS.markdownSmallChars)} characters does not wait ` +
    `for larger ones. ${count(MARKDOWN_LIMITS.renderedLinksMax)} references become links, ` +
    `to ${MARKDOWN_LIMITS.renderedReferencesMax} different users, ${MARKDOWN_LIMITS.renderedReferencesMax} issues and ${MARKDOWN_LIMITS.renderedCommitsMax} commits`,
  'tracked times of an issue': `${count(ISSUE_LIMITS.timesPerIssueMax)}, each up to ${count(ISSUE_LIMITS.trackedSecondsMax)} seconds`,
  'protections of a repository': `${PROTECTION_LIMITS.protectionsPerRepositoryMax}, each pattern ${PROTECTION_LIMITS.protectionPatternCharsMax} characters, its patterns of files ${count(PROTECTION_LIMITS.protectionFilePatternsCharsMax)}`,
  'reviews of a pull request':
    `${count(PULL_LIMITS.reviewsPerPullMax)}, each with ${PULL_LIMITS.reviewCommentsPerReviewMax} comments on lines; ` +
    `${count(PULL_LIMITS.reviewCommentsPerPullMax)} comments together, ${PULL_LIMITS.reviewCommentsAtOnceMax} in one request; a comment has ` +
    `${count(PULL_LIMITS.reviewCommentCharsMax)} characters, covers up to ${PULL_LIMITS.commentedLinesMax} lines after the first, and shows ${count(PULL_LIMITS.commentedHunkCharsMax)} characters of the ` +
    `differences. ${PULL_LIMITS.reviewRequestsPerPullMax} requests for reviews, ${PULL_LIMITS.reviewersNamedMax} in one request`,
  'code owners':
    `${CODE_OWNER_LIMITS.codeOwnersBytesMax / 1024} KiB, ${count(CODE_OWNER_LIMITS.codeOwnerRulesMax)} rules with a pattern of ` +
    `${CODE_OWNER_LIMITS.codeOwnerPatternCharsMax} characters and ${CODE_OWNER_LIMITS.ownersPerRuleMax} owners; ` +
    `${count(CODE_OWNER_LIMITS.codeOwnerStepsMax)} steps of comparing them with the changed files; reviews of ` +
    `${CODE_OWNER_LIMITS.codeOwnersRequestedMax} owners are requested`,
  'suggestions of one commit': `${PULL_LIMITS.reviewCommentsAtOnceMax}, for files of ${PULL_LIMITS.suggestionFileBytesMax / MIB} MiB`,
  'commits on the page of a comparison': `the newest ${WEB_LIMITS.comparisonPageCommitsMax}; the API has the rest`,
  'releases on their page': `${WEB_LIMITS.releasesPageItemsMax} on each page, and ${count(WEB_LIMITS.releasePageCharsMax)} characters of each; the API has the whole texts`,
  'a page of an issue': `${WEB_LIMITS.threadEntriesMax} comments and changes; more on further pages`,
  'one page of the event feed':
    `${EVENT_FEED_LIMITS.eventsPerPageMax} events (default ${EVENT_FEED_LIMITS.eventsPerPageDefault}), ` +
    `${EVENT_FEED_LIMITS.pageBytesMax / MIB} MiB of what is stored of them, or one larger event. A request looks at ` +
    `${count(EVENT_FEED_LIMITS.eventsScannedAtOnceMax * EVENT_FEED_LIMITS.scansPerPageMax)} events to find those that ` +
    'the caller may see, and then returns an empty page with `has_more`',
  'requests and streams that wait for events':
    `${EVENT_FEED_LIMITS.waitingMax}, ${EVENT_FEED_LIMITS.waitingPerCallerMax} of one caller; more get 503. A request ` +
    `waits ${EVENT_FEED_LIMITS.waitSecondsMax} s; a stream ends after an hour, and its client continues`,
  'a throwaway server': `its seed: ${THROWAWAY_LIMITS.seedFileBytesMax / MIB} MiB. Requests that run during a reset: ${THROWAWAY_LIMITS.oldRequestsMs / 1000} s. A move of the clock waits ${THROWAWAY_LIMITS.dueJobsMs / 1000} s for jobs`,
  events: `kept for ${MAINTENANCE_LIMITS.eventsKeptMs / (24 * 60 * 60_000)} days; an older cursor gets 410`,
  'notifications by mail':
    `to one user ${MAIL_LIMITS.mailsAtOnceMax} at once and ${MAIL_LIMITS.mailsPerHourMax} in an hour; more become one mail ` +
    `that lists ${MAIL_LIMITS.noticesListedMax} of them. A text has ${count(MAIL_LIMITS.mailTextCharsMax)} characters in a ` +
    `mail. Mail that cannot be sent is dropped after ${MAIL_LIMITS.mailTriedMs / (24 * 60 * 60_000)} days`,
  activities:
    `kept for ${ACTIVITY_LIMITS.keptMs / (24 * 60 * 60_000)} days; a list has the latest ` +
    `${count(ACTIVITY_LIMITS.listedMax)}, among the latest ${count(ACTIVITY_LIMITS.searchedMax)} of a user or an ` +
    `organization, and its total counts no more; a feed for feed readers has ${WEB_LIMITS.feedEntriesMax}`,
  'activities of one push':
    `its first ${ACTIVITY_LIMITS.refsPerPushMax} branches and tags, each with the newest ` +
    `${ACTIVITY_LIMITS.commitsPerPushMax} commits, ${count(ACTIVITY_LIMITS.activityMessageCharsMax)} characters of their ` +
    'messages, and the number of all',
  'a comment in the `content` of an activity': `its first ${ACTIVITY_LIMITS.textCharsMax} characters`,
  webhooks: `${count(WEBHOOK_LIMITS.webhooksPerOwnerMax)} of one repository, user or organization, and of the site (default and system webhooks together)`,
  'one webhook':
    `${WEBHOOK_LIMITS.webhookEventsMax} names of events; a filter of ${count(WEBHOOK_LIMITS.webhookFilterCharsMax)} characters with ` +
    `${WEBHOOK_LIMITS.webhookFilterAlternativesMax} alternatives; a secret of ${count(WEBHOOK_LIMITS.webhookSecretCharsMax)}, an authorization of ` +
    `${count(WEBHOOK_LIMITS.webhookAuthorizationCharsMax)}, an address of ${count(OUTBOUND_LIMITS.outboundUrlCharsMax)}; ` +
    `${WEBHOOK_LIMITS.webhookConfigFieldsMax} further fields of ${count(WEBHOOK_LIMITS.webhookConfigCharsMax)}`,
  'one delivery of a webhook':
    `${WEBHOOK_LIMITS.deliveryMs / 1000} s, from the resolution of the name to the response; a payload of ` +
    `${WEBHOOK_LIMITS.payloadBytesMax / MIB} MiB, or an address of ${count(WEBHOOK_LIMITS.addressCharsMax)} characters for GET: ` +
    'a larger one fails at once and is not repeated',
  'a payload of a push': `the newest ${WEBHOOK_LIMITS.commitsPerPayloadMax} commits, each with ${WEBHOOK_LIMITS.pathsPerCommitMax} paths`,
  'a message of a webhook to a chat':
    `${WEBHOOK_LIMITS.messageTitleCharsMax} characters of each title, ${count(WEBHOOK_LIMITS.messageTextCharsMax)} of each text, ` +
    `${WEBHOOK_LIMITS.messageCommitsMax} commits; a build of SourceHut reads a manifest of ${WEBHOOK_LIMITS.manifestBytesMax / 1024} KiB`,
  'deliveries at once':
    `${WEBHOOK_LIMITS.deliveriesPerOwnerAtOnceMax} of one owner, each of another webhook; ${WEBHOOK_LIMITS.deliveringOwnersAtOnceMax} owners in one process. ` +
    `After ${WEBHOOK_LIMITS.deliveriesPerTurnMax} deliveries or ${WEBHOOK_LIMITS.turnMs / 1000} s, the next webhook of the owner has its turn, ` +
    `and after ${WEBHOOK_LIMITS.ownerPatienceMs / 1000} s other owners who wait`,
  'repeated deliveries':
    `for ${WEBHOOK_LIMITS.retriedMs / DAY_MS} days, after ${WEBHOOK_LIMITS.retryMsMin / 1000} s, and then after twice the pause each time, ` +
    `up to ${WEBHOOK_LIMITS.retryMsMax / (60 * 60_000)} hour. A webhook that fails for ${WEBHOOK_LIMITS.failingMsMax / DAY_MS} days becomes inactive; ` +
    `${WEBHOOK_LIMITS.requestedPerHookMax} attempts that are requested by hand wait`,
  'mails about webhooks that became inactive':
    `${WEBHOOK_LIMITS.stopsGatheredMs === 60 * 60_000 ? 'one an hour' : '?'} to a person, with ${WEBHOOK_LIMITS.stopsListedMax} webhooks; ` +
    `${WEBHOOK_LIMITS.stopReadersMax} people for each`,
  'deliveries that are kept':
    `${WEBHOOK_LIMITS.deliveriesKeptMs / DAY_MS} days, the newest ${WEBHOOK_LIMITS.deliveriesKeptPerHookMax} of a webhook, each with ` +
    `${count(WEBHOOK_LIMITS.requestCharsKeptMax)} characters of the request, ${count(WEBHOOK_LIMITS.responseCharsKeptMax)} of the response, ` +
    `${count(WEBHOOK_LIMITS.responseHeaderCharsKeptMax)} of each of its headers and ${WEBHOOK_LIMITS.errorCharsKeptMax} of the error`,
  'feeds of tags and of branches': `${WEB_LIMITS.feedEntriesMax} entries; tags are sought among the ${WEB_LIMITS.feedTagsReadMax} whose names sort last, with numbers by their value`,
  'marking many notifications': `the answer has the latest ${NOTIFICATION_LIMITS.notificationsReturnedMax} of those marked`,
  'comparing a push with protections': `${count(PROTECTION_LIMITS.protectionMatchStepsMax)} steps, ${count(PROTECTION_LIMITS.protectionMatchStepsAtOnceMax)} of them for one name or path, and ${count(GIT_LIMITS.treeEntriesComparedMax)} entries of trees for one branch; beyond them, that branch or tag is denied`,
  'teams of an organization': count(TEAM_LIMITS.teamsPerOrganizationMax),
  'OAuth2 applications': `${OAUTH_LIMITS.applicationsPerOwnerMax} for each user and organization, and for the site; ${OAUTH_LIMITS.redirectUrisMax} redirect addresses of ${count(OAUTH_LIMITS.redirectUriCharsMax)} characters`,
  'codes and tokens of OAuth2':
    `a code is valid for ${OAUTH_GRANT_LIMITS.codeMs / 60_000} minutes, an access token for ${OAUTH_GRANT_LIMITS.accessTokenMs / (60 * 60_000)} hour, ` +
    `a refresh token for ${OAUTH_GRANT_LIMITS.refreshTokenMs / DAY_MS} days after the last refresh`,
  'what an account grants to OAuth2 applications':
    `${OAUTH_GRANT_LIMITS.grantsPerApplicationMax} grants of one application and ${OAUTH_GRANT_LIMITS.grantsPerAccountMax} in all; with more, ` +
    `the one that was used least recently ends; ${OAUTH_GRANT_LIMITS.tokensPerGrantMax} access tokens of a grant; ${OAUTH_GRANT_LIMITS.codesPerAccountMax} codes that wait`,
  'requests of OAuth2 applications': `a state of ${count(OAUTH_LIMITS.stateCharsMax)} characters, a nonce of ${OAUTH_GRANT_LIMITS.nonceCharsMax}; ${count(OAUTH_LIMITS.groupsMax)} teams in the groups of a user`,
  'keys that sign id tokens': `a key signs for ${OAUTH_LIMITS.keyMs / DAY_MS} days and is published until its last token has ended`,
  'a session of a browser':
    `ends after ${SESSION_LIMITS.idleMs / (60 * 60_000)} hours without a request and after ${SESSION_LIMITS.lifetimeMs / DAY_MS} days; ` +
    `remembered ones after ${SESSION_LIMITS.rememberedIdleMs / DAY_MS} and ${SESSION_LIMITS.rememberedLifetimeMs / DAY_MS} days. An account has ` +
    `${SESSION_LIMITS.sessionsPerAccountMax}; with more, the one that was used least recently ends`,
  'a link of an account':
    `works once: for ${LINK_LIMITS.signUpMs / HOUR_MS} hours after a sign-up or for an added address, ` +
    `${LINK_LIMITS.invitationMs / DAY_MS} days for an invitation or a former primary address, ` +
    `${LINK_LIMITS.recoverMs / HOUR_MS} hour for a forgotten password, ${LINK_LIMITS.handedOverMs / HOUR_MS} hours if an administrator hands it over`,
  'mails with such a link on request':
    `${LINK_LIMITS.linksPerAddressMax} to one address in an hour; ${EMAIL_CHANGE_LIMITS.confirmationsPerAccountMax} to confirm the ` +
    `addresses of one account in ${EMAIL_CHANGE_LIMITS.confirmationsMs / HOUR_MS} hours. Others are not sent`,
  'sign-ups and requests for a forgotten password': `${SIGN_UP_LIMITS.signUpsPerNetworkMax} and ${RECOVERY_LIMITS.recoveriesPerNetworkMax} of one network in an hour; beyond them, 503`,
  'a second factor':
    `${SECOND_FACTOR_LIMITS.codesTriedMax} one-time codes that are tried in an hour without a right one; ` +
    `${SECOND_FACTOR_LIMITS.recoveryCodes} recovery codes; ${SECOND_FACTOR_LIMITS.passkeysPerAccountMax} passkeys; ` +
    `${SECOND_FACTOR_LIMITS.pendingSignInMs / 60_000} minutes between the password and the code, ` +
    `${SECOND_FACTOR_LIMITS.challengeMs / 60_000} minutes for the answer of a passkey`,
  'changes of credentials by a browser': `within ${ACCESS_LIMITS.proofMs / 60_000} minutes after its user has proved who they are; later, 403`,
  'sign-in at a provider': `within ${EXTERNAL_LIMITS.signInMs / 60_000} minutes; then ${EXTERNAL_LIMITS.newcomerMs / 60_000} minutes for the choice of an account by a newcomer`,
  'responses of a provider':
    `${EXTERNAL_LIMITS.providerAnswerBytesMax / 1024} KiB within ${EXTERNAL_LIMITS.providerMs / 1000} s; ${count(EXTERNAL_LIMITS.providerGroupsMax)} groups of a user, ` +
    `each ${EXTERNAL_LIMITS.groupCharsMax} characters; clocks may differ by ${EXTERNAL_LIMITS.clockToleranceSeconds} s`,
  'concurrent sign-ins at one provider': `${EXTERNAL_LIMITS.exchangesAtOnceMax}, at most ${EXTERNAL_LIMITS.exchangesPerCallerMax} of one network; others wait for up to ${EXTERNAL_LIMITS.exchangeWaitMs / 1000} s`,
  'accounts at providers that one account is linked with': String(EXTERNAL_LIMITS.identitiesPerAccountMax),
  'sign-in providers, teams that the groups of one provider name': `${EXTERNAL_LIMITS.providersMax}, ${EXTERNAL_LIMITS.groupTeamsMax}`,
  'tokens of an account': count(TOKEN_LIMITS.tokensPerAccountMax),
  'notices by mail before a token expires': `${TOKEN_LIMITS.tokenNoticeDays.toReversed().join(' days and ')} day, for tokens that last longer than that`,
  'entries of the audit log on one page': `${AUDIT_LIMITS.auditEntriesPerPageMax} (default ${AUDIT_LIMITS.auditEntriesPerPageDefault}); with several conditions, a request looks at ${count(AUDIT_LIMITS.auditEntriesScannedMax)} entries`,
  'sign-ins in the audit log in one hour': `${AUTHENTICATION_LIMITS.auditedSignInsPerHourMax} of one account, ${AUTHENTICATION_LIMITS.auditedFailuresPerHourMax} failed ones of all accounts`,
  'SSH keys of an account': `${KEY_LIMITS.sshKeysPerAccountMax}, each ${count(KEY_LIMITS.sshKeyCharsMax)} characters; an RSA key has ${count(KEY_LIMITS.rsaKeyBitsMin)} to ${count(KEY_LIMITS.rsaKeyBitsMax)} bits`,
  'OpenPGP keys of an account': `${KEY_LIMITS.openPgpKeysPerAccountMax}, each ${count(KEY_LIMITS.openPgpKeyCharsMax)} characters with ${KEY_LIMITS.openPgpSubkeysMax} subkeys and ${KEY_LIMITS.openPgpUserIdsMax} user ids`,
  'reading an OpenPGP key, or verifying one signature': `${KEY_LIMITS.openPgpMs / 1000} s, ${KEY_LIMITS.openPgpMemoryMib} MiB of memory; beyond them, the key is rejected and the signature not valid`,
  'a signature that is verified': `${count(KEY_LIMITS.signatureCharsMax)} characters, over an object of ${VERIFICATION_LIMITS.signedBytesMax / 1024 / 1024} MiB; others are not verified`,
  'new commits in one push to a branch that requires signatures': count(
    PROTECTION_LIMITS.signedCommitsPerPushMax,
  ),
  'deploy keys of a repository': String(KEY_LIMITS.deployKeysPerRepositoryMax),
  'the recorded last use of a key': `is at most ${KEY_LIMITS.keyUseLagMs / 60_000} minute too early`,
  'SSH before a sign-in':
    `${SSH_LIMITS.sshSignInMs / 1000} s, ${SSH_LIMITS.strangerBytesMax / 1024} KiB and ${SSH_LIMITS.attemptsPerConnectionMax} keys for a connection; ` +
    `${SSH_LIMITS.strangersMax} connections, ${SSH_LIMITS.strangersPerNetworkMax} of one network (an IPv4 address or an IPv6 /64), which opens ${SSH_LIMITS.handshakesPerNetworkMax} a minute; ` +
    `beyond ${SSH_LIMITS.strangersMax}, the oldest of the network with most ends`,
  'SSH after a sign-in':
    `${count(SSH_LIMITS.connectionsMax)} connections, ${SSH_LIMITS.connectionsPerCallerMax} of one account, and as many with the deploy keys that it has added elsewhere; ` +
    `${SSH_LIMITS.sessionsPerConnectionMax} sessions at once and ${count(SSH_LIMITS.sessionsInAllMax)} in all on a connection; ` +
    `${SSH_LIMITS.sshIdleMs / 60_000} minutes without a command; new keys after ${SSH_LIMITS.rekeyBytes / 1024 ** 3} GiB or an hour; ` +
    `${SSH_LIMITS.keepalivesMax} questions of ${SSH_LIMITS.keepaliveMs / 1000} s without an answer; ${SSH_LIMITS.sendMs / 1000} s in which a client does not take a piece of ${SSH_LIMITS.pieceBytes / 1024} KiB`,
  'a command over SSH':
    `${count(SSH_LIMITS.commandCharsMax)} characters; a client may be quiet for ${SSH_LIMITS.quietMs / 60_000} minutes before it sends a request or a pack, ` +
    'while its hooks run or it computes the pack; apart from that, it has the limits of HTTP. With protocols 0 and 1, it negotiates for ' +
    `${TRANSPORT_LIMITS.fetchRequestMs / 60_000} minutes`,
  'a request of `git-lfs-transfer`':
    `${SSH_LIMITS.transferArgumentsMax} arguments, ${count(SSH_LIMITS.transferLinesMax)} objects, ${SSH_LIMITS.transferLineBytesMax / 1024} KiB of each and ${SSH_LIMITS.transferRequestBytesMax / MIB} MiB of all; ` +
    `ends the command if it is rejected and more than ${SSH_LIMITS.transferSkippedBytesMax / MIB} MiB of it are left`,
  'an SSH certificate': `${SSH_LIMITS.certificateBytesMax / 1024} KiB, ${SSH_LIMITS.principalsMax} principals`,
  'arguments of `git archive --remote`': `${SSH_LIMITS.archiveArgumentsMax}, each ${count(SSH_LIMITS.archiveArgumentBytesMax)} bytes`,
  'repositories that a limited token names': count(TOKEN_LIMITS.repositoriesPerTokenMax),
  'e-mail addresses of an account': count(ACCOUNT_LIMITS.emailsPerAccountMax),
  'path in a repository': `${count(GIT_LIMITS.treePathBytesMax)} bytes, each name in it ${GIT_LIMITS.treeNameBytesMax}`,
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
