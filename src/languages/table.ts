import { readFile } from 'node:fs/promises';

/** Which language a file is in, by its name. Made by `scripts/languages.ts`, from GitHub Linguist's. */
export interface LanguageTable {
  /** changes whenever files could be told apart otherwise than before */
  readonly version: string;
  /** undefined: none that we know, or it cannot be told from the name */
  ofFile(name: string): string | undefined;
  /** The language that somebody means, whatever the case. */
  called(name: string): string | undefined;
  /** Whether a repository can be written in it: in what is data or prose, only where somebody says so. */
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

/** Read when it is first needed: a server that measures nothing does without. */
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

/** The longest ending counts, such as `.html.erb`. */
function ofExtension(extensions: ReadonlyMap<string, string>, name: string): string | undefined {
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const found = extensions.get(name.slice(dot));
    if (found !== undefined) return found;
  }
  return undefined;
}
