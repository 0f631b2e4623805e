import { readFile } from 'node:fs/promises';

/** Finds the language of a file by its name. `scripts/languages.ts` generates the data from GitHub Linguist. */
export interface LanguageTable {
  /** changes with every change of the table */
  readonly version: string;
  /** Returns undefined if the language is unknown or the name is ambiguous. */
  ofFile(name: string): string | undefined;
  /** Finds a language by a name or an alias in any case. */
  called(name: string): string | undefined;
  /** Whether a language counts by default. Data and prose count only if `.gitattributes` says so. */
  isCounted(language: string): boolean;
}

interface TableText {
  readonly version: string;
  readonly extensions: Readonly<Record<string, string>>;
  readonly filenames: Readonly<Record<string, string>>;
  readonly names: Readonly<Record<string, string>>;
  readonly uncounted: readonly string[];
}

const FILE = new URL('generated/linguist.json', import.meta.url);

let loading: Promise<LanguageTable> | undefined;

/** Loads the table on first use. A server that measures nothing never loads it. */
export function languageTable(): Promise<LanguageTable> {
  loading ??= readFile(FILE, 'utf8').then((text) => tableOf(JSON.parse(text)));
  return loading;
}

function tableOf(text: TableText): LanguageTable {
  const [extensions, filenames, names] = [text.extensions, text.filenames, text.names].map(
    (part) => new Map(Object.entries(part)),
  ) as [Map<string, string>, Map<string, string>, Map<string, string>];
  const uncounted = new Set(text.uncounted);
  return {
    version: text.version,
    ofFile: (name) => filenames.get(name) ?? ofExtension(extensions, name.toLowerCase()),
    called: (name) => names.get(name.toLowerCase()) ?? names.get(name.toLowerCase().replaceAll('-', ' ')),
    isCounted: (language) => !uncounted.has(language),
  };
}

/** Finds a language by the longest known extension, such as `.html.erb`. */
function ofExtension(extensions: ReadonlyMap<string, string>, name: string): string | undefined {
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const found = extensions.get(name.slice(dot));
    if (found !== undefined) return found;
  }
  return undefined;
}
