import { type Html, html } from '../../base/core/text/html.ts';
import type { Addresses } from '../../http/app.ts';
import type { ProviderSettings } from '../../people/external/model.ts';

/** Returns links to sign in at providers. They are no forms, because the policy of a page also binds their redirects. */
export function providerLinks(
  providers: readonly Pick<ProviderSettings, 'name' | 'displayName'>[],
  { redirectTo, addresses }: { readonly redirectTo: string; readonly addresses: Addresses },
): Html {
  const query = redirectTo === '' ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`;
  const links = providers.map(
    ({ name, displayName }) =>
      html`<a class="button" href="${addresses.baseUrl}/user/oauth2/${name}${query}">Sign in with ${displayName}</a>
`,
  );
  return html`${links}`;
}
