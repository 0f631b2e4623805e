import { invalid, notFound } from '../../base/core/failure.ts';
import type { Catalog } from './catalog.ts';
import { fillLicense } from './fill-license.ts';
import { GITIGNORES, readGitignore } from './gitignores.ts';
import { LABEL_SETS, labelsOf } from './label-sets.ts';
import { LICENSES, readLicense } from './licenses.ts';
import type { GitignoreTemplate, LabelTemplate, License, LicenseFacts } from './model.ts';

/** How much of an unknown name an error message repeats. */
const NAME_CHARS_SHOWN = 100;

/** Starting files and labels for new repositories. */
export class Templates {
  get gitignoreNames(): readonly string[] {
    return GITIGNORES.names;
  }

  get licenseNames(): readonly string[] {
    return LICENSES.names;
  }

  get labelSetNames(): readonly string[] {
    return LABEL_SETS.names;
  }

  /** @throws ForgeError `not_found` */
  async gitignoreNamed(name: string): Promise<GitignoreTemplate> {
    return readGitignore(foundIn(GITIGNORES, name));
  }

  /** @throws ForgeError `not_found` */
  async licenseNamed(name: string): Promise<License> {
    return readLicense(foundIn(LICENSES, name));
  }

  /** @throws ForgeError `not_found` */
  labelSetNamed(name: string): readonly LabelTemplate[] {
    return labelsOf(foundIn(LABEL_SETS, name));
  }

  /**
   * Returns a `.gitignore` file that combines templates.
   *
   * @param names comma-separated; ignores spaces around them, and repetitions
   * @returns '' if `names` is empty
   * @throws ForgeError `invalid`
   */
  async gitignore(names: string): Promise<string> {
    const wanted = names.split(',').map((name) => name.trim());
    const known = wanted
      .filter((name) => name !== '')
      .map((name) => requireKnown(GITIGNORES, 'gitignore template', name));
    const templates = await Promise.all([...new Set(known)].map(readGitignore));
    return templates.map(({ name, text }) => `# ---> ${name}\n${text}\n`).join('');
  }

  /**
   * Returns the text of a `LICENSE` file.
   *
   * @throws ForgeError `invalid`
   */
  async license(name: string, facts: LicenseFacts): Promise<string> {
    const { text } = await readLicense(requireKnown(LICENSES, 'license', name));
    return fillLicense(text, facts);
  }

  /**
   * Returns the labels of a set.
   *
   * @throws ForgeError `invalid`
   */
  labelSet(name: string): readonly LabelTemplate[] {
    return labelsOf(requireKnown(LABEL_SETS, 'label set', name));
  }
}

function foundIn(catalog: Catalog, name: string): string {
  const found = catalog.find(name);
  if (found === undefined) throw notFound('template');
  return found;
}

function requireKnown(catalog: Catalog, kind: string, name: string): string {
  const found = catalog.find(name);
  if (found === undefined) throw invalid(`unknown ${kind}: ${name.slice(0, NAME_CHARS_SHOWN)}`);
  return found;
}
