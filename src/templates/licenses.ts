import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import licenses from 'spdx-license-list';
import { Catalogue } from './catalogue.ts';
import type { License } from './model.ts';

/** Licenses of works that are no programs; that of the newest version of each. */
const CREATIVE_COMMONS = [
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-NC-4.0',
  'CC-BY-NC-ND-4.0',
  'CC-BY-NC-SA-4.0',
  'CC-BY-ND-4.0',
  'CC-BY-SA-4.0',
];

/** Identifiers that SPDX gave up for such as say whether later versions count: `GPL-3.0`, `LGPL-2.1+`, … */
const GIVEN_UP = /\+$|^[AL]?GPL-\d\.\d$|-with-/;

/** By SPDX identifier: what the Open Source Initiative approved, and Creative Commons. */
export const LICENSES = new Catalogue([
  ...Object.entries(licenses)
    .filter(([id, { osiApproved }]) => osiApproved && !GIVEN_UP.test(id))
    .map(([id]) => id),
  ...CREATIVE_COMMONS,
]);

const { resolve } = createRequire(import.meta.url);

/** @param name one of `LICENSES` */
export async function readLicense(name: string): Promise<License> {
  const file = resolve(`spdx-license-list/licenses/${name}.json`);
  const { licenseText }: { licenseText: string } = JSON.parse(await readFile(file, 'utf8'));
  return { name, text: `${licenseText.trim()}\n` };
}
