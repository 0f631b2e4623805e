import { Attributes } from './attributes.ts';
import {
  isDocumentationFile,
  isDocumentationFolder,
  isGeneratedFile,
  isVendoredFile,
  isVendoredFolder,
} from './excluded-paths.ts';
import type { LanguageTable } from './table.ts';

/** Raise this with every change of the rules. Measurements by earlier rules are then repeated in full. */
const RULES_VERSION = 1;

export function rulesVersion(table: LanguageTable): string {
  return `${table.version}/${RULES_VERSION}`;
}

/** Properties of a folder that apply to everything in it. */
export interface Surroundings {
  readonly isVendored: boolean;
  readonly isDocumentation: boolean;
}

export const ROOT_SURROUNDINGS: Surroundings = { isVendored: false, isDocumentation: false };

/** Decides which files of a repository count, and for which language. */
export class LanguageRules {
  readonly #table: LanguageTable;
  readonly #attributes: Attributes;

  /** @param gitattributes text of the file in the root; '' for none */
  constructor(table: LanguageTable, gitattributes: string) {
    this.#table = table;
    this.#attributes = new Attributes(gitattributes);
  }

  /** @returns undefined if nothing in the folder can count, so the caller need not read it */
  inFolder(path: string, around: Surroundings): Surroundings | undefined {
    const isVendored = around.isVendored || isVendoredFolder(path);
    const isDocumentation = around.isDocumentation || isDocumentationFolder(path);
    if (isVendored && !this.#attributes.unvendors) return undefined;
    return { isVendored, isDocumentation };
  }

  /** Returns the language that a file counts for; undefined if it does not count. */
  ofFile(path: string, around: Surroundings): string | undefined {
    const said = this.#attributes.of(path);
    if (said.opaque === true) return undefined;
    if (said.vendored ?? (around.isVendored || isVendoredFile(path))) return undefined;
    if (said.documentation ?? (around.isDocumentation || isDocumentationFile(path))) return undefined;
    if (said.generated ?? isGeneratedFile(path)) return undefined;
    const language = this.#languageOf(path, said.language);
    if (language === undefined) return undefined;
    return (said.detectable ?? this.#table.isCounted(language)) ? language : undefined;
  }

  #languageOf(path: string, said: string | undefined): string | undefined {
    const called = said === undefined ? undefined : this.#table.called(said);
    return called ?? this.#table.ofFile(path.slice(path.lastIndexOf('/') + 1));
  }
}
