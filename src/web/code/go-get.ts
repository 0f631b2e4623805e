import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../base/core/text/html.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';

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

/** Whether the go command asks, which may name a package below the repository. */
export function isForGo(query: { readonly 'go-get'?: string }): boolean {
  return query['go-get'] === '1';
}

/** Answers the go command. @throws ForgeError as `Repositories.get` */
export async function answerGo(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: RepositoryPath,
  { repositories, addresses }: { readonly repositories: Repositories; readonly addresses: Addresses },
): Promise<FastifyReply> {
  const { repository } = await repositories.get(request.viewer, asked, REPOSITORY.read);
  return sendGoImport(reply, { repository, asked, addresses });
}
