import { invalid } from '../../base/core/failure.ts';
import type { Oid } from '../../git/format/model.ts';
import type { StoredTree } from '../../git/format/stored-tree.ts';
import { WIKI_PAGE_LIMITS } from './limits.ts';
import { addressOfTitle, fileOfAddress, fileOfTitle, stemOfFile, titleOfName } from './names.ts';

/** A page of a wiki, without its content. */
export interface PageFile {
  readonly title: string;
  readonly address: string;
  /** name of its file, in the root of the tree */
  readonly file: string;
  readonly blob: Oid;
}

/**
 * The pages in one tree. Files that git has pushed may have names that the API would not give. Each of them is a page with
 * an address of its own: that of its title if no other page has it, and otherwise the name of the file. A file whose name is
 * too long for file systems is no page.
 */
export class PageIndex {
  /** in the order of the tree */
  readonly pages: readonly PageFile[];
  readonly #byAddress: ReadonlyMap<string, PageFile>;
  readonly #byFile: ReadonlyMap<string, PageFile>;

  /** of the tree, also those that are not pages */
  readonly entriesCount: number;

  /** @throws ForgeError `invalid` for a tree with too many entries */
  constructor(tree: Pick<StoredTree, 'entries' | 'size'>) {
    const { entriesMax, fileNameBytesMax } = WIKI_PAGE_LIMITS;
    if (tree.size > entriesMax)
      throw invalid(`this wiki has more than ${entriesMax} files in its root: use git to read it`);
    this.entriesCount = tree.size;
    const files = tree.entries.flatMap(({ mode, name, oid }) => {
      const isPage = (mode === '100644' || mode === '100755') && name.length <= fileNameBytesMax;
      const stem = isPage ? stemOfFile(name) : undefined;
      return stem === undefined ? [] : [{ file: name, blob: oid, title: titleOfName(stem) ?? stem }];
    });
    const taken = new Set(
      files
        .filter(({ file, title }) => fileOfTitle(title) === file)
        .map(({ title }) => addressOfTitle(title)),
    );
    this.pages = files.map((page) => {
      const address = addressOfTitle(page.title);
      const isUsual = fileOfTitle(page.title) === page.file;
      const leadsBack = titleOfName(address) === page.title;
      if (!isUsual && (taken.has(address) || !leadsBack))
        return { ...page, address: encodeURIComponent(page.file) };
      taken.add(address);
      return { ...page, address };
    });
    this.#byAddress = new Map(this.pages.map((page) => [page.address, page]));
    this.#byFile = new Map(this.pages.map((page) => [page.file, page]));
  }

  /**
   * Finds a page by its address.
   *
   * @param address as it is in a URL, with its escapes. Other ways to write the same one are accepted
   */
  find(address: string): PageFile | undefined {
    const file = fileOfAddress(address);
    if (file !== undefined) return this.#byFile.get(file);
    const title = titleOfName(address);
    return title === undefined ? undefined : this.#byAddress.get(addressOfTitle(title));
  }

  /** Finds the page whose title or file could be confused with those of a new page: they differ in letter case at most. */
  findSimilar(title: string, options: { readonly except: string | undefined }): PageFile | undefined {
    const [lowerTitle, lowerFile] = [title.toLowerCase(), fileOfTitle(title).toLowerCase()];
    return this.pages.find(
      (page) =>
        page.file !== options.except &&
        (page.title.toLowerCase() === lowerTitle || page.file.toLowerCase() === lowerFile),
    );
  }
}
