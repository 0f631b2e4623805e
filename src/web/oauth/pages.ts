import type { Addresses, App } from '../../http/app.ts';
import type { OAuthApplications } from '../../people/oauth/service.ts';
import type { OAuthGrants } from '../../people/oauth-grants/service.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { applicationPages } from './application-pages.ts';
import { authorizePages } from './authorize-pages.ts';
import { grantPages, grantsHtml } from './grant-pages.ts';

interface Dependencies {
  readonly oauthApplications: OAuthApplications;
  readonly oauthGrants: OAuthGrants;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

/** Registers the pages of OAuth2. */
export function oauthPages(app: App, dependencies: Dependencies): void {
  authorizePages(app, dependencies);
  grantPages(app, dependencies);
  applicationPages(app, dependencies, (request, reply, viewer) =>
    grantsHtml(request, reply, viewer, dependencies),
  );
}
