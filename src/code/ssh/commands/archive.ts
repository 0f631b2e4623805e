import { ForgeError, invalid } from '../../../base/core/failure.ts';
import { withoutControls } from '../../../base/core/text/text.ts';
import { FLUSH, PktReader, pktLine, sideBand } from '../../../git/format/pkt-line.ts';
import { isOwnRef } from '../../../git/format/ref-names.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';
import type { ArchiveOptions } from '../../../git/interface/transfers.ts';
import { takenAtPace } from '../../../http/pace.ts';
import type { Transport } from '../../transport/service.ts';
import type { FetchSource } from '../../transport/targets.ts';
import { SSH_LIMITS } from '../limits.ts';
import type { SshClient } from '../model.ts';
import { begun, ClientInput, paceOf } from './input.ts';

type Wanted = Pick<ArchiveOptions, 'format' | 'prefix' | 'paths' | 'level'> & { readonly ref: string };

const ARGUMENT = 'argument ';
const FORMATS: Readonly<Record<string, ArchiveOptions['format']>> = {
  tar: 'tar',
  zip: 'zip',
  tgz: 'tar.gz',
  'tar.gz': 'tar.gz',
};

/**
 * Sends the files of a commit to `git archive --remote`. Options that name files of the server do not exist here.
 *
 * @see git-upload-archive(1): arguments, an acknowledgment, and the archive in side bands
 */
export async function serveArchiveOverSsh(
  client: SshClient,
  { transport, repository }: { readonly transport: Transport; readonly repository: FetchSource },
): Promise<void> {
  const { patienceMs } = transport.transfers.settings;
  const input = new ClientInput(client, patienceMs);
  const args = await readArguments(new PktReader(input.read()));
  const archive = await open(client, transport, repository, args).catch((error) => refuse(client, error));
  if (archive === undefined) return;
  await client.write(Buffer.concat([pktLine('ACK\n'), FLUSH]));
  try {
    for await (const chunk of takenAtPace(paceOf(client, patienceMs), archive))
      for (const packet of sideBand(1, chunk)) await client.write(packet);
    await client.write(FLUSH);
  } catch (error) {
    client.left.throwIfAborted();
    const isKnown = error instanceof ForgeError;
    if (!isKnown) client.log.error({ err: error }, 'an archive over SSH failed');
    const what = isKnown ? error.message : 'internal server error';
    for (const packet of sideBand(3, Buffer.from(`${what}\n`))) await client.write(packet);
  }
}

async function refuse(client: SshClient, error: unknown): Promise<undefined> {
  if (!(error instanceof ForgeError)) throw error;
  await client.write(pktLine(`NACK ${withoutControls(error.message)}\n`));
}

async function open(
  client: SshClient,
  transport: Transport,
  repository: FetchSource,
  args: readonly string[],
): Promise<AsyncIterable<Buffer>> {
  if (args.some((arg) => arg === '-l' || arg === '--list')) return formatList();
  const { ref, ...options } = parseArguments(args);
  const snapshot = await transport.open(repository);
  const oid = await commitOf(snapshot, ref);
  return begun(transport.transfers.archive({ snapshot, oid }, { ...options, signal: client.left }));
}

async function* formatList(): AsyncGenerator<Buffer> {
  yield Buffer.from(
    Object.keys(FORMATS)
      .map((name) => `${name}\n`)
      .join(''),
  );
}

/** @throws ForgeError `bad_request` */
async function readArguments(reader: PktReader): Promise<readonly string[]> {
  const args: string[] = [];
  for (;;) {
    const packet = await reader.next();
    if (packet === null) return args;
    const text = packet?.toString('utf8').replace(/\n$/, '') ?? '';
    if (!text.startsWith(ARGUMENT) || text.length > SSH_LIMITS.archiveArgumentBytesMax || text.includes('\0'))
      throw new ForgeError({ kind: 'bad_request', what: 'malformed argument of an archive' });
    args.push(text.slice(ARGUMENT.length));
    if (args.length > SSH_LIMITS.archiveArgumentsMax)
      throw new ForgeError({ kind: 'bad_request', what: 'too many arguments for an archive' });
  }
}

/** @throws ForgeError `invalid` */
function parseArguments(args: readonly string[]): Wanted {
  let format: ArchiveOptions['format'] = 'tar';
  let prefix = '';
  let level: number | undefined;
  const rest: string[] = [];
  let areOptionsOver = false;
  for (const arg of args) {
    if (areOptionsOver || !arg.startsWith('-')) rest.push(arg);
    else if (arg === '--') areOptionsOver = true;
    else if (arg.startsWith('--format=')) format = formatOf(arg.slice('--format='.length));
    else if (arg.startsWith('--prefix=')) prefix = arg.slice('--prefix='.length);
    else if (/^-[0-9]$/.test(arg)) level = Number(arg.slice(1));
    else if (arg !== '-v' && arg !== '--verbose')
      throw invalid(`this server has no option ${arg} for archives`);
  }
  const [ref, ...paths] = rest;
  if (ref === undefined) throw invalid('name a branch or a tag for the archive');
  return { ref, format, prefix, paths, level: format === 'tar' ? undefined : level };
}

function formatOf(name: string): ArchiveOptions['format'] {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined) throw invalid(`unknown archive format ${name}`);
  return format;
}

/** Where git looks for a short name. @see gitrevisions(7) */
const PLACES = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];

/** @throws ForgeError `invalid` unless a ref that clients see leads to a commit */
async function commitOf(snapshot: Snapshot, ref: string): Promise<string> {
  const names = ref === 'HEAD' ? [snapshot.head] : PLACES.map((place) => `${place}${ref}`);
  const name = names.find((each) => !isOwnRef(each) && snapshot.ref(each) !== undefined);
  const tip = name === undefined ? undefined : snapshot.ref(name);
  const commit = tip === undefined ? undefined : await snapshot.objects.peelToCommit(tip);
  if (commit === undefined) throw invalid(`no such branch or tag: ${ref}`);
  return commit;
}
