import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/i;

const BSD = `Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:

- Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.
- Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer
  in the documentation and/or other materials provided with the distribution.
- Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products derived
  from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT
NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL
THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE
OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;

/** Licenses of the libraries that packages contain as WebAssembly, without a file that says so. */
const CONTAINED: Readonly<Record<string, string>> = {
  '@cwasm/jpeg-turbo': `It contains libjpeg-turbo. This software is based in part on the work of the Independent JPEG Group.

Copyright (C) 1991-2019 The libjpeg-turbo Project and many others. All rights reserved.

${BSD}`,
  '@cwasm/webp': `It contains libwebp.

Copyright (c) 2010, Google Inc. All rights reserved.

${BSD}`,
};

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
  const contained = CONTAINED[name] === undefined ? [] : [CONTAINED[name]];
  return `${[`${name} ${version} (${license})`, ...texts, ...contained].join('\n\n')}\n`;
}
