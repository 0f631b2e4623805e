import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as linguist from 'linguist-languages';
import packageFile from '../package.json' with { type: 'json' };

/**
 * Makes the table that the program tells languages by, from the package that holds GitHub Linguist's: 833 modules are
 * too many to load when all that is needed is which ending belongs to what. Run it after a change of the package:
 * `node scripts/languages.ts`. A test holds the file to it.
 */

export const TABLE_FILE = fileURLToPath(new URL('../src/languages/generated/linguist.json', import.meta.url));

interface Language {
  readonly name: string;
  readonly type: string;
  readonly group?: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  readonly aliases?: readonly string[];
}

/**
 * Endings that several languages claim. Linguist looks into such files; sizes and names are all that we read, so each
 * goes to the one that most such files are written in. What is missing here and claimed by several is nobody's.
 */
const DECIDED: Readonly<Record<string, string>> = {
  '.as': 'ActionScript',
  '.asm': 'Assembly',
  '.asy': 'Asymptote',
  '.bas': 'BASIC',
  '.bb': 'BitBake',
  '.cake': 'C#',
  '.cl': 'Common Lisp',
  '.cls': 'TeX',
  '.cs': 'C#',
  '.d': 'D',
  '.e': 'Eiffel',
  '.es': 'JavaScript',
  '.ex': 'Elixir',
  '.f': 'Fortran',
  '.for': 'Fortran',
  '.frag': 'GLSL',
  '.fs': 'F#',
  '.ftl': 'FreeMarker',
  '.fx': 'HLSL',
  '.gd': 'GDScript',
  '.gml': 'Game Maker Language',
  '.h': 'C',
  '.hh': 'C++',
  '.html': 'HTML',
  '.inc': 'PHP',
  '.jq': 'jq',
  '.json': 'JSON',
  '.l': 'Lex',
  '.lisp': 'Common Lisp',
  '.lsp': 'Common Lisp',
  '.m': 'Objective-C',
  '.md': 'Markdown',
  '.ml': 'OCaml',
  '.mm': 'Objective-C++',
  '.mojo': 'Mojo',
  '.nu': 'Nushell',
  '.odin': 'Odin',
  '.php': 'PHP',
  '.pkl': 'Pkl',
  '.pl': 'Perl',
  '.plist': 'XML',
  '.pm': 'Perl',
  '.pp': 'Puppet',
  '.pro': 'Prolog',
  '.q': 'q',
  '.r': 'R',
  '.re': 'Reason',
  '.rs': 'Rust',
  '.s': 'Assembly',
  '.sc': 'Scala',
  '.scm': 'Scheme',
  '.sol': 'Solidity',
  '.sql': 'SQL',
  '.st': 'Smalltalk',
  '.t': 'Perl',
  '.ts': 'TypeScript',
  '.tsx': 'TSX',
  '.txt': 'Text',
  '.v': 'Verilog',
  '.vba': 'VBA',
  '.yaml': 'YAML',
  '.yml': 'YAML',
};

const COUNTED_TYPES = new Set(['programming', 'markup']);

/** The text of the table: an entry a line, so that a change of it can be read. */
export function tableText(): string {
  const languages: readonly Language[] = Object.values(linguist);
  const byName = new Map(languages.map((language) => [language.name, language]));
  const shown = (language: Language) => language.group ?? language.name;
  const isCounted = (language: Language) => COUNTED_TYPES.has((byName.get(shown(language)) ?? language).type);
  const table = {
    version: packageFile.devDependencies['linguist-languages'],
    extensions: chosen(claims(languages, 'extensions'), DECIDED, shown),
    filenames: chosen(claims(languages, 'filenames'), {}, shown),
    names: Object.fromEntries(
      languages.flatMap((language) =>
        [language.name, ...(language.aliases ?? [])].map((name) => [name.toLowerCase(), shown(language)]),
      ),
    ),
    uncounted: languages.filter((language) => !isCounted(language)).map((language) => language.name),
  };
  return `${JSON.stringify(table, null, 1)}\n`;
}

/** Who claims an ending or a name, those first whose first ending it is. */
function claims(
  languages: readonly Language[],
  what: 'extensions' | 'filenames',
): Map<string, { language: Language; isFirst: boolean }[]> {
  const found = new Map<string, { language: Language; isFirst: boolean }[]>();
  for (const language of languages) {
    for (const [index, text] of (language[what] ?? []).entries()) {
      const key = what === 'extensions' ? text.toLowerCase() : text;
      found.set(key, [...(found.get(key) ?? []), { language, isFirst: index === 0 }]);
    }
  }
  return found;
}

function chosen(
  claimed: ReadonlyMap<string, readonly { language: Language; isFirst: boolean }[]>,
  decided: Readonly<Record<string, string>>,
  shown: (language: Language) => string,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, all] of [...claimed].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const wanted = all.filter(({ language }) => language.name === decided[key]);
    const firsts = all.filter(({ isFirst }) => isFirst);
    for (const claim of [wanted, all, firsts]) {
      const names = new Set(claim.map(({ language }) => shown(language)));
      const [name] = names;
      if (names.size !== 1 || name === undefined) continue;
      found[key] = name;
      break;
    }
  }
  return found;
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await writeFile(TABLE_FILE, tableText());
}
