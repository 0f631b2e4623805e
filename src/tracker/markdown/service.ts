import type { Viewer } from '../../api/access/viewer.ts';
import { invalid, undefinedIf } from '../../base/core/failure.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses } from '../../http/app.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { type Context, linkBasesOf, parseContext } from './context.ts';
import type { MarkdownEngine } from './engine.ts';
import { ReferenceLinks } from './links.ts';
import type { IssueFinder, Mode, RenderedPart, RenderRequest, RenderWork } from './model.ts';

interface Dependencies {
  readonly engine: MarkdownEngine;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly issues: IssueFinder;
  readonly addresses: Addresses;
}

/** Who reads a text, and the repository to which it belongs. */
interface Reader {
  readonly viewer: Viewer;
  readonly permitted: PermittedRepository | undefined;
}

const MARKDOWN_FILE = /\.(?:md|markdown|mdown|mkd|livemd)$/i;

/** Renders texts as HTML that a page may show. References lead only to what the viewer may see. */
export class Markdown {
  readonly #use: Dependencies;
  readonly #links: ReferenceLinks;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    this.#links = new ReferenceLinks(dependencies);
  }

  /** @throws ForgeError `invalid` for a file of another kind, or a text that takes too long; `busy` */
  async render(viewer: Viewer, request: RenderRequest): Promise<string> {
    const { text, mode } = request;
    if (mode === 'file') requireMarkdownFile(request.filePath ?? '');
    if (text === '') return '';
    const { reader, work } = await this.#begin(viewer, request);
    const parts = await this.#use.engine.render({ ...work, text });
    const [html = ''] = await this.#joined(reader, [parts]);
    return html;
  }

  /**
   * Renders the texts of one page as `render` does. Looks up what they refer to with few statements, so the limits on
   * references hold for all of them together.
   *
   * @returns the HTML of each text; undefined for one that cannot be rendered
   */
  async renderAll(
    viewer: Viewer,
    texts: readonly string[],
    request: Omit<RenderRequest, 'text' | 'filePath'>,
  ): Promise<readonly (string | undefined)[]> {
    const { reader, work } = await this.#begin(viewer, request);
    const rendered: (readonly RenderedPart[] | undefined)[] = [];
    // One at a time: other callers share the thread.
    for (const text of texts)
      rendered.push(
        text === ''
          ? []
          : await this.#use.engine.render({ ...work, text }).catch(undefinedIf('invalid', 'busy')),
      );
    const joined = await this.#joined(
      reader,
      rendered.map((parts) => parts ?? []),
    );
    return joined.map((html, index) => (rendered[index] === undefined ? undefined : html));
  }

  async #begin(
    viewer: Viewer,
    { mode, ...page }: Omit<RenderRequest, 'text'>,
  ): Promise<{ readonly reader: Reader; readonly work: Omit<RenderWork, 'text'> }> {
    const { addresses } = this.#use;
    const context = parseContext(page.context, {
      addresses,
      branchPath: page.branchPath,
      isWiki: mode === 'wiki',
    });
    const permitted = await this.#repositoryOf(viewer, context);
    const work = {
      baseUrl: addresses.baseUrl,
      keepsLines: mode === 'comment',
      bases: linkBasesOf(context, permitted?.repository, addresses),
      ...referencesOf(mode, permitted),
    };
    return { reader: { viewer, permitted }, work };
  }

  async #repositoryOf(viewer: Viewer, { repository }: Context): Promise<PermittedRepository | undefined> {
    return repository && this.#use.repositories.findFor(viewer, repository, REPOSITORY.read);
  }

  async #joined(reader: Reader, texts: readonly (readonly RenderedPart[])[]): Promise<readonly string[]> {
    const links = texts.flatMap((parts) => parts.filter((part) => typeof part !== 'string'));
    if (links.length === 0) return texts.map((parts) => parts.join(''));
    const resolved = await this.#links.resolve(reader, links);
    return texts.map((parts) =>
      parts.map((part) => (typeof part === 'string' ? part : (resolved.get(part)?.html ?? ''))).join(''),
    );
  }
}

function requireMarkdownFile(path: string): void {
  if (MARKDOWN_FILE.test(path)) return;
  const [extension = ''] = /\.[^./]*$/.exec(path) ?? [];
  throw invalid(`Unsupported render extension: ${extension}`);
}

/** In a file, `#1` rarely means an issue. */
function referencesOf(
  mode: Mode,
  permitted: PermittedRepository | undefined,
): Pick<RenderWork, 'references'> {
  if (mode === 'markdown') return {};
  const issues = permitted?.repository.units.issues;
  const tracker =
    issues?.kind === 'external' && issues.format !== ''
      ? { tracker: { style: issues.style, pattern: issues.pattern } }
      : {};
  return { references: { withNumbers: permitted !== undefined && mode !== 'file', ...tracker } };
}
