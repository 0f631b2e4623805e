import type { Action } from '../../../src/api/access/actions.ts';
import type { Level } from '../../../src/api/access/levels.ts';
import type { SendOptions } from '../../support/http/http.ts';

/** One request to a route. Its content is valid only as far as the request changes nothing for the probes after it. */
export interface Probe {
  /** heading of its column in the matrix */
  readonly label: string;
  readonly method: string;
  /** the route as it is registered */
  readonly url: string;
  readonly action: Action;
  /** level that the change needs, where that of the action only begins it */
  readonly neededLevel?: Level;
  /** values of parameters, where the usual ones do not fit; words in capitals are replaced when the probe runs */
  readonly filled?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly sent?: SendOptions;
  /** The request names something that does not exist: it is answered with 404 where it is granted. */
  readonly isOfMissing?: true;
  /** status for signed-in callers who do not see the repository; 404 by default */
  readonly hiddenStatus?: 401;
}

/** What `test/<wing>/<feature>/probes.ts` exports as `PROBES`. Together, the features have a probe for every route. */
export interface FeatureProbes {
  /** on one repository */
  readonly repository?: readonly Probe[];
  /** on an organization and its teams */
  readonly organization?: readonly Probe[];
  /** on accounts and notes; `:username` is the viewer, unless the probe says otherwise */
  readonly others?: readonly Probe[];
  /** routes with the same response for everyone, such as `GET /metrics` */
  readonly open?: readonly string[];
  /** ids of operations that the client in the tests lacks: those of another dialect of the API, and newer ones */
  readonly ownOperations?: readonly string[];
}

export const REPOSITORY_URL = '/api/v1/repos/:owner/:repo';
export const ORGANIZATION_URL = '/api/v1/orgs/:org';
export const TEAM_URL = '/api/v1/teams/:id';

export const IN_TEAM = { ':id': 'TEAM', ':username': 'team-writer' };
export const IN_OWNERS = { ':id': 'OWNERS', ':username': 'gil' };
export const NO_NAME: SendOptions = { json: { name: 'not a name' } };

/** Names a route. The notes API has the same routes at two addresses, which count as one. */
export function routeName(method: string, url: string): string {
  return `${method} ${url.replace(/^\/index\.php(?=\/)/, '')}`;
}

const USUAL: Readonly<Record<string, string>> = {
  ':repo': 'engine',
  ':template_repo': 'engine',
  ':collaborator': 'reader',
  ':team': 'team-writer',
  ':org': 'guild',
  ':token': '999999',
  ':id': '999999',
  ':file': 'start.js',
  ':branch': 'main',
  ':hash': '0123456789abcdef0123456789abcdef',
  '*': 'README.md',
};

/** Returns the path of a request: the route with values in place of its parameters. */
export function pathOf(url: string, values: Readonly<Record<string, string>>): string {
  const filled: Readonly<Record<string, string>> = { ...USUAL, ...values };
  return url.replaceAll(/\(\^[^)]*\)/g, '').replaceAll(/:\w+|\*/g, (name) => filled[name] ?? 'x');
}
