import type { SignedIn } from '../../../api/access/viewer.ts';
import type { Clock } from '../../../base/core/time/clock.ts';
import type { Credentials } from '../../../hosting/mirrors/model.ts';

/** What an import of a whole server takes, and where it goes. */
export interface SiteImportRequest {
  /** of the other server: the part before `/api/v1` */
  readonly url: URL;
  readonly credentials: Credentials;
  /** site administrator who owns what has no owner yet */
  readonly viewer: SignedIn;
  /** names of users and organizations there; `all`: all that the credentials show */
  readonly owners: readonly string[] | 'all';
  /** owner here of the repositories of the only one of `owners`; null: the one of the same name */
  readonly to: string | null;
  /** names here by names there, in lower case */
  readonly people: ReadonlyMap<string, string>;
  /** Users and organizations of the same name on both servers are the same, unless `people` says otherwise. */
  readonly sameNames: boolean;
  /** Reports the progress, a line at a time. */
  readonly onProgress: (line: string) => void;
  /** absent: the time of the system */
  readonly clock?: Clock;
}

/** What an import of a whole server has done. */
export interface SiteReport {
  users: number;
  organizations: number;
  teams: number;
  repositories: number;
  /** repositories that an earlier import has taken */
  present: number;
  readonly notTaken: string[];
}
