import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import licenses from 'spdx-license-list';
import { packageFolder } from '../../base/core/native/packages.ts';
import { Catalog } from './catalog.ts';
import type { License } from './model.ts';

/** Licenses for works other than programs, each in its newest version. */
const CREATIVE_COMMONS = [
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-NC-4.0',
  'CC-BY-NC-ND-4.0',
  'CC-BY-NC-SA-4.0',
  'CC-BY-ND-4.0',
  'CC-BY-SA-4.0',
];

/** Identifiers that SPDX has replaced by ones that state whether later versions apply: `GPL-3.0`, `LGPL-2.1+`, … */
const GIVEN_UP = /\+$|^[AL]?GPL-\d\.\d$|-with-/;

/** SPDX identifiers of the licenses that the Open Source Initiative has approved, and of Creative Commons. */
export const LICENSES = new Catalog([
  ...Object.entries(licenses)
    .filter(([id, { osiApproved }]) => osiApproved && !GIVEN_UP.test(id))
    .map(([id]) => id),
  ...CREATIVE_COMMONS,
]);

/**
 * Reads the text of a license.
 *
 * @param name one of `LICENSES`
 */
export async function readLicense(name: string): Promise<License> {
  const file = join(packageFolder('spdx-license-list'), 'licenses', `${name}.json`);
  const { licenseText }: { licenseText: string } = JSON.parse(await readFile(file, 'utf8'));
  return { name, text: `${licenseText.trim()}\n` };
}
