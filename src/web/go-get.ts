import type { FastifyReply } from 'fastify';
import { html } from '../base/core/text/html.ts';
import type { Repository, RepositoryPath } from '../hosting/repositories/model.ts';
import { repositoryAddresses } from '../hosting/repositories/present.ts';
import type { Addresses } from '../http/app.ts';
import { sendPage } from '../http/page.ts';

/**
 * Sends the page from which the go command learns where the repository of an import path is. The command compares the
 * path in the page with the import path by letter case, so the page repeats the request's spelling.
 *
 * @param asked path of the repository as the request has it
 * @see https://go.dev/ref/mod#vcs-find
 */
export function sendGoImport(
  reply: FastifyReply,
  { repository, asked, addresses }: { repository: Repository; asked: RepositoryPath; addresses: Addresses },
): FastifyReply {
  const { htmlUrl } = repositoryAddresses(repository, addresses);
  const host = addresses.baseUrl.replace(/^https?:\/\//, '');
  const prefix = `${host}/${asked.owner}/${asked.name}`;
  const source = `${htmlUrl}/src/branch/${repository.defaultBranch}`;
  const head = html`<meta name="go-import" content="${prefix} git ${htmlUrl}.git">
<meta name="go-source" content="${prefix} _ ${source}{/dir} ${source}{/dir}/{file}#L{line}">
`;
  return sendPage(reply, { title: prefix, head, body: html`<pre>go get ${prefix}</pre>` });
}
