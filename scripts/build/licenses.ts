import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/**
 * Returns the licenses of packages as one text.
 *
 * @param folders of the packages, relative to `root`
 */
export function licensesOf(root: string, folders: readonly string[]): string {
  return folders.map((folder) => licenseOf(path.join(root, folder))).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map((entry) => readFileSync(path.join(folder, entry.name), 'utf8').trim());
  return `${[`${name} ${version} (${license})`, ...texts].join('\n\n')}\n`;
}
