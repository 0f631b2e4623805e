import type { ChatBody, ChatRenderer } from './model.ts';

/**
 * Requests an update of a package, after pushes only.
 *
 * @see https://packagist.org/apidoc#update-a-package
 */
export const packagist: ChatRenderer = (_message, { config }, { name, payload }): ChatBody => {
  if (name !== 'push') return undefined;
  const repository = payload.repository as { readonly html_url?: unknown } | undefined;
  return { repository: { url: config.package_url ?? repository?.html_url } };
};
