import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startSource } from '../../base/outbound/servers.ts';
import { git, runGit, temporaryFolder } from '../../support/git/git.ts';

/** A server with git's own http-backend, and the repository `engine.git` in it. */
export interface Backend {
  readonly url: string;
  /** of the repository on disk; tests change it there */
  readonly folder: string;
  /** requests so far, with their bodies */
  readonly requests: { readonly path: string; readonly authorization: string; readonly body: string }[];
}

export interface BackendOptions {
  /** value of `Authorization` that the server requires */
  readonly authorization?: string;
  /** sends nothing of protocol 2 */
  readonly isOld?: boolean;
  /** Answers a request instead of git. Returns whether it did. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse, body: Buffer) => Promise<boolean>;
  readonly objectFormat?: string;
  /** settings of the repository */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a source with one empty repository. */
export async function startBackend(t: TestContext, options: BackendOptions = {}): Promise<Backend> {
  const root = await temporaryFolder(t);
  const folder = join(root, 'engine.git');
  await git(root, [
    'init',
    '-q',
    '--bare',
    '-b',
    'main',
    `--object-format=${options.objectFormat ?? 'sha1'}`,
    folder,
  ]);
  for (const [name, value] of Object.entries({ 'http.receivepack': 'false', ...options.settings }))
    await git(folder, ['config', name, value]);
  const requests: Backend['requests'][number][] = [];
  const port = await startSource(t, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { authorization = '' } = request.headers;
    requests.push({ path: request.url ?? '', authorization, body: body.toString('latin1') });
    if (options.authorization !== undefined && authorization !== options.authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="source"' }).end();
    } else if ((await options.intercept?.(request, response, body)) !== true) {
      await answer(root, request, response, { body, isOld: options.isOld === true });
    }
  });
  return { url: `http://127.0.0.1:${port}/engine.git`, folder, requests };
}

/** Runs git's CGI program. @see git-http-backend(1) */
async function answer(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  { body, isOld }: { body: Buffer; isOld: boolean },
): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://source');
  const { 'git-protocol': protocol = '', 'content-type': type = '' } = request.headers;
  const { stdout: output } = await runGit(root, ['http-backend'], {
    input: body,
    environment: {
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method ?? '',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: type,
      CONTENT_LENGTH: `${body.length}`,
      ...(isOld ? {} : { GIT_PROTOCOL: `${protocol}` }),
    },
  });
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .toString('latin1', 0, end)
    .split('\r\n')
    .map((line) => line.split(/: (.*)/s, 2) as [string, string]);
  const status = Number.parseInt(headers.find(([name]) => name === 'Status')?.[1] ?? '200', 10);
  response.writeHead(status, headers.filter(([name]) => name !== 'Status').flat());
  response.end(output.subarray(end + 4));
}

/** Commits a file to a branch of a bare repository. @returns the id of the commit */
export async function commitTo(
  folder: string,
  branch: string,
  text: string,
  options: { onto?: string | null } = {},
): Promise<string> {
  const blob = await git(folder, ['hash-object', '-w', '--stdin'], { input: text });
  const tree = await git(folder, ['mktree'], { input: `100644 blob ${blob}\tfile\n` });
  const onto = options.onto === undefined ? await tipOf(folder, branch) : options.onto;
  const parent = onto === null ? [] : ['-p', onto];
  const commit = await git(folder, ['commit-tree', ...parent, '-m', text.slice(0, 50), tree]);
  await git(folder, ['update-ref', `refs/heads/${branch}`, commit]);
  return commit;
}

async function tipOf(folder: string, branch: string): Promise<string | null> {
  const refs = await git(folder, ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`]);
  return refs === '' ? null : refs;
}

/** Returns the refs that a copy takes, with their ids. */
export async function refsAt(folder: string, remote = '.'): Promise<readonly string[]> {
  const lines = (await git(folder, ['ls-remote', remote])).split('\n');
  return lines.filter((line) => /\trefs\/(?:heads|tags|notes)\//.test(line) && !line.endsWith('^{}')).sort();
}
