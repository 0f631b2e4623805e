import { Command, CommanderError, Option } from 'commander';
import { createUser, listUsers, resetPassword } from '../admin/accounts.ts';
import { runDoctor } from '../admin/doctor.ts';
import { createToken } from '../admin/tokens.ts';
import { ForgeError } from '../core/failure.ts';
import { DatabaseTooNewError } from '../database/migrate.ts';
import { GitUnusableError } from '../git/processes/git-version.ts';
import { addressesOf } from '../http/app.ts';
import { createServices, type Engines, openEngines, type Services } from './compose.ts';
import { type Config, ConfigError, type Flags, readConfig, SETTINGS } from './config.ts';
import { serve } from './serve.ts';
import { VERSION } from './version.ts';

/** Where commands print what they were asked for. */
export type Print = (line: string) => void;

/**
 * Runs one command.
 *
 * @returns the exit status; whatever went wrong has been said in one line
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const status = { code: 0 };
  try {
    await program(status).parseAsync(words, { from: 'user' });
    return status.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

function program(status: { code: number }): Command {
  const print: Print = (line) => process.stdout.write(`${line}\n`);
  const quire = new Command('quire')
    .description('A server for git repositories that speaks the Gitea/Forgejo API and git over HTTP')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)');
  withSettings(quire.command('serve').description('run the server until it is told to stop')).action(
    (flags: Flags) => serve(readConfig(flags)),
  );
  addAdminCommands(quire, print);
  addTokenCommands(quire, print);
  withSettings(quire.command('migrate'))
    .description('bring the database to this version of the program and stop')
    .action((flags: Flags) => withEngines(flags, async () => print('the database is up to date')));
  withSettings(quire.command('doctor'))
    .description('check that rows, mirrors, objects and git agree; exit status 1 where they do not')
    .option('--import-refs <owner/name>', 'take in refs that were changed by hand in the bare repository')
    .option('--retry-jobs', 'try jobs again that were given up, as soon as a server runs')
    .action((flags: Flags & { importRefs?: string; retryJobs?: boolean }) =>
      withEngines(flags, async (engines, services) => {
        const sound = await runDoctor({
          ...engines,
          ...services,
          print,
          importRefs: flags.importRefs ?? null,
          retryJobs: flags.retryJobs ?? false,
        });
        status.code = sound ? 0 : 1;
      }),
    );
  return quire;
}

function addAdminCommands(quire: Command, print: Print): void {
  const admin = quire.command('admin').description('accounts, from the machine the server runs on');
  withSettings(admin.command('create-user <name>'))
    .description('make an account')
    .requiredOption('--email <address>', 'e-mail address')
    .option('--password <password>', 'its password (generated and printed where none is given)')
    .option('--admin', 'make it a site administrator')
    .action((name: string, flags: Flags & { email: string; password?: string; admin?: boolean }) =>
      withEngines(flags, (_engines, { accounts }) => createUser({ accounts, print }, { name, ...flags })),
    );
  withSettings(admin.command('reset-password <name>'))
    .description('give an account a new password; whoever is signed in with the old one is signed out')
    .option('--password <password>', 'the new password (generated and printed where none is given)')
    .action((name: string, flags: Flags & { password?: string }) =>
      withEngines(flags, (_engines, { accounts }) => resetPassword({ accounts, print }, { name, ...flags })),
    );
  withSettings(admin.command('list-users'))
    .description('list all accounts: id, name, e-mail, and what is special about them')
    .action((flags: Flags) => withEngines(flags, (_engines, { accounts }) => listUsers({ accounts, print })));
}

function addTokenCommands(quire: Command, print: Print): void {
  const token = quire.command('token').description('access tokens');
  withSettings(token.command('create <account>'))
    .description('make a token for an account and print it')
    .requiredOption('--name <name>', 'what the token is called')
    .option('--scopes <list>', 'what it is good for, with commas between', 'all')
    .action((account: string, flags: Flags & { name: string; scopes: string }) =>
      withEngines(flags, (_engines, services) => createToken({ ...services, print }, { account, ...flags })),
    );
}

/** Every command takes the settings, so that it finds the same data as the server. */
function withSettings(command: Command): Command {
  for (const setting of Object.values(SETTINGS)) {
    if (!('flag' in setting)) continue;
    const fallback = setting.fallback === '' ? '' : ` [${setting.fallback}]`;
    const about = `${setting.about}${fallback} (${setting.variable})`;
    command.addOption(new Option(`--${setting.flag} <value>`, about));
  }
  return command.addOption(new Option('--config <file>', 'a JSON file with settings (QUIRE_CONFIG)'));
}

async function withEngines(
  flags: Flags,
  work: (engines: Engines, services: Services) => Promise<void>,
): Promise<void> {
  const config = readConfig(flags);
  const engines = await openEngines(config);
  try {
    await work(engines, createServices(engines, addressesOf(localAddress(config))));
  } finally {
    await engines.close();
  }
}

function localAddress(config: Config): string {
  return config.baseUrl ?? `http://${config.host}:${config.port}`;
}

/** One line for the operator; a fault nobody foresaw keeps its stack, so that it can be reported. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DatabaseTooNewError) return `quire: ${error.message}`;
  if (error instanceof GitUnusableError) return `quire: ${error.message}`;
  if (error instanceof ForgeError) return `quire: ${error.message}`;
  if (isConnectionProblem(error)) return `quire: the database cannot be reached: ${connectionProblem(error)}`;
  return `quire: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

const CONNECTION_CODES = /^(?:ECONN|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|28|3D|57P)/;

function isConnectionProblem(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (typeof code === 'string' && CONNECTION_CODES.test(code)) || /timeout.*connect/i.test(error.message);
}

/** A name with several addresses fails once for each of them, in an error without a message of its own. */
function connectionProblem(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
}
