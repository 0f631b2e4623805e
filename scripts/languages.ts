import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as linguist from 'linguist-languages';
import packageFile from '../package.json' with { type: 'json' };

/**
 * Generates the table of languages from a package with the data of GitHub Linguist. The program does not load that
 * package, because it has 833 modules and the program needs only file extensions and names. Run this script after a
 * change of the package: `node scripts/languages.ts`. A test checks that the table is current.
 */

export const TABLE_FILE = fileURLToPath(
  new URL('../src/hosting/languages/generated/linguist.json', import.meta.url),
);

interface Language {
  readonly name: string;
  readonly type: string;
  readonly group?: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  readonly aliases?: readonly string[];
}

/**
 * Extensions that several languages claim. Linguist reads such files; we read only sizes and names, so each extension
 * goes to the language that most such files use. An extension that several languages claim and that is missing here
 * belongs to none of them.
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

/** Returns the text of the table: one entry a line, so that diffs are readable. */
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

/** Maps each extension or file name to the languages that claim it. `isFirst`: the language lists it first. */
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
