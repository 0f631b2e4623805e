import type { Command } from 'commander';
import { secretHelp, secretOf, textOfFile } from './ask.ts';
import { examples, withEngines, withSettings } from './command.ts';
import { ConfigError, type Flags } from './config.ts';
import type { Print } from './print.ts';

export function addImportSiteCommand(quire: Command, print: Print, status: { code: number }): void {
  const command = quire
    .command('import')
    .summary('Import repositories from another Gitea, Forgejo or Quire server')
    .description(
      'Imports the repositories of users and organizations of another server, with large files, labels, milestones, issues and comments; organizations with their teams; and with --all and the token of an administrator also users. If it ends early, run it again: it continues. You may run it while the server runs. The exit status is 1 if something could not be taken; the report names it.',
    )
    .requiredOption('--from <url>', 'address of the other server')
    .requiredOption('--as <name>', 'site administrator here, who creates what is imported')
    .option('--owner <name...>', 'user or organization there, also several')
    .option('--all', 'all users and organizations that the token shows')
    .option('--to <name>', 'owner here of the repositories of one --owner (default: the same name)')
    .option('--same-people', 'users and organizations of the same name on both servers are the same')
    .option('--people <file>', 'file with names of the same people, there and here, a line each')
    .option('--token-file <file>', 'file with an access token of the other server')
    .addHelpText(
      'after',
      examples(
        'quire import --from https://git.example.org --as root --owner guild --token-file token.txt',
        'quire import --from https://git.example.org --as root --all --same-people',
      ),
    )
    .addHelpText('after', `\n${secretHelp('token')}`);
  withSettings(command).action(async (flags: Flags & SiteImportFlags) => {
    requireOwners(flags);
    const token = await secretOf('token', flags.tokenFile);
    const people = flags.people === undefined ? null : await textOfFile(flags.people);
    await withEngines(flags, async (engines, services, { importSite }) => {
      const isAll = await importSite({ ...engines, ...services, print }, { ...flags, token, people });
      status.code = isAll ? 0 : 1;
    });
  });
}

interface SiteImportFlags {
  readonly from: string;
  readonly as: string;
  readonly owner?: readonly string[];
  readonly all?: boolean;
  readonly to?: string;
  readonly samePeople?: boolean;
  readonly people?: string;
  readonly tokenFile?: string;
}

/** @throws ConfigError */
function requireOwners({ owner = [], all = false, to }: SiteImportFlags): void {
  if (all === owner.length > 0) throw new ConfigError('give either --owner with names, or --all');
  if (to !== undefined && owner.length !== 1) throw new ConfigError('--to needs one --owner');
}

export function addImportNotesCommand(notes: Command, print: Print, status: { code: number }): void {
  const command = notes
    .command('import [path]')
    .summary('Import notes from other apps, a folder or a Nextcloud server')
    .description(
      'Imports the notes of a folder, a zip archive or a file: a vault of Obsidian, a graph of Logseq, the Markdown with front matter of Joplin, ENEX files of Evernote, Google Takeout of Keep, the export of Simplenote or a decrypted backup of Standard Notes. Every other text file becomes a note, in the category of its folder, and the files beside it keep their paths. With --from, imports the notes of a user of a Nextcloud server, with the files that they name. If it ends early, run it again: it imports what is missing or has changed, and replaces nothing that you have changed here. You may run it while the server runs. The exit status is 1 if a file could not be taken; the report names each.',
    )
    .requiredOption('--user <name>', 'user who gets the notes')
    .option('--category <category>', 'category below which the folders begin (default: none)')
    .option('--from <url>', 'address of a Nextcloud server')
    .option('--remote-user <name>', 'user on that server (default: the same)')
    .option('--password-file <file>', 'file with an app password of that user')
    .addHelpText(
      'after',
      examples(
        'quire notes import ~/Nextcloud/Notes --user ada',
        'quire notes import takeout.zip --user ada --category Imported/Keep',
        'quire notes import --from https://cloud.example.org --user ada --password-file secret.txt',
      ),
    )
    .addHelpText('after', `\n${secretHelp('password')}`);
  withSettings(command).action((path: string | undefined, flags: Flags & NoteImportFlags) =>
    withNoteImport(path, flags, print).then((isAll) => {
      status.code = isAll ? 0 : 1;
    }),
  );
}

interface NoteImportFlags {
  readonly user: string;
  readonly category?: string;
  readonly from?: string;
  readonly remoteUser?: string;
  readonly passwordFile?: string;
}

async function withNoteImport(
  path: string | undefined,
  flags: Flags & NoteImportFlags,
  print: Print,
): Promise<boolean> {
  const { from: url, user, remoteUser: username = user, category, passwordFile } = flags;
  if ((path === undefined) === (url === undefined))
    throw new ConfigError(
      'give either a folder, archive or file of notes, or --from with the address of a server',
    );
  if (url !== undefined && category !== undefined)
    throw new ConfigError(
      '--category is for folders, archives and files: notes of a server keep their categories',
    );
  const password = url === undefined ? '' : await secretOf('password', passwordFile);
  let isAll = false;
  await withEngines(flags, async (engines, services, { importNotes, importNotesFrom }) => {
    const tools = { ...engines, ...services, print };
    isAll =
      url === undefined
        ? await importNotes(tools, {
            path: path ?? '',
            user,
            ...(category === undefined ? {} : { category }),
          })
        : await importNotesFrom(tools, { url, user, credentials: { username, password } });
  });
  return isAll;
}
