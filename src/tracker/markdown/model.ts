import type { Viewer } from '../../api/access/viewer.ts';
import type { ExternalTracker } from '../../hosting/repositories/units.ts';
import type { CommitReference, IssueReference } from '../references/model.ts';

/**
 * What a text is. `markdown`: no references. `comment`: line breaks stay. `gfm`, `wiki`: a document with references.
 * `file`: a file, which is rendered by its name.
 */
export type Mode = 'markdown' | 'gfm' | 'comment' | 'wiki' | 'file';

export interface RenderRequest {
  readonly text: string;
  readonly mode: Mode;
  /** page to which relative links belong, as a URL, as a path, or as `owner/repo`; '' for none */
  readonly context: string;
  /** such as `branch/main`, for a context without one */
  readonly branchPath?: string | undefined;
  /** path of the file, for its name */
  readonly filePath?: string | undefined;
}

/** The folders of relative addresses, as URLs that end with `/`. */
export interface LinkBases {
  readonly links: string;
  readonly images: string;
}

/** Work for the thread that renders. */
export interface RenderWork {
  readonly text: string;
  readonly baseUrl: string;
  /** Line breaks stay. */
  readonly keepsLines: boolean;
  /** absent: addresses stay relative */
  readonly bases?: LinkBases | undefined;
  /** absent: references stay text */
  readonly references?: {
    /** Whether `#3` without a repository counts. */
    readonly withNumbers: boolean;
    readonly tracker?: Pick<ExternalTracker, 'style' | 'pattern'> | undefined;
  };
}

/** A part of the rendered text that becomes a link if its target exists and the viewer may see it. */
export interface LinkPart {
  readonly label: string;
  readonly target: LinkTarget;
  /** for a target that is written as a URL: it stays a link to that URL in any case */
  readonly url?: string;
}

export type LinkTarget =
  | { readonly kind: 'mention'; readonly name: string }
  | { readonly kind: 'issue'; readonly issue: IssueReference }
  | { readonly kind: 'commit'; readonly commit: CommitReference }
  /** an issue of an external tracker */
  | { readonly kind: 'external'; readonly index: string };

/** HTML and the links in it, in their order. */
export type RenderedPart = string | LinkPart;

export type RenderAnswer =
  | { readonly parts: readonly RenderedPart[] }
  /** why the text cannot be rendered, for its author */
  | { readonly why: string };

/** An issue or a pull request by the path of its repository. */
export interface IssuePath {
  readonly owner: string;
  readonly name: string;
  readonly number: number;
}

/** Finds the targets of references. Issues supply it. */
export interface IssueFinder {
  /**
   * Returns what has each number: undefined if nothing has, or if the viewer may not see it. It looks up all of them with
   * few statements.
   */
  kindsOf(viewer: Viewer, paths: readonly IssuePath[]): Promise<readonly ('issue' | 'pull' | undefined)[]>;
}
