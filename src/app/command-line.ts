import { Command, CommanderError } from 'commander';
import type { AuditFlags } from '../admin/audit.ts';
import { SCOPE_CATEGORIES } from '../api/access/scopes.ts';
import { askSecrets } from './ask.ts';
import {
  type CommandWork,
  DATA_SETTINGS,
  examples,
  readSettings,
  withEngines,
  withSettings,
} from './command.ts';
import { type Flags, readConfig } from './config.ts';
import { openDataFolder, tryLockDataFolder } from './data-folder.ts';
import { explain } from './explain.ts';
import { addImportNotesCommand, addImportSiteCommand } from './import-commands.ts';
import type { MoveFlags } from './move-objects.ts';
import { type Print, print, printForSure, survivePipesWithoutReader, unlessReaderIsGone } from './print.ts';
import { SETTINGS } from './settings.ts';
import { addSshCommands } from './ssh/commands.ts';
import { addForgeCommand } from './throwaway/command.ts';
import { VERSION } from './version.ts';

/**
 * Runs one command. Prints errors, one line each. Commands load the features only when they run: `--help` and an error
 * in a setting need none of them.
 *
 * @returns the exit status
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const status = { code: 0 };
  survivePipesWithoutReader();
  try {
    await program(words, status).parseAsync(words, { from: 'user' });
    return status.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

type AddCommands = (quire: Command, print: Print, status: { code: number }) => void;

/** By the first word of a command. Commander takes longer to describe all of them than to parse one. */
const COMMANDS: Readonly<Record<string, AddCommands>> = {
  serve: addServeCommand,
  forge: addForgeCommand,
  admin: addAdminCommands,
  account: addAccountCommands,
  token: addTokenCommands,
  audit: addAuditCommands,
  repository: addRepositoryCommands,
  objects: addObjectCommands,
  import: addImportSiteCommand,
  notes: addNoteCommands,
  migrate: addMigrateCommand,
  doctor: addDoctorCommand,
  ssh: addSshCommands,
};

function program([first = '']: readonly string[], status: { code: number }): Command {
  const quire = new Command('quire')
    .description(
      'Hosts git repositories and notes: the Gitea/Forgejo API, git over HTTP and SSH, the Nextcloud Notes API',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(add --help to see the commands and options)')
    .addHelpText('after', '\n"quire COMMAND --help" explains one command.');
  const wanted = Object.hasOwn(COMMANDS, first) ? [COMMANDS[first]] : Object.values(COMMANDS);
  for (const add of wanted) add?.(quire, print, status);
  return quire;
}

function addServeCommand(quire: Command): void {
  const serveCommand = quire
    .command('serve')
    .summary('Run the server')
    .description(
      'Runs the server until it receives SIGTERM or SIGINT. The first start creates a site administrator and prints the password.',
    )
    .addHelpText(
      'after',
      examples('quire serve --port 3001 --data /srv/quire', 'QUIRE_ADMIN_PASSWORD=correct-horse quire serve'),
    )
    .addHelpText(
      'after',
      '\nQUIRE_ADMIN_PASSWORD, QUIRE_OBJECTS_SECRET and QUIRE_SIGNING_PASSPHRASE have no flags, because other users\nof the machine can see the flags of a process.',
    );
  withSettings(serveCommand, Object.keys(SETTINGS)).action(async (flags: Flags) => {
    const config = readSettings(flags);
    const { serve } = await import('./serve.ts');
    await serve(config);
  });
}

function addAdminCommands(quire: Command, print: Print): void {
  const admin = quire
    .command('admin')
    .summary('Manage accounts')
    .description('Manages accounts. You need no password, only access to the data.');
  addCreateUser(admin, print);
  const resetCommand = admin
    .command('reset-password <name>')
    .summary('Give an account a new password')
    .description('Gives an account a new password. The old one stops working at once.')
    .option('--password <password>', 'new password (default: generated and printed)')
    .addHelpText('after', examples('quire admin reset-password ada'));
  withSettings(resetCommand).action((name: string, flags: Flags & { password?: string }) =>
    withEngines(flags, (_engines, { accounts }, { resetPassword }) =>
      resetPassword({ accounts, print }, { name, ...flags }),
    ),
  );
  addLinkCommands(admin, print);
  const factorCommand = admin
    .command('reset-second-factor <name>')
    .summary('Remove the second factors of an account')
    .description('Removes the one-time codes, recovery codes and passkeys of a user who has lost them.')
    .addHelpText('after', examples('quire admin reset-second-factor ada'));
  withSettings(factorCommand).action((name: string, flags: Flags) =>
    withEngines(flags, (_engines, { secondFactors }, { resetSecondFactor }) =>
      resetSecondFactor({ secondFactors, print }, { name }),
    ),
  );
  const listCommand = admin
    .command('list-users')
    .summary('List all accounts')
    .description(
      'Lists all accounts, one a line: id, name, e-mail address and remarks such as "administrator". Tabs separate them.',
    );
  withSettings(listCommand).action((flags: Flags) =>
    withEngines(flags, (_engines, { accounts }, { listUsers }) => listUsers({ accounts, print })),
  );
}

function addLinkCommands(admin: Command, print: Print): void {
  const resetCommand = admin
    .command('reset-link <name>')
    .summary('Make a link on which a user chooses a new password')
    .description(
      'Prints a link on which the user of the account chooses a new password, for you to hand over. It works once, for a day. The current password works until the user has chosen. If your server has a --base-url, give this command the same one: the link begins with it.',
    )
    .addHelpText('after', examples('quire admin reset-link ada --base-url https://git.example.org'));
  withSettings(resetCommand, [...DATA_SETTINGS, 'baseUrl']).action((name: string, flags: Flags) =>
    withEngines(flags, (_engines, { recovery }, { printResetLink }) =>
      printResetLink({ recovery, print }, name),
    ),
  );
  const inviteCommand = admin
    .command('invite <address>')
    .summary('Invite the owner of an e-mail address')
    .description(
      'Prints a link with which the owner of an e-mail address creates an account. It works once, for a week. Give this command the --sign-up of your server, which must be invitation, domain or open, and its --base-url, with which the link begins. With its --mail, the link is also mailed.',
    )
    .addHelpText(
      'after',
      examples('quire admin invite ada@example.org --sign-up invitation --base-url https://git.example.org'),
    );
  withSettings(inviteCommand, [...DATA_SETTINGS, 'baseUrl', 'signUp', 'mail']).action(
    (email: string, flags: Flags) =>
      withEngines(flags, (_engines, services, { inviteByMail }) =>
        inviteByMail({ ...services, print }, email),
      ),
  );
  const verifyCommand = admin
    .command('verify-email <name> <address>')
    .summary('Verify an e-mail address of an account')
    .description('Marks an e-mail address of an account as verified, for servers that send no mail.')
    .addHelpText('after', examples('quire admin verify-email ada ada@example.org'));
  withSettings(verifyCommand).action((name: string, email: string, flags: Flags) =>
    withEngines(flags, (_engines, services, { verifyEmail }) =>
      verifyEmail({ ...services, print }, { name, email }),
    ),
  );
}

function addAccountCommands(quire: Command, print: Print): void {
  const command = quire
    .command('account')
    .summary('Manage your own account')
    .description('Manages your own account, on a machine that has the data.')
    .command('change-password <name>')
    .summary('Change your password')
    .description(
      'Changes your password. Asks for the current and the new one, or reads them from standard input, a line each. The current one stops working at once.',
    )
    .option('--delete-tokens', 'also delete all your access tokens')
    .addHelpText('after', examples('quire account change-password ada --delete-tokens'));
  withSettings(command).action(async (name: string, flags: Flags & { deleteTokens?: boolean }) => {
    const [current = '', replacement = ''] = await askSecrets(['current password', 'new password']);
    await withEngines(flags, (_engines, services, { changePassword }) =>
      changePassword({ ...services, print }, { name, current, replacement, ...flags }),
    );
  });
}

function addCreateUser(admin: Command, print: Print): void {
  const command = admin
    .command('create-user <name>')
    .summary('Create an account')
    .description('Creates an account.')
    .requiredOption('--email <address>', 'e-mail address of the account')
    .option('--password <password>', 'password (default: generated and printed)')
    .option('--admin', 'make the account a site administrator')
    .addHelpText(
      'after',
      examples(
        'quire admin create-user ada --email ada@example.org',
        'quire admin create-user grace --email grace@example.org --admin',
      ),
    );
  withSettings(command).action(
    (name: string, flags: Flags & { email: string; password?: string; admin?: boolean }) =>
      withEngines(flags, (_engines, { accounts }, { createUser }) =>
        createUser({ accounts, print }, { name, ...flags }),
      ),
  );
}

function addTokenCommands(quire: Command, print: Print): void {
  const command = quire
    .command('token')
    .summary('Manage access tokens')
    .description('Manages access tokens.')
    .command('create <account>')
    .summary('Create an access token and print it')
    .description(
      'Creates an access token for an account and prints it. Quire stores only a hash, so it cannot print the token again.',
    )
    .requiredOption('--name <name>', 'name of the token, unused by the other tokens of the account')
    .option('--scopes <list>', 'comma-separated scopes', 'all')
    .option(
      '--expires <time>',
      'day or time at which the token expires (default: as late as the settings allow)',
    )
    .addHelpText(
      'after',
      examples(
        'quire token create ada --name laptop',
        'quire token create ada --name ci --scopes read:repository,write:issue',
      ),
    )
    .addHelpText(
      'after',
      `\nThe scopes are "all", "public-only", "notes-only" and "read:" or "write:" before each of\n${SCOPE_CATEGORIES.join(', ')}.`,
    );
  withSettings(command).action(
    (account: string, flags: Flags & { name: string; scopes: string; expires?: string }) =>
      withEngines(flags, (_engines, services, { createToken }) =>
        createToken({ ...services, print }, { account, ...flags }),
      ),
  );
}

function addAuditCommands(quire: Command, print: Print): void {
  const audit = quire
    .command('audit')
    .summary('Read the audit log')
    .description('Reads the audit log: who did what from where.');
  const listCommand = withAuditFilter(audit.command('list'))
    .summary('List entries, the newest first')
    .description(
      'Lists entries, the newest first, one a line: time, action, who did it, to what, and from which address. Tabs separate them.',
    )
    .option('--limit <number>', 'number of entries', '50')
    .addHelpText(
      'after',
      examples('quire audit list --actor ada', 'quire audit list --action sign-in.failed'),
    );
  withSettings(listCommand).action((flags: Flags & AuditFlags) =>
    withEngines(flags, (_engines, { auditLog }, { listAudit }) => listAudit({ auditLog, print }, flags)),
  );
  const exportCommand = withAuditFilter(audit.command('export'))
    .summary('Print entries as JSON, the oldest first')
    .description('Prints entries as JSON, one a line, the oldest first, in the form of the API.')
    .addHelpText('after', examples('quire audit export --since 2026-11-01 > audit.jsonl'));
  withSettings(exportCommand).action((flags: Flags & AuditFlags) =>
    withEngines(flags, (_engines, { auditLog }, { exportAudit }) =>
      exportAudit({ auditLog, printForSure }, flags).catch(unlessReaderIsGone),
    ),
  );
}

function withAuditFilter(command: Command): Command {
  return command
    .option('--since <time>', 'only entries from this day or time on')
    .option('--until <time>', 'only entries up to this day or time')
    .option('--actor <name>', 'only entries of this account')
    .option('--target <name>', 'only entries about this account, repository (with its owner) or other target')
    .option('--action <action>', 'only entries of this action, such as token.created');
}

function addRepositoryCommands(quire: Command, print: Print): void {
  const command = quire
    .command('repository')
    .summary('Manage repositories')
    .description('Manages repositories.')
    .command('purge <owner/name>')
    .summary('Delete the objects that no ref reaches')
    .description(
      'Deletes all objects of a repository that none of its refs reaches, such as a leaked secret, at once instead of after two weeks. Afterwards they cannot be fetched or read by their id. If a server runs, it does the work and this command waits for it.',
    )
    .addHelpText(
      'after',
      `\nFirst rewrite or delete every branch and tag that reaches the secret. The command names the\nrepositories of the same tree of forks: purge each one that has the secret, too.\n${examples('quire repository purge ada/engine')}`,
    );
  withSettings(command).action((path: string, flags: Flags) => {
    const config = readConfig(flags);
    openDataFolder(config.dataFolder);
    const unlock = tryLockDataFolder(config.dataFolder);
    const ownsFolder = unlock !== undefined;
    const work: CommandWork = (_engines, services, { purgeRepository }) =>
      purgeRepository({ ...services, print, ownsFolder }, path);
    return withEngines(flags, work, { ownsFolder }).finally(unlock);
  });
}

function addObjectCommands(quire: Command, print: Print): void {
  const command = quire
    .command('objects')
    .summary('Manage the object store')
    .description('Manages the object store.')
    .command('move')
    .summary('Copy all objects to another store')
    .description(
      'Copies all files of the object store to another one and compares each copy with its original. If it ends early, run it again: it continues. The originals stay.',
    )
    .requiredOption('--from <store>', 'where the objects are: folder, or s3://BUCKET/PREFIX?endpoint=URL')
    .requiredOption('--to <store>', 'where to copy them')
    .option('--verify-all', 'compare all contents again, also of objects that look complete')
    .option('--delete-extra', 'delete objects that only the target has')
    .addHelpText(
      'after',
      `\nTo be without the server for only a short time, run it first while the server runs, then stop the\nserver and run it again.\n${examples('quire objects move --from folder --to "s3://quire/site?endpoint=https://s3.example.org"')}`,
    );
  withSettings(command).action(async (flags: Flags & MoveFlags) => {
    const config = readConfig(flags);
    const { runMove } = await import('./move-objects.ts');
    await runMove(config, flags, print);
  });
}

function addNoteCommands(quire: Command, print: Print, status: { code: number }): void {
  const notes = quire
    .command('notes')
    .summary('Manage notes')
    .description('Manages notes, also while the server runs.');
  addReindexCommand(notes, print, status);
  addImportNotesCommand(notes, print, status);
}

function addReindexCommand(notes: Command, print: Print, status: { code: number }): void {
  const command = notes
    .command('reindex [account]')
    .summary('Rebuild the index of notes')
    .description(
      'Rebuilds the index of notes from their files in git: of one account, or of all. Notes keep their ids. Needed only if the database was damaged or edited by hand.',
    )
    .addHelpText('after', examples('quire notes reindex', 'quire notes reindex ada'));
  withSettings(command).action((account: string | undefined, flags: Flags) =>
    withEngines(flags, async (_engines, { accounts, notebookIndex }, { reindexNotes }) => {
      const isWhole = await reindexNotes({ accounts, notebookIndex, print, account });
      status.code = isWhole ? 0 : 1;
    }),
  );
}

function addMigrateCommand(quire: Command, print: Print): void {
  const migrateCommand = quire
    .command('migrate')
    .summary('Update the database schema')
    .description(
      'Updates the database schema to this version of the program. Every other command does this, too.',
    );
  withSettings(migrateCommand).action((flags: Flags) =>
    withEngines(flags, async () => print('the database is up to date')),
  );
}

function addDoctorCommand(quire: Command, print: Print, status: { code: number }): void {
  const doctorCommand = quire
    .command('doctor')
    .summary('Check the data')
    .description(
      'Checks that the database, git and the files on disk agree, and lists failed jobs. The exit status is 1 if there is a problem.',
    )
    .option('--import-refs <owner/name>', 'adopt refs that you changed by hand in the bare repository')
    .option('--retry-jobs', 'run failed jobs again, as soon as a server runs')
    .addHelpText('after', examples('quire doctor', 'quire doctor --import-refs ada/engine'));
  withSettings(doctorCommand).action((flags: Flags & { importRefs?: string; retryJobs?: boolean }) =>
    withEngines(flags, async (engines, services, { runDoctor }) => {
      const { importRefs = null, retryJobs = false } = flags;
      const isSound = await runDoctor({ ...engines, ...services, print, importRefs, retryJobs });
      status.code = isSound ? 0 : 1;
    }),
  );
}
